"""What a sink is given, read from the revision log: everything once, whatever the pages and whatever is compacted."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.web.log import SECOND, T, make_node, revise
from timeline_app.algebra.kinds import OPEN
from timeline_app.connectors.spool import Spooled
from timeline_app.web.models import Node, NodeKey, Query
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.nodes.log_compaction import compact_log
from timeline_app.web.sinks import deliveries
from timeline_app.web.sinks.deliveries import DeliveredElsewhere, count_waiting, read_next_batch, record_step
from timeline_app.web.sinks.services import add_sink, describe_silence

Row = tuple[Any, ...]


@pytest.fixture
def node(ada: User) -> Node:
    return make_node(ada)


def create_sink(node: Node, delivers: str = "revisions") -> NodeSink:
    assert node.owner is not None
    return add_sink(
        node=node, user=node.owner, kind="parquet", delivers=delivers, options={"folder": "there"}
    )


def list_spooled(sink: NodeSink) -> list[Spooled]:
    """All that is to be delivered now."""
    items = []
    while (step := read_next_batch(sink)) is not None:
        items.append(step)
        record_step(sink, step)
    return items


def list_rows(sink: NodeSink) -> list[Row]:
    """Key, from, to (in microseconds after T) and value of all that is to be delivered now."""
    return [
        (row["key"], convert_to_micros(row["valid_from"]), convert_to_micros(row["valid_to"]), row["value"])
        for step in list_spooled(sink)
        for row in step.rows.to_pylist()
    ]


def convert_to_micros(moment: Any) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1e6) - T


def finalize_node(node: Node, final: int) -> None:
    """The node says that all is final until then."""
    node.version += 1
    node.as_of = T + node.version
    node.final_until = final
    node.save()


def test_every_revision_is_told_once_with_when_it_became_known(node: Node) -> None:
    sink = create_sink(node)
    assert read_next_batch(sink) is None
    revise(node, "a", [[None, False], [T, True]])
    revise(node, "b", [[None, None]])
    document = [row for step in list_spooled(sink) for row in step.rows.to_pylist()]
    assert {(row["key"], convert_to_micros(row["known_at"])) for row in document} == {("a", 0), ("b", 1)}
    revise(node, "a", [[T + 5, False]], start=T + 5)
    assert count_waiting(sink) == 1
    assert list_rows(sink) == [("a", 5, None, False)]
    assert list_rows(sink) == []
    sink.refresh_from_db()
    assert (sink.rows, sink.known_at, count_waiting(sink)) == (4, T + 2, 0)


@pytest.mark.parametrize(
    ("keys", "points", "few"), [(500, 50_000, 5_000), (1, 2, 5_000), (2, 3, 0), (3, 1, 0)]
)
def test_pages_of_any_size_tell_the_same(
    node: Node, monkeypatch: pytest.MonkeyPatch, keys: int, points: int, few: int
) -> None:
    for name, value in (
        ("MAX_KEYS_PER_BATCH", keys),
        ("MAX_POINTS_PER_BATCH", points),
        ("MAX_KEYS_TO_SORT", few),
        ("MAX_VERSIONS_PER_READ", keys % 2 * 10),
    ):
        monkeypatch.setattr(deliveries, name, value)
    sink, expected = create_sink(node), set()
    for round_ in range(3):
        for number in range(5):
            for more in range(round_ + 1):
                at = 100 * round_ + 10 * more + number
                revise(
                    node, f"k{number}", [[T + at, True], [T + at + 5, False]], start=T + at, end=T + at + 9
                )
                expected |= {(f"k{number}", at, at + 5, True), (f"k{number}", at + 5, at + 9, False)}
        answer = list_rows(sink)
        assert len(answer) == len(set(answer))
        assert set(answer) == expected
        expected = set()


def test_what_is_compacted_between_two_pages_is_not_lost(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "MAX_POINTS_PER_BATCH", 7)
    sink = create_sink(node)
    for at in range(40):
        whole = at == 0
        revise(node, "a", [[None if whole else T + at, bool(at % 2)]], start=None if whole else T + at)
    items = []
    while (step := read_next_batch(sink)) is not None:
        items += step.rows.to_pylist()
        record_step(sink, step)
        if len(items) == 14:
            assert compact_log(now=T + 30 + 10**15)
    known_so_far: dict[int, Any] = {}
    for row in items:
        start, end = convert_to_micros(row["valid_from"]), convert_to_micros(row["valid_to"])
        for at in range(40):
            if (start is None or start <= at) and (end is None or at < end):
                known_so_far[at] = row["value"]
    assert known_so_far == {at: bool(at % 2) for at in range(40)}


def test_a_span_is_told_once_when_it_is_final(node: Node) -> None:
    sink = create_sink(node, "final")
    revise(node, "a", [[None, False], [T - 5, True], [T + 3, False], [T + 9, True]])
    assert list_rows(sink) == [("a", None, -5, False)]
    finalize_node(node, T + 3)  # what changes at that instant may still be corrected
    assert list_rows(sink) == []
    finalize_node(node, T + 4)
    assert list_rows(sink) == [("a", -5, 3, True)]
    revise(node, "a", [[T + 6, True]], start=T + 6, end=T + 9)
    finalize_node(node, T + 100)
    assert list_rows(sink) == [("a", 3, 6, False)]
    finalize_node(node, T + 200)
    assert list_rows(sink) == []


def test_a_change_that_was_told_long_before_is_final_in_its_time(node: Node) -> None:
    sink = create_sink(node, "final")
    revise(node, "a", [[None, False], [T - 1, True], [T + 5 * SECOND, False]])
    assert list_rows(sink) == [("a", None, -1, False)]
    for at in range(1, 5):
        revise(node, "b", [[None, False], [T + 10 * SECOND, True]])
        finalize_node(node, T + at * SECOND)
        assert list_rows(sink) == []
    finalize_node(node, T + 6 * SECOND)
    assert list_rows(sink) == [("a", -1, 5 * SECOND, True)]


def test_what_is_corrected_after_it_was_final_is_not_told_again_and_leaves_no_gap(node: Node) -> None:
    sink = create_sink(node, "final")
    revise(node, "a", [[None, False], [T, True], [T + 10, False]])
    finalize_node(node, T + 20)
    answer = list_rows(sink)
    revise(node, "a", [[T + 5, None], [T + 12, False]], start=T + 5)
    revise(node, "a", [[T + 30, True]], start=T + 30)
    finalize_node(node, T + 40)
    answer += list_rows(sink)
    assert answer == [
        ("a", None, 0, False), ("a", 0, 10, True), ("a", 10, 12, None), ("a", 12, 30, False),
    ]  # fmt: skip
    sink.refresh_from_db()
    assert sink.corrected == 1
    assert sink.final_until == T + 40


@pytest.mark.parametrize(("keys", "points"), [(500, 50_000), (2, 3), (1, 1)])
def test_what_is_final_tiles_time_whatever_the_pages(
    node: Node, monkeypatch: pytest.MonkeyPatch, keys: int, points: int
) -> None:
    for name, value in (
        ("MAX_KEYS_PER_BATCH", keys),
        ("MAX_POINTS_PER_BATCH", points),
        ("MAX_VERSIONS_PER_READ", 0),
    ):
        monkeypatch.setattr(deliveries, name, value)
    sink, items = create_sink(node, "final"), []
    for round_ in range(6):
        for number in range(5):
            at = T + 10 * round_ + number
            whole = round_ == 0
            pieces = [[None, None]] if whole else []
            revise(
                node,
                f"k{number}",
                [*pieces, [at, bool(round_ % 2)], [at + 5, None]],
                start=None if whole else at,
            )
        finalize_node(node, T + 10 * round_)
        items += list_rows(sink)
    finalize_node(node, T + 10**6)
    items += list_rows(sink)
    for number in range(5):
        mine = [row[1:3] for row in items if row[0] == f"k{number}"]
        assert mine[0][0] is None
        assert [end for _, end in mine[:-1]] == [start for start, _ in mine[1:]]
        assert mine[-1][1] == 55 + number


def test_two_that_deliver_the_same_write_it_down_once(node: Node) -> None:
    sink = create_sink(node)
    revise(node, "a", [[None, True]])
    right = NodeSink.objects.get(pk=sink.pk)
    left, two = read_next_batch(sink), read_next_batch(right)
    assert left is not None
    assert two is not None
    record_step(sink, left)
    with pytest.raises(DeliveredElsewhere):
        record_step(right, two)
    assert NodeSink.objects.get(pk=sink.pk).rows == 1


def test_a_number_that_climbs_is_told_with_its_slope(ada: User) -> None:
    node = make_node(ada, kind="number", operator="duration_where")
    sink = create_sink(node)
    revise(node, "a", [[None, 0.0, 0.0], [T, 0.0, 1.0], [T + 3 * SECOND, 3.0, 0.0]])
    [step] = list_spooled(sink)
    items = [
        (row["value"], row["slope"], convert_to_micros(row["valid_to"])) for row in step.rows.to_pylist()
    ]
    assert items == [(0.0, 0.0, 0), (0.0, 1.0, 3 * SECOND), (3.0, 0.0, None)]


def test_times_that_no_calendar_knows_are_open(ada: User) -> None:
    node = make_node(ada)
    sink = create_sink(node)
    revise(node, "a", [[None, None], [-(10**17), True], [3 * 10**17, False]])
    assert list_rows(sink) == [("a", None, None, True)]
    assert OPEN > 3 * 10**17


def test_what_was_folded_while_the_target_was_away_is_not_told_as_final_before_it_is_whole(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass is open, its next key is revised again, and both revisions become one: what was known then is gone."""
    monkeypatch.setattr(deliveries, "MAX_KEYS_PER_BATCH", 1)
    sink = create_sink(node, "final")
    keys = sorted("abc", key=NodeKey.digest_of)
    for key in keys:
        revise(node, key, [[None, False], [T + 5, True]])
    finalize_node(node, T + 1)
    assert list_rows(sink) == []
    for key in keys:
        revise(node, key, [[T + 2, None]], start=T + 2, end=T + 4)
    finalize_node(node, T + 10)
    step = read_next_batch(sink)
    assert step is not None
    record_step(sink, step)
    for key in keys:
        revise(node, key, [[T + 30, False]], start=T + 30)
    assert compact_log(now=T + 10**15)
    node.refresh_from_db()
    finalize_node(node, T + 40)
    items = [
        (row["key"], convert_to_micros(row["valid_from"]), convert_to_micros(row["valid_to"]), row["value"])
        for row in step.rows.to_pylist()
    ]
    items += list_rows(sink)
    whole = [(None, 2, False), (2, 4, None), (4, 5, False), (5, 30, True)]
    assert sorted(items, key=str) == sorted([(key, *row) for key in keys for row in whole], key=str)


@pytest.mark.django_db
def test_a_node_that_does_not_run_says_why(node: Node) -> None:
    Query.objects.filter(nodes=node).update(observed="failed", words="failed: no room")
    assert describe_silence(node) == "failed: no room"
    Query.objects.filter(nodes=node).update(observed="running", words="running")
    assert describe_silence(node) == ""
