"""How values, instants and lengths of time are written in a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from timeline_app.algebra.kinds import SECOND
from timeline_app.operators.words import (
    format_clock,
    format_length,
    format_names,
    format_value,
    mark_instant,
    split_at_instants,
)

NOON = 1_719_835_200 * SECOND


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "unknown"), (True, "true"), (False, "false"), ("buffer", '"buffer"'), (3.0, "3"), (-0.5, "-0.5"),
        (1 / 3, "0.333333"), (10.000001, "10.000001"), (1234567.5, "1234567.5"), (1e300, "1e+300"),
        (0.00001234, "1.234e-05"), (1e-300, "1e-300"), ("x" * 100, '"' + "x" * 79 + '…"'),
    ],
)  # fmt: skip
def test_values(value: Any, words: str) -> None:
    assert format_value(value) == words


@pytest.mark.parametrize(
    ("micros", "words"),
    [
        (1, "1 us"), (250_000, "250 ms"), (5 * SECOND, "5 s"), (90_500_000, "1 min 30.5 s"), (7200 * SECOND, "2 h"),
        (86_400 * SECOND, "1 d"), (93_784 * SECOND, "1 d 2 h 3 min 4 s"), (0, "0 us"), (60_250_000, "1 min 0.25 s"),
    ],
)  # fmt: skip
def test_lengths_are_exact(micros: int, words: str) -> None:
    assert format_length(micros) == words


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (NOON, "12:00:00"), (NOON + 250_000, "12:00:00.25"), (NOON + 1, "12:00:00.000001"),
        (NOON - 86_400 * SECOND, "2024-06-30 12:00:00"), (0, "1970-01-01 00:00:00"),
        (253_402_300_800 * SECOND, "+10000-01-01 00:00:00"),
    ],
)  # fmt: skip
def test_an_instant_has_its_day_where_that_is_another_one(time: int, words: str) -> None:
    assert format_clock(time, NOON).lstrip("+") == words.lstrip("+")


def test_instants_of_a_sentence_are_told_in_utc_and_as_data() -> None:
    marked = f"true since {mark_instant(NOON)}, until {mark_instant(-1)}"
    assert split_at_instants(marked, NOON) == [
        ("true since ", None), ("12:00:00", NOON), (", until ", None), ("1969-12-31 23:59:59.999999", -1),
    ]  # fmt: skip
    assert split_at_instants("", NOON) == []
    assert split_at_instants("\ue0001\ue001 \ue000x\ue001", NOON)[0] == ("1970-01-01 00:00:00.000001", 1)


def test_many_names_are_cut_short() -> None:
    assert format_names(["a"]) == "`a`"
    assert format_names(["a", "b", "a"]) == "`a` and `b`"
    assert format_names("abcdefg", word="or") == "`a`, `b`, `c`, `d` or 3 more"
