"""A compacted log gives the answers of the whole one, for now and for every instant that it still answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from tests.web.log import make_node
from tests.web.revising import RevisedNode, Said
from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.algebra.thin import compute_buckets, thin_by_buckets
from timeline_app.web.core.errors import Invalid
from timeline_app.web.models import Node, NodeKey, Query, Revision
from timeline_app.web.nodes import log_compaction, log_pages, revision_log
from timeline_app.web.nodes.timelines import (
    load_key_log_at,
    load_revisions_since,
    read_chart,
    read_key_timeline,
)

pytestmark = pytest.mark.deep

SECOND = 1_000_000
WINDOW = 60 * SECOND
T = 1_700_000_000 * SECOND
KEYS = ("a", "é", "z")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """So small that few revisions need several tiles, transactions and passes."""
    settings.LOG_WINDOW = WINDOW
    monkeypatch.setattr(revision_log, "MAX_PIECES_PER_ROW", 3)
    monkeypatch.setattr(log_compaction, "MIN_OLD_REVISIONS", 3)
    monkeypatch.setattr(log_compaction, "MAX_REVISIONS_PER_TRANSACTION", 4)
    monkeypatch.setattr(log_pages, "MAX_ROWS_PER_WINDOW", 2)
    monkeypatch.setattr(log_pages, "MAX_ROWS_PER_QUERY", 2)
    monkeypatch.setattr(log_pages, "MAX_POINTS_PER_THINNING", 2)


VALUES = {
    Kind.BOOL: st.sampled_from([True, False, None]),
    Kind.TEXT: st.sampled_from(["play", "buffer", None]),
    Kind.NUMBER: st.one_of(st.none(), st.integers(-(10**9), 10**9).map(lambda n: n / SECOND)),
}


@st.composite
def draw_pieces(draw: st.DrawFn, kind: Kind, start: int | None, end: int | None) -> list[Point]:
    """Pieces in normal form from a start to an end."""
    low, high = (0 if start is None else start + 1), (100 if end is None else end - 1)
    later = draw(st.lists(st.integers(low, high), unique=True, max_size=6)) if low <= high else []
    points: list[Point] = []
    for time in (start, *sorted(later)):
        value = draw(VALUES[kind].filter(lambda item: not points or item != points[-1][1]))
        slope = [draw(st.sampled_from([0.0, 1.0]))] if kind is Kind.NUMBER else []
        if kind is Kind.NUMBER and (value is None or time is None):
            slope = [0.0]
        if not points or value != points[-1][1]:
            points.append([time, value, *slope])
    return points


@st.composite
def draw_revisions(draw: st.DrawFn, kind: Kind, first: bool, key: str) -> Said:
    """A revision of a key; the first of a key says everything."""
    bounds = draw(st.lists(st.integers(0, 100), min_size=2, max_size=2, unique=True).map(sorted))
    start = None if first or draw(st.booleans()) else bounds[0]
    end = None if first or draw(st.booleans()) else bounds[1]
    birth = OPEN if not first and draw(st.integers(0, 9)) == 0 else draw(st.integers(0, 100))
    return key, birth, start, end, draw(draw_pieces(kind, start, end))


def draw_ranges() -> st.SearchStrategy[tuple[int | None, int | None]]:
    two = st.lists(st.integers(-5, 105), min_size=2, max_size=2, unique=True).map(sorted)
    return st.tuples(two, st.booleans(), st.booleans()).map(
        lambda drawn: (drawn[0][0] if drawn[1] else None, drawn[0][1] if drawn[2] else None)
    )


def clear_log(user: User, kind: Kind) -> RevisedNode:
    """A log in which nothing was said."""
    for model in (Revision, NodeKey, Node, Query):
        model.objects.all().delete()
    return RevisedNode(make_node(user, kind=kind.value))


@given(data=st.data(), kind=st.sampled_from(list(VALUES)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_compaction_changes_no_answer(ada: User, data: st.DataObject, kind: Kind) -> None:
    answer, now = clear_log(ada, kind), T
    for _ in range(data.draw(st.integers(1, 15))):
        now += data.draw(st.sampled_from([1, SECOND, 20 * SECOND, 2 * WINDOW]))
        if answer.said and data.draw(st.integers(0, 3)) == 0:
            log_compaction.compact_log(now=now, seconds=data.draw(st.sampled_from([0.0, 60.0])))
        else:
            keys = data.draw(st.lists(st.sampled_from(KEYS), min_size=1, unique=True))
            answer.say(
                now, *(data.draw(draw_revisions(kind, key not in answer.names(), key)) for key in keys)
            )
    assert_equal_to_whole_log(answer, now, data.draw(st.lists(draw_ranges(), min_size=1, max_size=3)))
    log_compaction.compact_log(now=now + 2 * WINDOW, seconds=60.0)
    assert_equal_to_whole_log(answer, now, [(None, None)])
    assert Revision.objects.filter(folded=False).count() == 0


def assert_equal_to_whole_log(
    document: RevisedNode, now: int, stretches: list[tuple[int | None, int | None]]
) -> None:
    """What is known now, and what was known at every instant that matters, is what the whole log says."""
    node = Node.objects.get(pk=document.node.pk)
    instants = {then + near for then, _ in document.said for near in (-1, 0, 1)}
    instants |= {node.known_from or now, now, now + 10 * WINDOW}
    for known_at in sorted(instants):
        for key in document.names():
            if node.known_from is not None and known_at < node.known_from:
                with pytest.raises(Invalid, match=str(node.known_from)):
                    read_key_timeline(node, key, known_at=known_at)
                continue
            for start, end in stretches:
                result = read_key_timeline(node, key, start=start, end=end, known_at=known_at)
                expected = document.points(key, known_at, start, end)
                assert (result and result.points) == expected, (key, known_at - T, start, end)
                if expected is not None:
                    assert_equal_in_portions(document, key, known_at, (start, end), expected)
    for key in document.names():
        result = read_key_timeline(node, key)
        assert (result and result.points) == document.points(key, now)
        for known_at in sorted(instants):
            assert catch_up(document, key, known_at) == document.points(key, now)


def assert_equal_in_portions(
    document: RevisedNode,
    key: str,
    known_at: int,
    stretch: tuple[int | None, int | None],
    expected: list[Point],
) -> None:
    """Page after page, from the end, and thinned as it is read: the same as the whole."""
    start, end = stretch
    pages: list[Point] = []
    at: int | None = start
    while page := read_key_timeline(document.node, key, start=at, end=end, known_at=known_at, limit=2):
        pages += page.points
        if (at := page.next) is None:
            break
    assert pages == expected, (key, known_at - T, stretch)
    with_log = load_key_log_at(document.node, key, known_at=known_at)
    assert with_log is not None
    low, high = BEGINNING if start is None else start, OPEN if end is None else end
    latest, beyond = with_log.log.read_latest(low, high, 2)
    assert (latest, beyond) == (expected[-2:], expected[-2][0] if len(expected) > 2 else None)
    points, left_out, _ = read_chart(with_log.log, start, end, 3)
    kind = Kind(document.node.kind)
    assert (points, left_out) == thin_by_buckets(kind, expected, compute_buckets(expected, 3, start, end))


def catch_up(document: RevisedNode, key: str, known_at: int) -> list[Point] | None:
    """The timeline of somebody who knew the log up to an instant and then read what is newer."""
    news = [
        Stretch(item["start"], item["end"], item["pieces"])
        for item in load_revisions_since([(document.node, key, known_at)])[0]
    ]
    before = [
        Stretch(*item[2:]) for then, item in reversed(document.said) if item[0] == key and then <= known_at
    ]
    newest = [item for _, item in document.said if item[0] == key][-1]
    return None if newest[1] == OPEN else fold(Kind(document.node.kind), [*reversed(news), *before])


def build_whole(key: str, *pieces: list[Any]) -> Said:
    return key, 0, None, None, [[None, False], *pieces]


def build_since(key: str, start: int, value: bool) -> Said:
    return key, 0, start, None, [[start, value]]


def test_a_long_chain_becomes_a_few_rows_and_later_passes_leave_most_of_them(ada: User) -> None:
    document = RevisedNode(make_node(ada))
    document.say(T, build_whole("a"))
    for step in range(1, 40):
        document.say(T + step, build_since("a", step, step % 2 == 1))
    assert log_compaction.compact_log(now=T + WINDOW + 39, seconds=60.0) == 40
    tiles = set(Revision.objects.values_list("pk", "start", "end"))
    assert len(tiles) == 14, "40 points, three in a row"
    for step in range(40, 44):
        document.say(T + step, build_since("a", step, step % 2 == 1))
    assert log_compaction.compact_log(now=T + WINDOW + 43, seconds=60.0) == 4
    assert len(tiles & set(Revision.objects.values_list("pk", "start", "end"))) == 13
    assert_equal_to_whole_log(document, T + 43, [(None, None), (5, 9)])


def test_what_newer_revisions_wholly_overwrite_goes(ada: User) -> None:
    document = RevisedNode(make_node(ada))
    for step in range(10):
        document.say(T + step, build_whole("a", [step, True]))
    log_compaction.compact_log(now=T + WINDOW + 9, seconds=60.0)
    assert list(Revision.objects.values_list("version", "known_at", "pieces")) == [
        (9, T + 9, [[None, False], [9, True]])
    ]


def test_what_is_younger_than_the_window_stays(ada: User) -> None:
    document = RevisedNode(make_node(ada))
    for step in range(10):
        document.say(T + step, build_whole("a", [step, True]))
    assert log_compaction.compact_log(now=T + WINDOW - 1, seconds=60.0) == 0
    assert Node.objects.get().known_from is None, "every instant still has its answer"
    assert log_compaction.compact_log(now=T + WINDOW + 6, seconds=60.0) == 7
    assert Revision.objects.count() == 4
    assert Node.objects.get().known_from == T + 6


def test_few_old_revisions_of_a_busy_key_wait_for_more(ada: User) -> None:
    document = RevisedNode(make_node(ada))
    for known_at in (T, T + 1, T + 2 * WINDOW):
        document.say(known_at, build_whole("a", [known_at, True]))
    assert log_compaction.compact_log(now=T + 2 * WINDOW, seconds=60.0) == 0
    assert log_compaction.compact_log(now=T + 3 * WINDOW, seconds=60.0) == 3


def test_a_second_pass_over_the_same_finds_nothing(ada: User) -> None:
    document = RevisedNode(make_node(ada))
    document.say(T, build_whole("a"), build_whole("b", [5, True]))
    assert log_compaction.compact_log(now=T + 2 * WINDOW, seconds=60.0) == 2
    rows = list(Revision.objects.values_list("pk", flat=True))
    assert log_compaction.compact_log(now=T + 4 * WINDOW, seconds=60.0) == 0
    assert list(Revision.objects.values_list("pk", flat=True)) == rows


def test_a_pass_that_was_interrupted_is_gone_on_with(ada: User) -> None:
    document = RevisedNode(make_node(ada))
    for step in range(20):
        document.say(T + step, build_whole("a", [step, True]), build_whole("b", [step, True]))
    steps = log_compaction._compact_in_steps(document.node, T + 19, float("inf"))
    assert next(steps) == 4
    steps.close()
    assert_equal_to_whole_log(document, T + 19, [(None, None)])
    assert log_compaction.compact_log(now=T + WINDOW + 19, seconds=60.0) == 36
    assert_equal_to_whole_log(document, T + 19, [(None, None)])


def test_a_log_that_does_not_begin_with_everything_is_left_alone(ada: User) -> None:
    document = RevisedNode(make_node(ada))
    for step in range(5):
        document.say(T + step, build_since("a", step, step % 2 == 1))
    assert log_compaction.compact_log(now=T + 2 * WINDOW, seconds=60.0) == 0
    assert Revision.objects.count() == 5
