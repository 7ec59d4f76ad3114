"""Incidents are the true spans of their node, whatever comes late; their log tells each change once."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.workers.alert_histories import AlertHistory
from tests.workers.conftest import MakeNode, build_state, compile_programs
from timeline_app.evaluate.backtest.incident_matching import Span
from timeline_app.web.alerts.following import follow_plans, take_page
from timeline_app.web.alerts.spans import spans_of_points
from timeline_app.web.models import Node, Plan, PlanNode, Query
from timeline_app.web.models.alerts import Alert, Incident, IncidentTransition
from timeline_app.web.nodes.timelines import read_key_timeline
from workers.engine import publisher
from workers.engine.revision_writer import write_slice
from workers.engine.slices import FeedSlice

State, Kind = Incident.State, IncidentTransition.Kind
Spans = dict[str, list[Span]]
HOT = {
    "x": build_state("x"),
    "hot": {"op": "equal_to", "inputs": {"of": "x"}, "params": {"value": "1"}},
    "cold": {"op": "equal_to", "inputs": {"of": "x"}, "params": {"value": "2"}},
}


@pytest.fixture
def node(make_node: MakeNode) -> Node:
    """A node whose timelines are bools, which a plan runs under the name `hot`."""
    node = make_node(compile_programs(HOT)["hot"])
    plan = Plan.objects.create(name="ovens", owner=User.objects.get(), document={}, running=True)
    PlanNode.objects.create(plan=plan, node=node, name="hot")
    return node


def make_alert(**fields: Any) -> Alert:
    """An alert on the node `hot`."""
    return Alert.objects.create(
        name="too hot", owner=User.objects.get(), plan=Plan.objects.get(), node_name="hot", **fields
    )


def start_alerts() -> None:
    """All alerts follow their nodes, from the first key to the last."""
    follow_plans()
    while take_page() is not None:
        pass


def publish(node: Node, batch: int, rows: pa.Table) -> bool:
    """Publish a batch of the feed of a node."""
    return publisher.publish(Query.objects.get(pk=node.query_id), batch, rows)


def read_spans(alert: Alert) -> Spans:
    """The spans of the incidents by key."""
    spans: Spans = defaultdict(list)
    for incident in Incident.objects.filter(alert=alert).exclude(state=State.RETRACTED).order_by("start"):
        spans[incident.key].append((incident.start, incident.end))
    return dict(spans)


def list_expected_spans(history: AlertHistory) -> Spans:
    return {key: spans for key, spans in history.spans().items() if spans}


def assert_log_makes_incidents(alert: Alert) -> None:
    """Assert that the log has no gaps, and makes the incidents as they are."""
    log = list(IncidentTransition.objects.filter(alert=alert).order_by("number"))
    assert [row.number for row in log] == list(range(1, len(log) + 1))
    made = {row.incident_id: (row.state, row.start, row.end, row.known_at) for row in log}
    rows = Incident.objects.filter(alert=alert).values_list("pk", "state", "start", "end", "changed_at")
    assert made == {number: tuple(rest) for number, *rest in rows}


def assert_states(alert: Alert, now: int) -> None:
    """Assert that the states are those of the present."""
    for incident in Incident.objects.filter(alert=alert).exclude(state=State.RETRACTED):
        expected = (
            State.PENDING if incident.start > now else State.FIRING if incident.end > now else State.RESOLVED
        )
        assert incident.state == expected, (incident.start, incident.end, now)


@pytest.mark.parametrize("seed", range(12))
def test_incidents_are_the_spans_of_the_final_timeline_after_each_batch(node: Node, seed: int) -> None:
    history, alert = AlertHistory(Random(seed)), make_alert()
    start_alerts()
    for batch, rows in enumerate(history.batches(40)):
        publish(node, batch, rows)
        assert read_spans(alert) == list_expected_spans(history)
        assert_states(alert, history.now)
    alert.refresh_from_db()
    assert alert.transitions > 10
    assert_log_makes_incidents(alert)


def test_the_history_takes_every_turn(node: Node) -> None:
    """The random histories above begin, end, lengthen, split, join and take away spans."""
    history = AlertHistory(Random(1), keys=3)
    make_alert()
    start_alerts()
    for batch, rows in enumerate(history.batches(120)):
        publish(node, batch, rows)
    kinds = set(IncidentTransition.objects.values_list("kind", flat=True))
    assert kinds == set(Kind.values) - {Kind.SETTLED}, "the histories are shorter than the window"
    assert IncidentTransition.objects.exclude(joined=None).exists()


@pytest.mark.parametrize("seed", range(3))
def test_slices_of_a_batch_make_the_same_incidents(node: Node, seed: int) -> None:
    history, alert = AlertHistory(Random(seed), keys=6), make_alert()
    start_alerts()
    for batch, rows in enumerate(history.batches(25)):
        half = len(rows) // 2
        query, marks = Query.objects.get(pk=node.query_id), rows.slice(len(rows) - 1)
        if half == 0:
            publish(node, batch, rows)
            continue
        pieces = [(rows.slice(0, half), 0, False), (rows.slice(half), half, True)]
        if _is_cut_within_a_revision(rows, half):
            publish(node, batch, rows)
            continue
        for part, start, last in pieces:
            write_slice(query, FeedSlice(batch, part, start, last, marks, frozenset({0})))
        assert read_spans(alert) == list_expected_spans(history)
        assert_states(alert, history.now)
    assert_log_makes_incidents(alert)


def _is_cut_within_a_revision(rows: pa.Table, index: int) -> bool:
    keys = rows["key"].to_pylist()
    return bool(keys[index - 1] == keys[index])


@pytest.mark.parametrize("seed", range(4))
def test_an_alert_that_begins_later_takes_the_whole_timeline(node: Node, seed: int) -> None:
    history = AlertHistory(Random(seed))
    batches = list(enumerate(history.batches(15)))
    for batch, rows in batches:
        publish(node, batch, rows)
    alert = make_alert()
    start_alerts()
    assert read_spans(alert) == list_expected_spans(history)
    assert_states(alert, history.now)
    assert_log_makes_incidents(alert)


def test_keys_that_change_while_an_alert_begins_are_taken_once(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timeline_app.web.alerts.following.KEYS_PER_PAGE", 1)
    history = AlertHistory(Random(5), keys=8)
    batches = enumerate(history.batches(40))
    for _ in range(20):
        publish(node, *next(batches))
    alert = make_alert()
    follow_plans()
    for batch, rows in batches:
        take_page()
        publish(node, batch, rows)
    while take_page() is not None:
        pass
    assert read_spans(alert) == list_expected_spans(history)
    assert_log_makes_incidents(alert)


def test_a_rule_that_changes_keeps_the_incidents_that_overlap(node: Node, make_node: MakeNode) -> None:
    history, alert = AlertHistory(Random(2)), make_alert()
    start_alerts()
    for batch, rows in enumerate(history.batches(30)):
        publish(node, batch, rows)
    before = dict(Incident.objects.exclude(state=State.RETRACTED).values_list("pk", "digest"))
    owner = User.objects.get()
    program = compile_programs(HOT)["cold"]
    query = Query.objects.create(name=program.digest, program=program.to_document(), desired="running")
    other = Node.objects.create(
        digest=program.digest, query=query, operator=program.operator, kind="bool", owner=owner,
        program=query.program,
    )  # fmt: skip
    for steps in history.known.values():
        shifted = {time + 1: value for time, value in steps.items()}
        steps.clear()
        steps.update(shifted)
    repeated = AlertHistory(Random(0), keys=history.keys, now=history.now)
    PlanNode.objects.update(node=other)
    start_alerts()
    assert Alert.objects.get().node_id == node.pk, "the other node has not come as far yet"
    publish(other, 0, _build_whole_batch(repeated, history))
    start_alerts()
    assert read_spans(alert) == list_expected_spans(history)
    after = Incident.objects.exclude(state=State.RETRACTED).values_list("pk", "digest")
    assert {digest for _, digest in after} == {other.digest}
    assert {number for number, _ in after} & before.keys(), "incidents that overlap keep their numbers"
    assert_log_makes_incidents(alert)


def _build_whole_batch(empty: AlertHistory, history: AlertHistory) -> pa.Table:
    """All that a history knows, in one batch."""
    from timeline_app.algebra.revisions import diff
    from timeline_app.feed.feed_rows import build_progress_row, build_rows, select_node_rows

    revised = select_node_rows(build_rows(diff(empty.timelines(), history.timelines())), 0)
    mark = select_node_rows(build_progress_row("s", history.now, history.now, history.now))
    return pa.concat_tables([revised, mark])


def test_a_node_without_alerts_costs_one_look(node: Node) -> None:
    history = AlertHistory(Random(3))
    batches = enumerate(history.batches(10))
    publish(node, *next(batches))
    with CaptureQueriesContext(connection) as queries:
        publish(node, *next(batches))
    assert sum("web_alert" in query["sql"] for query in queries) == 1
    assert not any("web_incident" in query["sql"] for query in queries)


def test_a_fault_in_an_alert_does_not_keep_the_node_from_being_published(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, alert = AlertHistory(Random(4)), make_alert()
    start_alerts()
    batches = enumerate(history.batches(20))
    for _ in range(10):
        publish(node, *next(batches))

    def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    with monkeypatch.context() as broken:
        broken.setattr("workers.engine.alert_writer.write_incidents", fail)
        assert publish(node, *next(batches))
    for batch, rows in batches:
        publish(node, batch, rows)
    start_alerts()
    assert read_spans(alert) == list_expected_spans(history)
    assert_log_makes_incidents(alert)


def test_time_that_passes_begins_and_ends_incidents_without_a_revision(node: Node) -> None:
    history, alert = AlertHistory(Random(0), keys=1), make_alert()
    start_alerts()
    for batch, rows in enumerate(_build_passing_batches(history)):
        publish(node, batch, rows)
    kinds = list(IncidentTransition.objects.filter(alert=alert).values_list("kind", "state", "event_time"))
    assert kinds == [("begun", "pending", 10), ("firing", "firing", 25), ("resolved", "resolved", 40)]


def _build_passing_batches(history: AlertHistory) -> Any:
    from timeline_app.feed.feed_rows import build_progress_row, select_node_rows

    history.now = 10
    history.known["k0"] = {5: 0, 20: 2, 30: 0}
    yield _build_whole_batch(AlertHistory(Random(0), keys=1), history)
    for now in (15, 25, 29, 40):
        yield select_node_rows(build_progress_row("s", now, now, now))


def test_the_log_of_the_node_and_the_incidents_agree(node: Node) -> None:
    history, alert = AlertHistory(Random(9)), make_alert()
    start_alerts()
    for batch, rows in enumerate(history.batches(30)):
        publish(node, batch, rows)
    folded = {
        key: spans_of_points(timeline.points)
        for key in history.known
        if (timeline := read_key_timeline(node, key)) is not None
    }
    assert read_spans(alert) == {key: spans for key, spans in folded.items() if spans}


class Killed(BaseException):
    """The process dies at a statement."""


def _publish_dying(node: Node, batch: int, rows: pa.Table) -> int:
    """Publish a batch, dying at each statement once; at how many."""
    for index in range(1_000):
        left = index

        def die(execute: Any, *rest: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return execute(*rest)

        try:
            with connection.execute_wrapper(die):
                publish(node, batch, rows)
        except Killed:
            continue
        return index
    raise AssertionError("a batch takes too many statements")


@pytest.mark.parametrize("seed", range(2))
def test_a_publisher_killed_at_any_statement_loses_and_doubles_nothing(node: Node, seed: int) -> None:
    history, alert = AlertHistory(Random(seed)), make_alert()
    start_alerts()
    deaths = 0
    for batch, rows in enumerate(history.batches(20)):
        deaths += _publish_dying(node, batch, rows)
        assert read_spans(alert) == list_expected_spans(history)
    assert deaths > 200
    assert_log_makes_incidents(alert)
