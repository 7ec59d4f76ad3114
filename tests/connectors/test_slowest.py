"""The slowest of several parts says what is final, unless it is silent for long."""

from __future__ import annotations

import pytest

from timeline_app.algebra.kinds import BEGINNING
from timeline_app.connectors.kafka.parsing import check_offsets, parse_offsets
from timeline_app.connectors.splits.slowest_watermark import Slowest

SECOND = 1_000_000
LATE, IDLE = 10 * SECOND, 60 * SECOND


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def build_slowest(*heard: tuple[str, int], known: dict[str, int] | None = None) -> tuple[Slowest, Clock]:
    clock = Clock()
    slowest = Slowest(known or {}, clock)
    for part, second in heard:
        slowest.hear({part: second * SECOND})
    return slowest, clock


def test_it_is_the_least_over_parts_less_the_allowed_lateness() -> None:
    slowest, _ = build_slowest(("a", 100), ("b", 300), ("b", 200))
    assert slowest.watermark({"a": False, "b": False}, LATE, None) == 90 * SECOND
    slowest.hear({"a": 400 * SECOND})
    assert slowest.watermark({"a": False, "b": False}, LATE, None) == 290 * SECOND


def test_a_part_that_has_said_nothing_makes_nothing_final_and_without_idle_after_for_ever() -> None:
    slowest, clock = build_slowest(("a", 100))
    for _ in range(3):
        assert slowest.watermark({"a": True, "b": True}, LATE, None) == BEGINNING
        clock.now += 1_000_000
    hint = "nothing more becomes final before b has had an event, unless the stream declares idle_after"
    assert slowest.words(forgets=False) == hint
    assert slowest.watermark({"a": True, "b": True, "c": True}, LATE, IDLE) == BEGINNING
    hint = "nothing more becomes final before b and 1 more have had an event, or been silent for idle_after"
    assert slowest.words(forgets=True) == hint
    assert slowest.watermark({}, LATE, None) == BEGINNING


def test_who_reads_on_knows_what_came_before() -> None:
    slowest, _ = build_slowest(known={"a": 100 * SECOND, "gone": 0})
    assert slowest.watermark({"a": True}, LATE, IDLE) == 90 * SECOND


def watch_slowest(slowest: Slowest, clock: Clock, parts: dict[str, bool], seconds: int) -> int:
    for _ in range(seconds):
        clock.now += 1
        result = slowest.watermark(parts, LATE, IDLE)
    return result // SECOND if result > BEGINNING else -1


def test_a_part_that_is_silent_while_it_is_looked_at_counts_no_more_until_it_speaks() -> None:
    slowest, clock = build_slowest(("a", 100), ("b", 50))
    parts = {"a": True, "b": True}
    assert watch_slowest(slowest, clock, parts, 40) == 40
    slowest.hear({"a": 200 * SECOND})
    assert watch_slowest(slowest, clock, parts, 15) == 40
    assert slowest.words(forgets=True) == "by b"
    assert watch_slowest(slowest, clock, parts, 10) == 190
    assert slowest.words(forgets=True) == "by a"
    slowest.hear({"b": 60 * SECOND})
    assert watch_slowest(slowest, clock, parts, 1) == 50
    assert watch_slowest(slowest, clock, parts, 200) == 50, "where all are silent, all count"


def test_a_part_that_is_not_read_to_its_end_is_not_silent() -> None:
    slowest, clock = build_slowest(("a", 100), ("b", 50))
    assert watch_slowest(slowest, clock, {"a": True, "b": False}, 500) == 40
    slowest.hear({"a": 100 * SECOND})
    assert watch_slowest(slowest, clock, {"a": True, "b": True}, 59) == 40


def test_time_in_which_nobody_looked_makes_nothing_silent() -> None:
    slowest, clock = build_slowest(("a", 100), ("b", 50))
    assert watch_slowest(slowest, clock, {"a": True, "b": True}, 1) == 40
    clock.now += 10_000
    slowest.hear({"a": 300 * SECOND})
    assert watch_slowest(slowest, clock, {"a": True, "b": True}, 50) == 40


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", None),
        ("  ", None),
        ("plays/0=1500, plays/1 = 0", None),
        ("plays/0", "'plays/0' says no offset; write topic/partition=offset, such as plays/0=1500"),
        ("plays=7", "'plays=7' says no offset"),
        ("plays/0=-1", "'plays/0=-1' says no offset"),
        ("plays/0=1.5", "says no offset"),
        ("plays/x=1", "says no offset"),
        ("pl ays/0=1", "says no offset"),
        ("plays/0=1,,plays/1=2", "'' says no offset"),
        ("plays/0=1;plays/1=2", "says no offset"),
        ("plays/0=99999999999999999999", "says no offset"),
        ("plays/0=9223372036854775808", "says no offset"),
        ("plays/0=٣", "says no offset"),
        ("plays/0=1,plays/00=2", "plays/0 is there twice; leave one of them out"),
    ],
)
def test_offsets_that_are_written_wrongly_are_said_with_a_hint(text: str, words: str | None) -> None:
    wrong = check_offsets(text)
    assert wrong is None if words is None else wrong is not None and words in wrong
    if words is None:
        assert all(offset >= 0 for offset in parse_offsets(text).values())
