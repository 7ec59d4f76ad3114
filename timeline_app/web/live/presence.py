"""Presence: who else is on a plan, and its changes. Pages exchange this by the channel layer; nothing is stored."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max

from timeline_app.web.core.channel_groups import group_of_plan
from timeline_app.web.live.wire import PeopleMessage, PlanMessage, PresentPerson
from timeline_app.web.models import Plan

Event = dict[str, Any]
"""What pages send to each other over the channel layer."""
SendToGroup = Callable[[str, Event], Awaitable[None]]
HEARTBEAT_INTERVAL_S = 10.0
PRESENCE_TIMEOUT_S = 35.0
"""A person who has sent nothing for this long has left."""


@dataclass(slots=True)
class Person:
    """Somebody on another page, and the nodes that they have selected."""

    name: str
    selected: list[str]
    last_seen: float


@dataclass(slots=True)
class PlanPresence:
    """A plan that the page shows."""

    plan: int
    selected: list[str]
    people: dict[str, Person] = field(default_factory=dict)
    known_state: PlanMessage | None = None
    known_people: PeopleMessage | None = None
    sent_at: float = 0.0
    dirty: bool = True
    must_send: bool = True

    def build_people_message(self) -> PeopleMessage:
        """Return who else is here."""
        people: list[PresentPerson] = [
            {"id": key, "name": person.name, "selected": person.selected}
            for key, person in sorted(self.people.items())
        ]
        return {"type": "people", "plan": self.plan, "people": people}


class Presence:
    """The plans that one page attends."""

    def __init__(self, name: str, send: SendToGroup) -> None:
        """`name` is the page's user; `send` sends a message to a group."""
        self.id, self.name, self.send = uuid.uuid4().hex[:12], name, send
        self.plans: dict[int, PlanPresence] = {}

    def list_groups(self) -> set[str]:
        """Return the groups to join."""
        return {group_of_plan(plan) for plan in self.plans}

    async def attend(self, plan: int, selected: list[str]) -> None:
        """Attend a plan, with this selection."""
        attended = self.plans.get(plan)
        if attended is None:
            self.plans[plan] = PlanPresence(plan, selected)
            await self.send_presence("here", plan, new=True)
        else:
            attended.selected, attended.must_send = selected, True

    async def leave(self, plan: int) -> None:
        """Leave a plan."""
        if self.plans.pop(plan, None):
            await self.send(group_of_plan(plan), {"type": "person.gone", "plan": plan, "id": self.id})

    async def send_presence(self, event: str, plan: int, *, new: bool = False) -> None:
        """Tell all pages on a plan that somebody is here; they answer a new one."""
        attended = self.plans[plan]
        attended.sent_at, attended.must_send = time.monotonic(), False
        message = {"type": f"person.{event}", "plan": plan, "id": self.id, "name": self.name, "new": new}
        await self.send(group_of_plan(plan), message | {"selected": attended.selected})

    def receive(self, event: Event) -> None:
        """Handle that somebody is here or left."""
        attended = self.plans.get(event["plan"])
        if attended is None or event["id"] == self.id:
            return
        if event["type"] == "person.gone":
            attended.people.pop(event["id"], None)
        else:
            attended.people[event["id"]] = Person(event["name"], event["selected"], time.monotonic())
            attended.must_send |= event["new"]

    def mark(self, plan: int | None = None) -> None:
        """Mark a plan to be read again, or all plans."""
        for attended in self.plans.values():
            attended.dirty |= plan in (None, attended.plan)

    async def send_heartbeats(self) -> None:
        """Send changes and periodic heartbeats, and drop people who left."""
        now = time.monotonic()
        for attended in list(self.plans.values()):
            attended.people = {
                key: person
                for key, person in attended.people.items()
                if now - person.last_seen < PRESENCE_TIMEOUT_S
            }
            if attended.must_send or now - attended.sent_at > HEARTBEAT_INTERVAL_S:
                await self.send_presence("here", attended.plan)

    def take_marked(self) -> list[int]:
        """Return the marked plans, and unmark them."""
        plans = [attended.plan for attended in self.plans.values() if attended.dirty]
        for plan in plans:
            self.plans[plan].dirty = False
        return plans

    def take_changes(self, states: dict[int, PlanMessage]) -> list[PlanMessage | PeopleMessage]:
        """Return what the page does not know yet."""
        changes: list[PlanMessage | PeopleMessage] = []
        for plan, attended in self.plans.items():
            if plan in states and states[plan] != attended.known_state:
                attended.known_state = states[plan]
                changes.append(states[plan])
            if (people := attended.build_people_message()) != attended.known_people:
                attended.known_people = people
                changes.append(people)
        return changes


def load_plan_states(plans: Iterable[int]) -> dict[int, PlanMessage]:
    """Return the state of each plan; a deleted one says so."""
    fields = ("pk", "version", "saved_by__username", "running", "running_version", "newest")
    rows = Plan.objects.filter(pk__in=plans).annotate(newest=Max("versions__number")).values(*fields)
    rows_by_plan = {row["pk"]: row for row in rows.order_by()}
    return {plan: build_plan_message(plan, rows_by_plan.get(plan)) for plan in plans}


def build_plan_message(plan: int, row: Mapping[str, Any] | None) -> PlanMessage:
    """Return the state of a plan as a message."""
    if row is None:
        return {"type": "plan", "plan": plan, "deleted": True}
    return {
        "type": "plan",
        "plan": plan,
        "deleted": False,
        "version": row["version"],
        "saved_by": row["saved_by__username"],
        "running": row["running"],
        "running_version": row["running_version"],
        "newest": row["newest"],
    }
