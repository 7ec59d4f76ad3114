"""Values computed from fields: what they mean, one event at a time, and one canonical text for each."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.predicates.conditions import Tree, judge, parse_literal
from tests.predicates.test_predicates import build_columns, rows
from tests.strategies import KINDS, NUMBERS, STATES, format_tree, trees
from timeline_app.algebra.kinds import Kind
from timeline_app.predicates import PredicateError, WrongKind, parse, parse_expression
from timeline_app.predicates.columns import LooseColumns
from timeline_app.predicates.expressions import select_column
from timeline_app.predicates.functions import CLOCKS, FUNCTIONS
from timeline_app.predicates.moments import TIME_NAME
from timeline_app.predicates.relations import TEXT_TESTS
from timeline_app.times.zones import load_zone

ROOT = Path(__file__).resolve().parents[2]

Row = dict[str, Any]
_SIGNS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda value: (
        math.copysign(math.floor(abs(value) + 0.5), value) if abs(value) < 2**52 else value
    ),
    "min": min,
    "max": max,
    "length": len,
    "lower": str.lower,
    "upper": str.upper,
    "trim": str.strip,
}
_TESTS: dict[str, Callable[[str, str], bool]] = {
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": operator.contains,
    "matches": lambda text, pattern: re.search(pattern, text) is not None,
}


def compute(tree: Tree, row: Row) -> Any:
    """What an expression says of one event; None is missing."""
    word, *parts = tree
    if word == "field":
        return row.get(parts[0])
    if word == "constant":
        return parts[0]
    if word == "missing":
        return None
    if word == "if":
        truth = judge(parts[0], {name: parse_literal(value) for name, value in row.items()})
        return None if truth is None else compute(parts[1] if truth else parts[2], row)
    values = [compute(part, row) for part in parts]
    if word == "coalesce":
        return next((value for value in values if value is not None), None)
    if any(value is None for value in values):
        return None
    try:
        result = _SIGNS[word](*values) if word in _SIGNS else _FUNCTIONS[word](*values)
    except (ZeroDivisionError, OverflowError):
        return None
    return None if isinstance(result, float) and not math.isfinite(result) else result


def spell(tree: Tree) -> str:
    """An expression as a person writes it."""
    word, *parts = tree
    if word == "field":
        return str(parts[0])
    if word == "missing":
        return str(word)
    if word == "constant":
        return f'"{parts[0]}"' if isinstance(parts[0], str) else str(parts[0])
    if word == "if":
        return f"if({format_tree(parts[0])}, {spell(parts[1])}, {spell(parts[2])})"
    if word in _SIGNS:
        return f"({spell(parts[0])}) {word} ({spell(parts[1])})"
    return f"{word}({', '.join(map(spell, parts))})"


def _above(kind: str, below: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    pair = st.tuples(below, below)
    same = st.one_of(
        pair.map(lambda two: ("coalesce", *two)),
        st.tuples(trees(), below, below).map(lambda three: ("if", *three)),
        st.tuples(trees(), below).map(lambda two: ("if", *two, ("missing",))),
        st.tuples(trees(), below).map(lambda two: ("if", two[0], ("missing",), two[1])),
    )
    if kind == "text":
        return st.one_of(same, st.tuples(st.sampled_from(["lower", "upper", "trim"]), below))
    return st.one_of(
        same,
        st.tuples(st.sampled_from([*_SIGNS, "min", "max"]), pair).map(lambda item: (item[0], *item[1])),
        st.tuples(st.sampled_from(["abs", "round", "floor", "ceil"]), below),
    )


_TEXTS: st.SearchStrategy[Tree] = st.recursive(
    st.one_of(
        st.sampled_from([("field", "state"), ("field", "cdn")]),
        st.sampled_from([*STATES, " Pad ", "É"]).map(lambda text: ("constant", text)),
    ),
    lambda below: _above("text", below),
    max_leaves=4,
)
_VALUES: st.SearchStrategy[Tree] = st.recursive(
    st.one_of(
        st.just(("field", "bitrate")),
        st.sampled_from([*NUMBERS, 0.0, 0.5, 2.5, 1e200]).map(lambda number: ("constant", number)),
        _TEXTS.map(lambda text: ("length", text)),
    ),
    lambda below: _above("number", below),
    max_leaves=6,
)


def _compute_values(text: str, events: list[Row]) -> list[Any]:
    fields = build_columns(events)
    column = select_column(LooseColumns(fields, len(events)), parse_expression(text))
    return [column.scalar(row) for row in range(len(events))]


@given(st.one_of(_VALUES, _TEXTS), rows)
def test_a_value_is_computed_as_one_event_after_the_other_says(tree: Tree, events: list[Row]) -> None:
    assert _compute_values(spell(tree), events) == [compute(tree, row) for row in events]


@given(st.one_of(_VALUES, _TEXTS), rows)
def test_the_canonical_text_reads_back_as_itself_and_means_the_same(tree: Tree, events: list[Row]) -> None:
    text = parse_expression(spell(tree)).text()
    assert parse_expression(text).text() == text
    assert _compute_values(text, events) == _compute_values(spell(tree), events)


@given(st.one_of(st.tuples(_VALUES, _VALUES), st.tuples(_TEXTS, _TEXTS)), st.sampled_from(list(_ORDER)), rows)
def test_two_values_are_compared(pair: tuple[Tree, Tree], symbol: str, events: list[Row]) -> None:
    if all("field" not in str(tree) for tree in pair):
        return
    try:
        relation = parse(f"({spell(pair[0])}) {symbol} ({spell(pair[1])})")
    except PredicateError as refused:
        assert "both sides are values" in str(refused)  # noqa: PT017 (drawn pairs of constants are refused)
        return
    judged = np.broadcast_to(relation.judge(build_columns(events)), len(events))
    sides = [[compute(tree, row) for tree in pair] for row in events]
    truth = [None if None in two else _ORDER[symbol](*two) for two in sides]
    assert [{0: False, 1: None, 2: True}[int(item)] for item in judged] == truth
    opposite = np.broadcast_to(relation.negate().judge(build_columns(events)), len(events))
    assert (opposite == 2 - judged).all()


@given(
    _TEXTS,
    st.sampled_from(list(_TESTS)),
    st.sampled_from(["pla", "", "ff", "a", "er", "^p", "[bs].*r$"]),
    rows,
)
def test_texts_are_tested(tree: Tree, name: str, expected: str, events: list[Row]) -> None:
    judged = parse(f'{name}({spell(tree)}, "{expected}")').judge(build_columns(events))
    texts = [compute(tree, row) for row in events]
    truth = [None if text is None else _TESTS[name](text, expected) for text in texts]
    result = np.broadcast_to(judged, len(events))
    assert [{0: False, 1: None, 2: True}[int(item)] for item in result] == truth


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a+b *c", "a + b * c"),
        ("(a + b)*c", "(a + b) * c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("-a", "0 - a"),
        ("--5 + a", "5 + a"),
        ("a / (b*2)", "a / (b * 2)"),
        ("ctx.price * `no of items`", "ctx.price * `no of items`"),
        ("if(a > 1,a,missing)", "if(a > 1, a, missing)"),
        ("if(a>1 and b is missing, 'x', c)", 'if(a > 1 and b is missing, "x", c)'),
        ("a + 5min", "a + 300"),
    ],
)
def test_the_canonical_text(text: str, canonical: str) -> None:
    assert parse_expression(text).text() == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("b > a", "a < b"),
        ("b == a", "a == b"),
        ("3 < a * b", "a * b > 3"),
        ("not a > b", "a <= b"),
        ("lower(a) in ('y', 'x')", 'lower(a) == "x" or lower(a) == "y"'),
        ("a in (b, 1)", "a == 1 or a == b"),
        ("a + b is not missing", "not (a + b is missing)"),
        ("not starts_with(a, 'x')", 'not (starts_with(a, "x"))'),
    ],
)
def test_the_canonical_text_of_a_condition(text: str, canonical: str) -> None:
    assert parse(text).text() == canonical


def test_a_missing_value_is_told_apart() -> None:
    fields = build_columns([{"bitrate": 0.0}, {"bitrate": 4.0}, {}])
    assert parse("1 / bitrate is missing").judge(fields).tolist() == [2, 0, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("state * 2 > 1", "state is text, and `*` takes number"),
        ("state == bitrate", "bitrate is number and state is text; `==` takes one kind"),
        ("live < live", "live is bool, which has no order"),
        ("lower(bitrate) == 'a'", "bitrate is number, and `lower` takes text"),
        ("abs(lower(state)) > 1", "lower(state) is text, and `abs` takes number"),
        ("if(live == true, state, bitrate) == state", "`if` takes one kind"),
        ("coalesce(state, 1) == state", "`coalesce` takes one kind"),
        ("contains(bitrate, 'a') and live == true", "bitrate is number, and `contains` takes text"),
        ("not (state + 1 is missing)", "state is text, and `+` takes number"),
        ("if(state > bitrate, 1, 2) > 1", "takes one kind"),
    ],
)
def test_values_of_another_kind_are_refused(text: str, says: str) -> None:
    with pytest.raises(WrongKind) as refusal:
        parse(text).check_kinds(lambda name: Kind(KINDS[name]))
    assert says in str(refusal.value)
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("missing", "only if(condition, a, missing) takes it"),
        ("a + missing", "line 1, column 3: missing stands for no value here"),
        ("coalesce(a, missing)", "line 1, column 1: missing stands for no value here"),
        ("if(a > 1, missing, missing)", "both values of `if` are missing"),
        ("if(a == missing, a, b)", "write 'is missing' instead of a comparison with missing"),
        (
            "if(a > 1, a, null)",
            "line 1, column 14: write missing instead of null, such as if(a > 0, a, missing)",
        ),
        ("if(a > 1, None, a)", "line 1, column 11: write missing instead of None"),
        ("if(a == null, a, b)", "line 1, column 9: write 'is missing' instead of a comparison with null"),
    ],
)
def test_missing_is_a_value_of_if_only(text: str, says: str) -> None:
    with pytest.raises(PredicateError) as refusal:
        parse_expression(text)
    assert says in str(refusal.value)


_ZONES = [
    None,
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Africa/Casablanca",
]


@given(
    st.sampled_from(_ZONES),
    st.lists(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)), min_size=1, max_size=20),  # noqa: DTZ001
)
@example("Europe/Berlin", [datetime(2024, 3, 31, hour, minute) for hour in (0, 1, 2) for minute in (0, 59)])  # noqa: DTZ001
def test_clocks_say_what_the_zone_says(zone: str | None, instants: list[datetime]) -> None:
    moments = [instant.replace(tzinfo=UTC) for instant in instants]
    time = np.array([round(moment.timestamp() * 1e6) for moment in moments], dtype=np.int64)
    events = LooseColumns({}, len(time), time)
    local = [moment.astimezone(load_zone(zone or "UTC")) for moment in moments]
    spelled = "" if zone is None else f'"{zone}"'
    hours = select_column(events, parse_expression(f"hour({spelled})")).value
    days = select_column(events, parse_expression(f"weekday({spelled})")).value
    assert hours.tolist() == [item.hour for item in local]
    assert days.tolist() == [item.isoweekday() for item in local]
    evening = parse(f"not (hour({spelled}) < 18 or weekday({spelled}) in (6, 7))")
    expected = [item.hour >= 18 and item.isoweekday() < 6 for item in local]
    assert evening.matches(events).tolist() == expected


def test_a_clock_takes_a_zone() -> None:
    for text in ('hour("Berlin") > 3', "hour(3) > 3", "weekday(zone) == 1"):
        with pytest.raises(PredicateError, match="takes the name of a zone, such as"):
            parse(text)
    assert parse('hour("UTC") > 3') == parse("3 < hour()")


def test_the_text_editor_offers_every_function_and_no_other() -> None:
    written = (ROOT / "frontend" / "src" / "core" / "language" / "functions.ts").read_text(encoding="utf-8")
    offered = [line.strip().partition(":")[0] for line in written.splitlines() if ": describe(" in line]
    assert sorted(offered) == sorted({*FUNCTIONS, *TEXT_TESTS, *CLOCKS, "if", TIME_NAME})
