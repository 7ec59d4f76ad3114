"""The expectations of a plan's test, as they are written: spans for a node and a key."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from timeline_app.evaluate.expected import TOLERANCE
from timeline_app.evaluate.pieces import Piece, build_from_points, build_from_spans, find_overlap
from timeline_app.events.validate import MAX_PROBLEMS, MAX_VALUE
from timeline_app.operators.parameters import parse_duration
from timeline_app.operators.words import format_clock
from timeline_app.problems.problem import Problem, Refused
from timeline_app.times.units import EARLIEST, LATEST

MAX_SPANS = 10_000
"""For a test."""
_KEYS = ("node", "key", "spans", "tolerance", "slack", "digest")
_SPAN_KEYS = ("from", "to", "value", "slope", "num", "den")


@dataclass(frozen=True, slots=True)
class Expectation:
    """The spans expected of one key at one node; `digest` identifies the node's computation at that time."""

    node: str
    key: str
    pieces: tuple[Piece, ...]
    tolerance: float = TOLERANCE
    slack: int = 0
    digest: str | None = None


def read_expected(raw: object) -> list[Expectation]:
    """Read `expected` of a test; raises `Refused` with the first `MAX_PROBLEMS`, `port` is the place in the list."""
    if not isinstance(raw, list):
        raise Refused(
            [_build_problem(None, "expected must be a list", '[{"node": …, "key": …, "spans": […]}, …]')]
        )
    problems: list[Problem] = []
    expectations = []
    for index, expectation in enumerate(raw):
        expectations.append(_read(expectation, f"expected.{index}", problems))
        if len(problems) >= MAX_PROBLEMS:
            raise Refused(problems[:MAX_PROBLEMS])
    if sum(len(expectation.pieces) for expectation in expectations if expectation) > MAX_SPANS:
        problems.append(
            _build_problem("expected", f"more than {MAX_SPANS:,} spans", "expect less of the timelines")
        )
    places = Counter((expectation.node, expectation.key) for expectation in expectations if expectation)
    for node, key in sorted(index for index, count in places.items() if count > 1)[:10]:
        problems.append(
            _build_problem("expected", f"node {node}, key {key} is there twice", "put its spans together")
        )
    if problems:
        raise Refused(problems)
    return [expectation for expectation in expectations if expectation]


def _read(raw: object, port: str, problems: list[Problem]) -> Expectation | None:
    before = len(problems)
    if not isinstance(raw, Mapping):
        problems.append(_build_problem(port, "must be an object", '{"node": …, "key": …, "spans": […]}'))
        return None
    strange = sorted(str(name) for name in raw.keys() - set(_KEYS))
    problems += [
        _build_problem(f"{port}.{name}", "is not known", f"there are {', '.join(_KEYS)}") for name in strange
    ]
    unnamed = [name for name in ("node", "key") if not _is_name(raw.get(name))]
    problems += [_build_problem(f"{port}.{name}", "must be text", f"name the {name}") for name in unnamed]
    if raw.get("digest") is not None and not (isinstance(raw["digest"], str) and len(raw["digest"]) <= 64):
        problems.append(_build_problem(f"{port}.digest", "must be text", "leave it out"))
    tolerance, slack = _parse_tolerance(raw, port, problems), _parse_slack(raw, port, problems)
    pieces = _parse_pieces(raw.get("spans"), f"{port}.spans", problems)
    if len(problems) > before:
        return None
    return Expectation(raw["node"], raw["key"], tuple(pieces), tolerance, slack, raw.get("digest"))


def _parse_tolerance(raw: Mapping[str, Any], port: str, problems: list[Problem]) -> float:
    tolerance = raw.get("tolerance")
    if tolerance is None:
        return TOLERANCE
    if not _is_number(tolerance) or tolerance < 0:
        problems.append(_build_problem(f"{port}.tolerance", "must be a number from 0", "for example 0.001"))
        return TOLERANCE
    return float(tolerance)


def _parse_slack(raw: Mapping[str, Any], port: str, problems: list[Problem]) -> int:
    slack = raw.get("slack")
    try:
        return parse_duration(slack) if slack not in (None, "", "0s") else 0
    except ValueError as why:
        problems.append(_build_problem(f"{port}.slack", str(why), "for example 250ms"))
        return 0


def _parse_pieces(raw: object, port: str, problems: list[Problem]) -> list[Piece]:
    if not isinstance(raw, list) or len(raw) > MAX_SPANS:
        hint = '[{"from": null, "to": 1719820807000000, "value": false}, …]'
        problems.append(_build_problem(port, f"must be a list of at most {MAX_SPANS:,} spans", hint))
        return []
    problems_of_spans = [
        problem for at, span in enumerate(raw) for problem in _find_wrong(span, f"{port}.{at}")
    ]
    if problems_of_spans:
        problems += problems_of_spans[:20]
        return []
    pieces = build_from_spans(raw)
    if overlapping := find_overlap(pieces):
        where = format_clock(max(overlapping[1].start, EARLIEST), 0)
        problems.append(
            _build_problem(port, f"two spans overlap at {where}", "end one where the other begins")
        )
    return pieces


def _find_wrong(span: object, port: str) -> Iterable[Problem]:
    if not isinstance(span, Mapping):
        yield _build_problem(port, "must be an object", '{"from": …, "to": …, "value": …}')
        return
    for name in span.keys() - set(_SPAN_KEYS):
        yield _build_problem(f"{port}.{name}", "is not known", f"there are {', '.join(_SPAN_KEYS)}")
    ends: list[Any] = [span.get("from"), span.get("to")]
    if any(end is not None and (type(end) is not int or not EARLIEST <= end <= LATEST) for end in ends):
        yield _build_problem(
            port, "from and to must be microseconds in the years 1 to 9999", "null has no end"
        )
    elif None not in ends and ends[0] >= ends[1]:
        yield _build_problem(port, "ends before it begins", "from must be before to")
    if ("num" in span) != ("den" in span) or ("num" in span and "value" in span):
        yield _build_problem(port, "is neither a value nor a ratio", 'give "value", or "num" and "den"')
    elif "num" in span:
        lines = (span["num"], span["den"])
        if not all(isinstance(line, Mapping) and _is_line(line) for line in lines):
            yield _build_problem(port, "num and den must be lines", '{"value": 3, "slope": 1}')
    elif "value" not in span or not _is_value(span["value"]) or not _is_number(span.get("slope", 0)):
        yield _build_problem(port, "needs a value", 'true, false, a number, a text, or null for "unknown"')


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 1024


def _is_line(line: Mapping[str, Any]) -> bool:
    return line.keys() == {"value", "slope"} and all(_is_number(item) for item in line.values())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


def _is_value(value: object) -> bool:
    return value is None or isinstance(value, bool) or _is_number(value) or _is_text(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_VALUE


def _build_problem(port: str | None, message: str, hint: str) -> Problem:
    return Problem(None, port, "bad_expected", message, hint)


def build_expectation(
    answers: Iterable[Mapping[str, Any]], digests: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return answers with points as expectations for later runs."""
    return [
        {
            "node": answer["node"],
            "key": answer["key"],
            "digest": digests[answer["node"]],
            "spans": [piece.spoken() for piece in build_from_points(answer["points"])],
        }
        for answer in answers
    ]
