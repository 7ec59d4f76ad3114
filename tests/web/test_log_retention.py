"""Results of long ago are removed; what is said of later times, and late events, are as they were."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from tests.web.log import SECOND, T, make_node, revise
from timeline_app.web.models import Node, Revision
from timeline_app.web.nodes import log_compaction, revision_log
from timeline_app.web.nodes.log_retention import remove_old_results
from timeline_app.web.nodes.timelines import read_key_timeline

LATER = T + 3_600 * SECOND
KEPT = 100 * SECOND


@pytest.fixture
def node(ada: User, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Node:
    """Of two keys, a change every ten seconds."""
    settings.RESULT_RETENTION_MICROS, settings.LOG_WINDOW = KEPT, SECOND
    monkeypatch.setattr(revision_log, "MAX_PIECES_PER_ROW", 3)
    monkeypatch.setattr(log_compaction, "MIN_OLD_REVISIONS", 2)
    new_node = make_node(ada)
    for key in ("a", "b"):
        revise(new_node, key, [[None, False]])
        add_changes(new_node, key, 0, 60)
    return new_node


def add_changes(node: Node, key: str, start: int, end: int) -> None:
    for step in range(start, end):
        at = T + 10 * step * SECOND
        revise(node, key, [[at, step % 2 == 0]], start=at)
    Node.objects.filter(pk=node.pk).update(newest=T + 10 * end * SECOND)


def run_job() -> int:
    log_compaction.compact_log(now=LATER, seconds=60.0)
    return remove_old_results(now=LATER)


def read_points(node: Node, key: str) -> list[list[Any]]:
    timeline = read_key_timeline(Node.objects.get(pk=node.pk), key)
    assert timeline is not None
    return [list(point) for point in timeline.points]


def test_what_lies_far_back_is_unknown_and_later_values_stay(node: Node) -> None:
    before = read_points(node, "a")
    assert run_job() > 20
    after = read_points(node, "a")
    limit = T + 600 * SECOND - KEPT
    assert after[0] == [None, None]
    assert [point for point in after if point[0] is not None and point[0] >= limit] == [
        point for point in before if point[0] is not None and point[0] >= limit
    ]
    assert len(after) < len(before) / 2
    assert Node.objects.get(pk=node.pk).results_from == limit


def test_rows_are_bounded_however_long_it_runs(node: Node) -> None:
    counts = []
    for turn in range(6):
        for key in ("a", "b"):
            add_changes(node, key, 60 + 20 * turn, 80 + 20 * turn)
        run_job()
        counts.append(Revision.objects.count())
    assert max(counts) <= counts[0] + 4, counts


def test_a_late_event_of_a_time_that_was_removed_counts(node: Node) -> None:
    run_job()
    at = T + 15 * SECOND
    revise(node, "a", [[at, True]], start=at, end=at + SECOND)
    Node.objects.filter(pk=node.pk).update(newest=T + 600 * SECOND)
    run_job()
    assert [at, True] in read_points(node, "a")
    assert [at + SECOND, None] in read_points(node, "a")


def test_what_was_done_is_not_done_again(node: Node) -> None:
    run_job()
    assert remove_old_results(now=LATER) == 0
    assert remove_old_results(now=LATER + KEPT) == 0


def test_what_is_not_that_old_stays(node: Node, settings: Settings) -> None:
    settings.RESULT_RETENTION_MICROS = 86_400 * SECOND
    before = read_points(node, "a")
    assert run_job() == 0
    assert read_points(node, "a") == before
