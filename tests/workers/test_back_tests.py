"""A back-test finds what the publisher wrote and the sender told, of the same arrivals, to the last change."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from django.contrib.auth.models import User

from tests.depth import select_share
from tests.workers.arrival_histories import NODES, SECOND, STREAM, WITH_IDS, ArrivalHistory
from tests.workers.conftest import MakeNode
from timeline_app.algebra.names import reindex, unite_names
from timeline_app.algebra.revisions import diff
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled
from timeline_app.connectors.notifiers.webhook import WebhookNotifier
from timeline_app.evaluate.backtest.back_test import AlertRule, BackTest, compile_rule, run_back_test
from timeline_app.evaluate.backtest.clock import StreamArrivals
from timeline_app.evaluate.backtest.flapping import FlappingRule
from timeline_app.evaluate.backtest.incidents import STATES
from timeline_app.evaluate.backtest.landed import arrange_landed_rows, load_landed_rows
from timeline_app.evaluate.backtest.report import list_flapping, list_news
from timeline_app.evaluate.backtest.sending import CHANGES, send_messages
from timeline_app.evaluate.engine import evaluate
from timeline_app.feed.feed_rows import build_progress_row, build_rows, select_node_rows
from timeline_app.landing.log import Landing
from timeline_app.landing.request_body import read_batch
from timeline_app.web.alerts import outbox
from timeline_app.web.alerts.following import follow_plans, take_page
from timeline_app.web.models import Node, Plan, PlanNode, Query
from timeline_app.web.models.alerts import Alert, Incident, IncidentTransition
from timeline_app.web.models.channels import AlertChannel, AlertNotification, AlertRoute
from workers.engine import publisher

BATCHES = 25
History = dict[str, list[list[tuple[Any, ...]]]]
"""By key, of each incident the changes that somebody could see: step, state, start, end."""
News = list[tuple[int, str, str]]
"""What is told: step, key, change."""
Flaps = list[tuple[int, str, bool]]
"""At which step each key began to flap, or settled."""


@dataclass
class Live:
    """A node whose batches are published one by one, with an alert of each policy."""

    node: Node
    compiled: Compiled
    known: Timelines | None = None
    steps: list[int] = field(default_factory=list)
    news: dict[str, News] = field(default_factory=lambda: defaultdict(list))

    def publish(self, arrivals: StreamArrivals, step: int) -> None:
        """Publish what is known with a step, and tell it."""
        rows = np.flatnonzero(arrivals.batch <= step)
        table = replace(arrivals.table, table=arrivals.table.table.take(pa.array(rows)))
        now = evaluate(self.compiled, {"s": table}, {self.node.digest})[self.node.digest]
        before = now.take(np.empty(0, dtype=np.int64)) if self.known is None else self.known
        names = unite_names(before, now)
        revised = build_rows(diff(reindex(before, names, None), reindex(now, names, None)))
        self.known = now
        newest = int(table.table["time"].to_numpy().max())
        beats = [beat.until for beat in arrivals.heartbeats if beat.number <= step]
        reached = max([newest, *beats])
        mark = build_progress_row(
            "s", reached - table.declaration.allowed_lateness, newest, reached, events=1
        )
        feed = pa.concat_tables([select_node_rows(revised, 0), select_node_rows(mark)])
        publisher.publish(Query.objects.get(pk=self.node.query_id), step, feed)
        self.steps.append(max(Node.objects.get(pk=self.node.pk).as_of or 0, 0))
        for route in AlertRoute.objects.select_related("alert"):
            while outbox.make_message(route.pk, WebhookNotifier):
                pass
        self._read_news(step)

    def history(self, alert: Alert) -> History:
        """What the log of an alert says that somebody could see."""
        by_incident: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        keys = dict(Incident.objects.filter(alert=alert).values_list("pk", "key"))
        for transition in IncidentTransition.objects.filter(alert=alert).order_by("number"):
            if transition.state == Incident.State.PENDING:
                continue
            changes = by_incident[transition.incident_id]
            if not changes and transition.state == Incident.State.RETRACTED:
                continue
            seen = describe_visible(transition.state, transition.start, transition.end)
            if not changes or changes[-1][1:] != seen:
                changes.append((self.steps.index(transition.known_at), *seen))
        return group_by_key((keys[number], changes) for number, changes in by_incident.items())

    def flaps(self, alert: Alert) -> Flaps:
        """When keys began to flap and settled."""
        log = IncidentTransition.objects.filter(alert=alert, kind__in=("flapping", "settled"))
        rows = log.values_list("known_at", "incident__key", "kind")
        return sorted((self.steps.index(known_at), key, kind == "flapping") for known_at, key, kind in rows)

    def _read_news(self, step: int) -> None:
        for notification in AlertNotification.objects.select_related("route__alert").order_by("number"):
            for news in notification.body["news"]:
                self.news[notification.route.alert.policy].append((step, news["key"], news["change"]))
            notification.delete()


def describe_visible(state: str, start: int, end: int) -> tuple[Any, ...]:
    """What somebody can see of an incident: not where it ends as long as it has not."""
    if state == Incident.State.RETRACTED:
        return state, None, None
    return state, start, end if state == Incident.State.RESOLVED else None


def group_by_key(changes: Any) -> History:
    """By key, sorted, those that there are."""
    history: History = defaultdict(list)
    for key, change in changes:
        if change:
            history[key].append(change)
    return {key: sorted(history[key]) for key in sorted(history)}


def read_history(test: BackTest) -> History:
    by_incident: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    changes = test.changes
    for row, incident in enumerate(changes.incident.tolist()):
        seen = describe_visible(STATES[changes.state[row]], int(changes.start[row]), int(changes.end[row]))
        by_incident[incident].append((int(changes.step[row]), *seen))
    return group_by_key((test.names[changes.key[number]], rows) for number, rows in by_incident.items())


def read_news(test: BackTest, policy: str) -> News:
    """What is sent if each step is an instant, and nothing is collected."""
    clock = replace(test.clock, arrived=np.arange(test.clock.size))
    stepwise = replace(test, clock=clock)
    records = replace(list_news(stepwise, policy), known_at=np.zeros(len(test.changes.key), dtype=np.int64))
    sent = send_messages(records, list_flapping(stepwise), 0)
    keys = (test.names[test.changes.key[incident]] for incident in sent.incident)
    changes = (CHANGES[change] for change in sent.change)
    return sorted(zip(sent.at.tolist(), keys, changes, strict=True))


def list_flaps(test: BackTest) -> Flaps:
    flapping = test.flapping
    keys = (test.names[key] for key in flapping.key)
    return sorted(zip(flapping.step.tolist(), keys, flapping.flaps.tolist(), strict=True))


def start_alerts(node: Node) -> list[Alert]:
    plan = Plan.objects.create(name="ovens", owner=User.objects.get(), document={}, running=True)
    PlanNode.objects.create(plan=plan, node=node, name="hot")
    alerts = [
        Alert.objects.create(name=policy, owner=plan.owner, plan=plan, node_name="hot", policy=policy)
        for policy in Alert.Policy.values
    ]
    channel = AlertChannel.objects.create(name="hook", owner=plan.owner, kind="webhook")
    AlertRoute.objects.bulk_create([AlertRoute(alert=alert, channel=channel) for alert in alerts])
    follow_plans()
    while take_page() is not None:
        pass
    return alerts


def land_history(seed: int, data: Path) -> tuple[Compiled, str, StreamArrivals]:
    """A rule, and the arrivals of a stream as they stand in its landing."""
    random, number = Random(seed), seed % len(NODES)
    history = ArrivalHistory(random, time.time_ns() // 10**9 * SECOND - 600 * SECOND, with_ids=seed % 2 == 1)
    document = {
        "version": 1,
        "streams": {"s": WITH_IDS if history.with_ids else STREAM},
        "nodes": NODES[number],
    }
    compiled, digest = compile_rule(document, {}, AlertRule("of", history.rule(number)))
    declaration, landing = compiled.streams["s"], Landing(data, "s")
    for body, beat in history.batches(BATCHES):
        landing.append(read_batch(body, declaration))
        if beat is not None:
            landing.beat(beat)
    fields = compiled.programs[digest].fields["s"]
    rows, beats, is_whole = load_landed_rows(landing, declaration, fields, 10_000)
    assert is_whole
    arrivals = arrange_landed_rows(rows, declaration, fields, beats)
    return compiled, digest, arrivals


def run_live(
    seed: int, make_node: MakeNode, data: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Live, list[Alert], BackTest]:
    """A node with its alerts, published batch by batch, and the back-test of the same landing."""
    monkeypatch.setattr(outbox, "GROUP_WINDOW", timedelta(0))
    compiled, digest, arrivals = land_history(seed, data)
    live = Live(make_node(compiled.programs[digest]), compiled)
    alerts, rule = start_alerts(live.node), find_rule(seed)
    Alert.objects.update(flapping_starts=rule.max_starts, flapping_window_s=rule.window_s)
    for step in np.union1d(arrivals.batch, [beat.number for beat in arrivals.heartbeats]).tolist():
        live.publish(arrivals, step)
    return live, alerts, run_back_test(compiled, digest, {"s": arrivals}, flapping=find_rule(seed))


def find_rule(seed: int) -> FlappingRule:
    """A rule by which some keys flap; for some seeds none does."""
    return FlappingRule((1, 2, 1, 0)[seed % 4], (8, 15, 30)[seed % 3])


@pytest.mark.deep
@pytest.mark.parametrize("seed", select_share(range(240)))
def test_a_back_test_finds_what_the_publisher_wrote_and_the_sender_told(
    seed: int, make_node: MakeNode, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, alerts, test = run_live(seed, make_node, data, monkeypatch)
    assert test.resolution == 0
    assert read_history(test) == live.history(alerts[0]) == live.history(alerts[1])
    for policy in Alert.Policy.values:
        assert read_news(test, policy) == sorted(live.news[policy])
    assert list_flaps(test) == live.flaps(alerts[0]) == live.flaps(alerts[1])


def test_the_histories_take_every_turn(data: Path) -> None:
    """The random arrivals above make incidents that fire, end, are amended, begin again, are taken back and flap."""
    turns, retracted, amended, flaps = set[tuple[str, str]](), 0, 0, [0, 0]
    for seed in range(60):
        compiled, digest, arrivals = land_history(seed, data / str(seed))
        test = run_back_test(compiled, digest, {"s": arrivals}, flapping=find_rule(seed))
        changes = test.changes
        flaps = [
            before + many
            for before, many in zip(flaps, np.bincount(test.flapping.flaps, minlength=2), strict=True)
        ]
        state = np.array(STATES)[changes.state]
        same = changes.incident[1:] == changes.incident[:-1]
        turns |= set(zip(state[:-1][same].tolist(), state[1:][same].tolist(), strict=True))
        retracted += int((changes.state[changes.is_last] == STATES.index("retracted")).sum())
        amended += int((changes.corrected[1:] & same).sum())
    assert turns >= {
        ("firing", "resolved"), ("firing", "firing"), ("resolved", "resolved"), ("resolved", "firing"),
        ("firing", "retracted"), ("resolved", "retracted"),
    }  # fmt: skip
    assert min(flaps) >= 20, "keys begin to flap, and settle"
    assert retracted >= 10
    assert amended > 20
