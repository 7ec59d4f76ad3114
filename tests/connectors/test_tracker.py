"""A tracker lets claim what is left, in order, up to its limits."""

from __future__ import annotations

import pytest

from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.tracker import Tracker


def test_what_lies_behind_the_start_up_to_the_end_may_be_claimed() -> None:
    tracker = Tracker(3, 5)
    assert [tracker.try_claim(position) for position in (4, 5)] == [True, True]
    assert tracker.is_done
    assert not tracker.try_claim(6)
    assert (tracker.last, tracker.beyond) == (5, True)


def test_a_limit_counts_sizes_and_never_refuses_the_first() -> None:
    tracker = Tracker([0, 0], most=10)
    assert tracker.try_claim([1, 0], 25)
    assert not tracker.try_claim([1, 1])
    assert (tracker.last, tracker.progress, tracker.beyond) == ([1, 0], 25, False)


def test_claims_are_refused_after_a_while() -> None:
    now = [0.0]
    tracker = Tracker(0, seconds=2, clock=lambda: now[0])
    now[0] = 5
    assert tracker.try_claim(1)
    assert not tracker.try_claim(2)


def test_a_refusal_is_the_last_word() -> None:
    tracker = Tracker(0, 10, most=1)
    tracker.try_claim(4)
    assert not tracker.try_claim(5)
    with pytest.raises(BrokenSourcePromise, match="after a refusal"):
        tracker.try_claim(6)


def test_positions_ascend() -> None:
    tracker = Tracker(3)
    tracker.try_claim(4)
    with pytest.raises(BrokenSourcePromise, match="4 was claimed after 4"):
        tracker.try_claim(4)
