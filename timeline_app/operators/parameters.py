"""The types of parameters: how each is read from a plan document, and its one canonical form.

`parse` turns what stands in a document into what an operator's function takes; it raises `ValueError` with the
reason and the hint. `spell` gives the canonical JSON form, which is part of a node's identity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from timeline_app.algebra.kinds import SECOND, Kind
from timeline_app.predicates import (
    ClockedStream,
    Expression,
    Predicate,
    PredicateError,
    is_unicode,
    parse,
    parse_expression,
)
from timeline_app.predicates.expressions import FieldValue
from timeline_app.times.week import read_clock, read_days, read_zone, show, spell_clock, spell_days

_UNITS = {"us": 1, "ms": 1_000, "s": SECOND, "min": 60 * SECOND, "h": 3_600 * SECOND, "d": 86_400 * SECOND}
MAX_DURATION_MICROS = 36_500 * 86_400 * SECOND
"""The longest duration, in microseconds."""
MAX_TEXT = 10_000
COMPUTED = "="
"""The prefix of an expression, where a field may stand: `= price * quantity`."""


def parse_duration(raw: object) -> int:
    """`250ms`, `5s`, `10min`, `2h`, `1d` in microseconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s|min|h|d)", raw.strip()) if isinstance(raw, str) else None
    if match is None:
        raise ValueError(
            f"{show(raw)} is not a duration; write a number and a unit, such as 250ms, 5s, 10min, 2h, 1d"
        )
    micros = Fraction(match[1]) * _UNITS[match[2]]
    if not 0 < micros <= MAX_DURATION_MICROS or micros != int(micros):
        raise ValueError(
            f"{raw} is out of range; a duration is a whole number of microseconds from 1us to 36500d"
        )
    return int(micros)


def spell_duration(micros: int) -> str:
    """Return a duration in its largest whole unit."""
    unit = next(name for name in ("d", "h", "min", "s", "ms", "us") if micros % _UNITS[name] == 0)
    return f"{micros // _UNITS[unit]}{unit}"


def parse_percentile(text: str) -> Fraction | None:
    """`p99.9` as 999/10; None where a text is no percentile above 0 and up to 100."""
    match = re.fullmatch(r"p(\d{1,3}(?:\.\d{1,6})?)", text, re.ASCII)
    percentile = Fraction(match[1]) if match is not None else Fraction(0)
    return percentile if 0 < percentile <= 100 else None


def spell_percentile(percentile: Fraction) -> str:
    """Return a percentile without needless digits: `p50`, `p99.9`."""
    return f"p{float(percentile):.6f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class ParameterType:
    """How one type of parameter is read and spelled; `name` chooses the field of the inspector.

    A duration may be one of its choices as well, such as `1month`. With `computed`, an expression behind `=` may stand
    for a field; with `percentiles`, any percentile for a choice.
    """

    name: str
    placeholder: str = ""
    choices: Sequence[str] = ()
    computed: bool = False
    percentiles: bool = False

    @property
    def shown_choices(self) -> str:
        """The choices in words."""
        return ", ".join(self.choices) + (" or any pNN" if self.percentiles else "")

    def is_choice(self, raw: object) -> bool:
        """Return whether a value is one of the choices, or a percentile where these are taken."""
        if raw in self.choices:
            return True
        return self.percentiles and isinstance(raw, str) and parse_percentile(raw) is not None

    def is_computed(self, raw: object) -> bool:
        """Return whether an expression replaces a field."""
        return self.computed and isinstance(raw, str) and raw.lstrip().startswith(COMPUTED)

    def parse(self, raw: object) -> Any:
        """Return what the operator's function takes."""
        return _READERS[self.name](self, raw)

    def spell(self, value: Any) -> Any:
        """Return the canonical JSON form."""
        if isinstance(value, Predicate):
            return value.text()
        if isinstance(value, Expression):
            return f"{COMPUTED} {value.text()}"
        return _SPELLERS.get(self.name, _as_it_is)(value)

    def bind(self, value: Any, stream: str | None, streams: Mapping[str, ClockedStream]) -> Any:
        """Return the value for events of a stream, whose clock says which times it means."""
        if isinstance(value, Predicate | Expression) and stream is not None and stream in streams:
            return streams[stream].clock.bind(value)
        return value

    def uses(self, value: Any) -> list[tuple[str, Kind | None]]:
        """Return the fields of the stream that a value names, with the kind that each must have (None: any)."""
        if isinstance(value, Predicate):
            return list(value.uses())
        if isinstance(value, Expression):
            return [(name, None) for name in value.field_names()]
        return [(value, None)] if self.name == "field" else []

    def reads(self, _: Any) -> list[tuple[str, Predicate | None]]:
        """Return the streams that a value names, each with the condition on its events (None: all of them)."""
        return []


def _as_it_is(value: Any) -> Any:
    return value


def _parse_predicate(_: ParameterType, raw: object) -> Predicate:
    if not isinstance(raw, str):
        raise ValueError(f'{show(raw)} is not a condition; write text such as player_state == "play"')
    try:
        return parse(raw)
    except PredicateError as problem:
        raise ValueError(str(problem)) from None


def _parse_duration(kind: ParameterType, raw: object) -> int | str:
    if isinstance(raw, str) and raw in kind.choices:
        return raw
    try:
        return parse_duration(raw)
    except ValueError as error:
        raise ValueError(", ".join([str(error), *kind.choices])) from None


def is_storable(text: str) -> bool:
    """Return whether a text can be kept: no NUL, which PostgreSQL refuses, and no halves of characters."""
    return "\0" not in text and is_unicode(text)


def _parse_field(kind: ParameterType, raw: object) -> str | Expression:
    if isinstance(raw, str) and kind.is_computed(raw):
        return _parse_expression(raw.lstrip().removeprefix(COMPUTED))
    if not isinstance(raw, str) or not raw.strip() or len(raw) > 200 or not is_storable(raw):
        raise ValueError(f"{show(raw)} is not the name of a field; choose a field of the stream")
    return raw.strip()


def _parse_expression(text: str) -> str | Expression:
    try:
        expression = parse_expression(text)
    except PredicateError as problem:
        raise ValueError(str(problem)) from None
    return expression.name if isinstance(expression, FieldValue) else expression


def _parse_value(_: ParameterType, raw: object) -> bool | float | str:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, (int, float)) and abs(raw) < 1e15:
        return float(raw) + 0.0  # -0.0 is 0.0
    if isinstance(raw, str) and len(raw) <= MAX_TEXT and is_storable(raw):
        return raw
    if isinstance(raw, (int, float)):
        raise ValueError(
            f"{show(raw)} is out of range; give a number between -1e15 and 1e15, or text of a field that is text"
        )
    raise ValueError(f"{show(raw)} is not a value; give text, true, false or a number")


def _number(_: ParameterType, raw: object) -> float:
    value = parse_seconds(raw) if isinstance(raw, str) else raw
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
        return float(value) + 0.0
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise ValueError(f"{show(raw)} is out of range; give a number between -1e15 and 1e15")
    raise ValueError(f"{show(raw)} is not a number; give a number, or a duration such as 5s")


def parse_seconds(text: str) -> float | None:
    """Return the seconds of a duration such as 10min; None for other texts."""
    try:
        return parse_duration(text) / SECOND
    except ValueError:
        return None


def _parse_choice(kind: ParameterType, raw: object) -> str:
    if kind.is_choice(raw):
        percentile = parse_percentile(str(raw)) if kind.percentiles else None
        return str(raw) if percentile is None else spell_percentile(percentile)
    percentiles = ", a percentile above p0 and up to p100 such as p95 or p99.9" if kind.percentiles else ""
    raise ValueError(f"{show(raw)} is not one of {', '.join(kind.choices)}{percentiles}")


_READERS: dict[str, Callable[[ParameterType, object], Any]] = {
    "predicate": _parse_predicate,
    "duration": _parse_duration,
    "field": _parse_field,
    "value": _parse_value,
    "number": _number,
    "choice": _parse_choice,
    "zone": lambda _, raw: read_zone(raw),
    "clock": lambda _, raw: read_clock(raw),
    "days": lambda _, raw: read_days(raw),
}
_SPELLERS: dict[str, Callable[[Any], Any]] = {
    "duration": lambda value: value if isinstance(value, str) else spell_duration(value),
    "clock": spell_clock,
    "days": spell_days,
}
STEPS, BREAKS = "steps", "breaks"
"""The types of what a sequence is made of (`operators/steps.py`)."""
TYPES = frozenset({*_READERS, STEPS, BREAKS})
"""The names of all types."""
