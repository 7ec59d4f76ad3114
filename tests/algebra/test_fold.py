"""Folding a log by hand: the newest revision wins, and no more of the log is read than it takes."""

from __future__ import annotations

from collections.abc import Iterator

from timeline_app.algebra.fold import Stretch, fold
from timeline_app.algebra.kinds import Kind

WHOLE = Stretch(None, None, [[None, False], [10, True], [20, False]])
MIDDLE = Stretch(12, 25, [[12, False], [15, True]])
CLIMBING = Stretch(None, None, [[None, 0.0, 0.0], [1_000_000, 0.0, 1.0], [5_000_000, 4.0, 0.0]])


def test_the_newest_revision_wins_where_it_speaks_and_the_older_one_goes_on_behind_it() -> None:
    assert fold(Kind.BOOL, [MIDDLE, WHOLE]) == [
        [None, False],
        [10, True],
        [12, False],
        [15, True],
        [25, False],
    ]


def test_told_twice_changes_nothing() -> None:
    assert fold(Kind.BOOL, [MIDDLE, MIDDLE, WHOLE, WHOLE]) == fold(Kind.BOOL, [MIDDLE, WHOLE])


def test_what_says_the_same_on_both_sides_of_a_seam_is_one_piece() -> None:
    assert fold(Kind.BOOL, [Stretch(12, 14, [[12, True]]), WHOLE]) == [[None, False], [10, True], [20, False]]
    same_line = Stretch(2_000_000, 3_000_000, [[2_000_000, 1.0, 1.0]])
    assert fold(Kind.NUMBER, [same_line, CLIMBING]) == CLIMBING.pieces


def test_a_window_begins_with_the_value_there() -> None:
    assert fold(Kind.BOOL, [WHOLE], 12, 30) == [[12, True], [20, False]]
    assert fold(Kind.NUMBER, [CLIMBING], 2_500_000, 5_000_001) == [
        [2_500_000, 1.5, 1.0],
        [5_000_000, 4.0, 0.0],
    ]
    assert fold(Kind.BOOL, [WHOLE], None, 10) == [[None, False]]
    assert fold(Kind.BOOL, [WHOLE], 10, 10) == []


def test_nothing_is_known_of_an_empty_log() -> None:
    assert fold(Kind.BOOL, []) == []
    assert fold(Kind.BOOL, [MIDDLE], 100, 200) == []


def test_no_more_of_the_log_is_read_than_it_takes() -> None:
    read = []

    def log() -> Iterator[Stretch]:
        for name, item in (("middle", MIDDLE), ("whole", WHOLE), ("older", WHOLE)):
            read.append(name)
            yield item

    fold(Kind.BOOL, log(), 13, 24)
    assert read == ["middle"]
    read.clear()
    fold(Kind.BOOL, log())
    assert read == ["middle", "whole"]
