"""The publisher and the delivery are killed at random while an alert fires: every message arrives, none comes twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.connectors.receiver import Receiver
from timeline_app.settings import ROOT
from workers.stack import Stack, health

pytestmark = [pytest.mark.stack, pytest.mark.long]
SECRET = "a secret of tests"
SECOND = 1_000_000
KILLED = ("publisher", "delivery")
KILLS, KEYS, ROUND_S, HELD_S = 24, 12, 20, 10
TIMEOUT_S = 600.0
OPEN = 2**63 - 1
BEGIN = """
from django.contrib.auth.models import User
from timeline_app.web.people.token_services import create_token
print(create_token(user=User.objects.create_superuser("ada"), name="t", scopes=["admin"])[1])
"""
READ = """
import json
from timeline_app.web.models.alerts import Alert, Incident, IncidentTransition
from timeline_app.web.models.channels import AlertNotification, AlertRoute, RoutedIncident
route = AlertRoute.objects.get()
print(json.dumps({
    "incidents": list(Incident.objects.values("pk", "key", "start", "end", "state", "fired")),
    "log": list(IncidentTransition.objects.order_by("number").values_list(
        "number", "incident", "state", "start", "end")),
    "messages": [[f"{route.identity}-{one.number}", one.number, one.sent_at is not None, one.given_up, one.body["news"]]
                 for one in AlertNotification.objects.order_by("number")],
    "unread": Alert.objects.get().transitions - route.read_until,
    "due": RoutedIncident.objects.filter(due=True).count(),
}))
"""


@dataclass
class Ovens:
    """Temperatures of some ovens, of which some come late."""

    client: httpx.Client
    random: random.Random = field(default_factory=lambda: random.Random(7))
    now: int = field(default_factory=lambda: time.time_ns() // 1000 - 3300 * SECOND)
    known: dict[str, dict[int, int]] = field(default_factory=dict)

    def push(self, *, last: bool = False, late: tuple[str, int, int] | None = None) -> None:
        """All ovens say something new; with an event that comes late."""
        self.now += ROUND_S * SECOND
        rows = [
            (f"oven-{number}", self.now, 20 if last else self.random.choice((20, 20, 90)))
            for number in range(KEYS)
        ]
        rows += [late] if late else []
        for key, at, value in rows:
            self.known.setdefault(key, {})[at] = value
        lines = "\n".join(json.dumps({"oven": key, "t": at, "temperature": value}) for key, at, value in rows)
        self.client.post("streams/oven/events/", content=lines).raise_for_status()

    def find_late(self) -> tuple[str, int, int] | None:
        """Return an event that takes away a whole span of an oven that was hot for one round."""
        rounds = [
            (key, first, 20)
            for key, steps in self.known.items()
            for first, second in zip(sorted(steps), sorted(steps)[1:], strict=False)
            if steps[first] == 90 and steps[second] == 20 and second - first == ROUND_S * SECOND
        ]
        if not rounds:
            return None
        key, at, value = self.random.choice(rounds)
        return key, at + SECOND, value

    def spans(self) -> dict[str, list[tuple[int, int]]]:
        """Where each oven is hot for long enough, in the slowest way."""
        return {key: spans for key, steps in self.known.items() if (spans := list(self._spans(steps)))}

    def _spans(self, steps: dict[int, int]) -> Iterator[tuple[int, int]]:
        since: int | None = None
        for at, value in [*sorted(steps.items()), (OPEN, 20)]:
            if value > 80 and since is None:
                since = at
            elif value <= 80 and since is not None:
                if since + HELD_S * SECOND < at:
                    yield since + HELD_S * SECOND, at
                since = None


def run_shell(stack: Stack, script: str) -> str:
    """Return the last line that a script prints, run on the database of the stack."""
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "--verbosity", "0", "-c", script]
    answer = subprocess.run(
        command, cwd=ROOT, env=stack.layout.environment(), check=True, capture_output=True, text=True
    )
    return answer.stdout.splitlines()[-1]


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with Stack(tmp_path / "d", demo=False, port=health.find_free_port()) as running:
        yield running


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver(SECRET)
    yield receiver
    receiver.end()


def make_alert(client: httpx.Client, receiver: Receiver) -> None:
    """A running plan with an alert that notifies the receiver."""

    def post(path: str, body: dict[str, Any]) -> Any:
        answer = client.post(path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()

    stream = {
        "key": "oven",
        "time": "t",
        "unit": "us",
        "allowed_lateness": "2h",
        "fields": {"temperature": "number"},
    }
    post("streams/", {"name": "oven", **stream})
    state = {"op": "latest_event_to_state", "stream": "oven", "params": {"field": "temperature"}}
    hot = {"op": "alert", "inputs": {"of": "temperature"}, "params": {"above": 80, "for": f"{HELD_S}s"}}
    nodes = {"temperature": state, "hot": hot}
    document = {"version": 1, "name": "ovens", "nodes": nodes, "results": ["hot"]}
    plan = post("plans/", {"name": "ovens", "document": document})["id"]
    options = {"url": receiver.url, "secret": SECRET}
    channel = post("channels/", {"name": "hook", "kind": "webhook", "options": options})["id"]
    post("alerts/", {"plan": plan, "node": "hot", "name": "Hot", "channels": [channel], "flapping_starts": 0})
    post(f"plans/{plan}/run/", {"placement": "together"})


def wait_until_posted(stack: Stack, receiver: Receiver, ovens: Ovens) -> None:
    """Wait until the queries run: the first message has come."""
    until = time.monotonic() + TIMEOUT_S
    while not receiver.posted:
        assert time.monotonic() < until, "no message came"
        ovens.push()
        stack.tend()
        time.sleep(3.0)


def kill(stack: Stack, name: str) -> None:
    """Kill a process, and wait until it is back."""
    before, until = stack.pids()[name], time.monotonic() + TIMEOUT_S
    stack.kill(name)
    while stack.pids().get(name, before) == before:
        assert time.monotonic() < until, f"{name} did not come back"
        stack.tend()
        time.sleep(0.2)


def wait_until_told(stack: Stack, ovens: Ovens) -> dict[str, Any]:
    """Return what the database says once all is known, and all has been sent."""
    until, expected = time.monotonic() + TIMEOUT_S, ovens.spans()
    while True:
        output: dict[str, Any] = json.loads(run_shell(stack, READ))
        sent = all(message[2] for message in output["messages"])
        if list_standing(output) == expected and sent and not output["unread"] and not output["due"]:
            return output
        assert time.monotonic() < until, (list_standing(output), expected, output["unread"], output["due"])
        stack.tend()
        time.sleep(2.0)


def list_standing(state: dict[str, Any]) -> dict[str, list[tuple[int, int]]]:
    standing: dict[str, list[tuple[int, int]]] = {}
    for incident in sorted(state["incidents"], key=lambda incident: (incident["key"], incident["start"])):
        if incident["state"] != "retracted":
            standing.setdefault(incident["key"], []).append((incident["start"], incident["end"]))
    return standing


def test_every_message_arrives_and_none_twice_whoever_is_killed(stack: Stack, receiver: Receiver) -> None:
    headers = {"Authorization": f"Token {run_shell(stack, BEGIN)}"}
    with httpx.Client(base_url=f"{stack.url}api/", headers=headers, timeout=120) as client:
        make_alert(client, receiver)
        ovens = Ovens(client)
        ovens.push()
        wait_until_posted(stack, receiver, ovens)
        for number in range(KILLS):
            for _ in range(3):
                ovens.push(late=ovens.find_late() if ovens.random.random() < 0.3 else None)
                time.sleep(ovens.random.uniform(0.2, 1.5))
            kill(stack, KILLED[number % 6 == 5])  # a delivery that is killed leaves its lease for 15 s
        ovens.push(last=True)
        ovens.push(last=True)
        wait_until_told(stack, ovens)
        late = ovens.find_late()
        assert late, "an oven was hot for one round"
        ovens.push(last=True, late=late)
        for name in KILLED:
            kill(stack, name)
        state = wait_until_told(stack, ovens)
    print(
        f"{len(state['incidents'])} incidents, {len(state['messages'])} messages, {len(receiver.posted)} posted"
    )
    assert_log_makes_incidents(state)
    assert_told_once(state, receiver)
    assert len(state["messages"]) > 3


def assert_log_makes_incidents(state: dict[str, Any]) -> None:
    """The log has no gaps, and its changes make the incidents as they are."""
    assert [number for number, *_ in state["log"]] == list(range(1, len(state["log"]) + 1))
    made = {incident: rest for _, incident, *rest in state["log"]}
    assert made == {row["pk"]: [row["state"], row["start"], row["end"]] for row in state["incidents"]}


def assert_told_once(state: dict[str, Any], receiver: Receiver) -> None:
    """Each message was made once and came, and all of them together say how each incident is in the end."""
    assert [number for _, number, *_ in state["messages"]] == list(range(1, len(state["messages"]) + 1))
    assert [identity for identity, *_ in state["messages"]] == list(dict.fromkeys(receiver.posted))
    assert not any(given_up for _, _, _, given_up, _ in state["messages"])
    last_changes: dict[int, dict[str, Any]] = {}
    for identity, _, _, _, news in state["messages"]:
        assert receiver.taken[identity]["incidents"] == news
        assert len({change["number"] for change in news}) == len(news)
        for change in news:
            before = last_changes.get(change["number"])
            assert before is None or [before[name] for name in ("state", "start", "end")] != [
                change[name] for name in ("state", "start", "end")
            ], "the same news twice"
            last_changes[change["number"]] = change
    for incident in state["incidents"]:
        if incident["state"] == "retracted" and incident["pk"] not in last_changes:
            continue
        assert last_changes[incident["pk"]]["state"] == incident["state"]
        if incident["state"] == "resolved":
            assert [last_changes[incident["pk"]][name] for name in ("start", "end")] == [
                incident["start"],
                incident["end"],
            ]
    assert any(change["change"] == "retracted" for *_, news in state["messages"] for change in news)
