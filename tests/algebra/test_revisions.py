"""What changed, applied to what was, is what is now; and the log folds to any answer there ever was."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tests.algebra.logs import Delivered, align_both, compute_prefixes, is_same, list_points
from tests.evaluate.running import list_inexact
from tests.strategies import Plan, cases, cuts
from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import OPEN
from timeline_app.algebra.revisions import apply, diff
from timeline_app.algebra.timelines import Timelines
from timeline_app.testing.points import close, iterate_stretches, read_logged_points


@st.composite
def draw_histories(draw: st.DrawFn) -> tuple[Plan, Delivered, list[int]]:
    """A plan, its events in some order of arrival over all streams, and the batches in which they arrive."""
    plan, events = draw(cases())
    together = [(stream, item) for stream, items in events.items() for item in items]
    return plan, draw(st.permutations(together)), draw(cuts(len(together)))


def assert_normal(item: Timelines) -> None:
    """Change points strictly increase from since ever, and no two neighbours say the same."""
    for index in range(item.size):
        answer = list(item.points(index))
        assert answer[0][0] is None
        times = [time for time, _, _ in answer[1:] if time is not None]
        assert len(times) == len(answer) - 1
        assert times == sorted(set(times))
        for (_, value, slope), (_, following, its_slope) in pairwise(answer):
            assert (value, slope) != (following, its_slope) or slope != 0.0


@pytest.mark.deep
@given(draw_histories())
def test_what_changed_applied_to_the_old_is_the_new(history: tuple[Plan, Delivered, list[int]]) -> None:
    plan, delivered, places = history
    states, rounded = compute_prefixes(plan, delivered, places), list_inexact(plan)
    for before, after in pairwise(states):
        for name in plan["nodes"]:
            old, new = align_both(before[name], after[name])
            changes = diff(old, new)
            key = np.searchsorted(new.names, changes.names)
            once = apply(old, changes, key)
            twice = apply(once, changes, key)
            event("a change" if changes.size else "no change")
            event("a change in the middle" if (changes.end < OPEN).any() else "none in the middle")
            assert_normal(once)
            if name in rounded:
                assert all(
                    _is_near(once, new, index) and _is_near(twice, new, index) for index in range(new.size)
                )
            else:
                assert is_same(once, new)
                assert is_same(twice, new)


def _is_near(left: Timelines, right: Timelines, index: int) -> bool:
    return close(read_logged_points(list_points(left, index)), read_logged_points(list_points(right, index)))


@pytest.mark.deep
@given(draw_histories(), st.data())
def test_the_log_folds_to_every_answer_there_ever_was(
    history: tuple[Plan, Delivered, list[int]], data: st.DataObject
) -> None:
    plan, delivered, places = history
    states, rounded = compute_prefixes(plan, delivered, places), list_inexact(plan)
    for name in plan["nodes"]:
        logs: dict[str, list[Stretch]] = {}
        for before, after in pairwise(states):
            for key, exists, item in iterate_stretches(diff(*align_both(before[name], after[name]))):
                logs.setdefault(key, []).append(item)
                event("a key went away" if not exists else "a key is there")
            for index, key in enumerate(after[name].names):
                folded = fold(after[name].kind, reversed(logs[str(key)]))
                now = list_points(after[name], index)
                assert (
                    close(read_logged_points(folded), read_logged_points(now))
                    if name in rounded
                    else folded == now
                )
    final = states[-1]
    name = data.draw(st.sampled_from(list(plan["nodes"])))
    if final[name].size:
        index = data.draw(st.integers(0, final[name].size - 1))
        _check_window(final[name], index, list_stretches(states, name, str(final[name].names[index])), data)


def list_stretches(states: list[dict[str, Timelines]], name: str, key: str) -> list[Stretch]:
    changes = [diff(*align_both(before[name], after[name])) for before, after in pairwise(states)]
    return [document for item in changes for own, _, document in iterate_stretches(item) if own == key]


def _check_window(item: Timelines, index: int, log: list[Stretch], data: st.DataObject) -> None:
    times = [time for time, _, _ in item.points(index) if time is not None] or [0]
    some = st.sampled_from(times).flatmap(
        lambda time: st.sampled_from([time - 1, time, time + 1, time + 250_000])
    )
    start, end = sorted((data.draw(some), data.draw(some)))
    window = fold(item.kind, reversed(log), start, end)
    if start == end:
        assert window == []
        return
    whole = fold(item.kind, reversed(log))
    assert window[0][0] == start
    inside = [time for time in map(_time, whole) if time is not None and start < time < end]
    assert [_time(point) for point in window[1:]] == inside
    for probe in {start, end - 1, *(time for time in times if start <= time < end)}:
        assert _read_value(window, probe) == _build_approx(_read_value(whole, probe))


def _read_value(points: list[Point], time: int) -> Any:
    """The value at a time; of a ratio, numerator and denominator."""
    since, *lines = [point for point in points if point[0] is None or int(point[0]) <= time][-1]
    pairs = list(zip(lines[::2], [*lines[1::2], 0.0], strict=False))
    if since is None or lines[0] is None or len(lines) == 1:
        return [value for value, _ in pairs]
    return [value + slope * (time - int(since)) / 1e6 for value, slope in pairs]


def _time(point: Point) -> int | None:
    return None if point[0] is None else int(point[0])


def _build_approx(values: list[Any]) -> Any:
    floats = all(isinstance(value, float) for value in values)
    return pytest.approx(values, rel=1e-9, abs=1e-9) if floats else values
