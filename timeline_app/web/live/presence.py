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
Tell = Callable[[str, Event], Awaitable[None]]
HEARTBEAT_INTERVAL_S = 10.0
PRESENCE_TIMEOUT_S = 35.0
"""A person who was not heard of for this long has left."""


@dataclass(slots=True)
class Person:
    """Somebody on another page, and the nodes that they have selected."""

    name: str
    selected: list[str]
    heard: float


@dataclass(slots=True)
class Attendance:
    """A plan that the page shows."""

    plan: int
    selected: list[str]
    people: dict[str, Person] = field(default_factory=dict)
    standing: PlanMessage | None = None
    shown: PeopleMessage | None = None
    said: float = 0.0
    dirty: bool = True
    unsaid: bool = True

    def company(self) -> PeopleMessage:
        """Return who else is here."""
        people: list[PresentPerson] = [
            {"id": key, "name": person.name, "selected": person.selected}
            for key, person in sorted(self.people.items())
        ]
        return {"type": "people", "plan": self.plan, "people": people}


class Presence:
    """The plans that one page attends."""

    def __init__(self, name: str, tell: Tell) -> None:
        """`name` is the page's user; `tell` sends a message to a group."""
        self.id, self.name, self.tell = uuid.uuid4().hex[:12], name, tell
        self.attended: dict[int, Attendance] = {}

    def groups(self) -> set[str]:
        """Return the groups to join."""
        return {group_of_plan(plan) for plan in self.attended}

    async def attend(self, plan: int, selected: list[str]) -> None:
        """Attend a plan, with this selection."""
        held = self.attended.get(plan)
        if held is None:
            self.attended[plan] = Attendance(plan, selected)
            await self.say("here", plan, new=True)
        else:
            held.selected, held.unsaid = selected, True

    async def leave(self, plan: int) -> None:
        """Leave a plan."""
        if self.attended.pop(plan, None):
            await self.tell(group_of_plan(plan), {"type": "person.gone", "plan": plan, "id": self.id})

    async def say(self, event: str, plan: int, *, new: bool = False) -> None:
        """Tell all pages on a plan that somebody is here; they answer a new one."""
        held = self.attended[plan]
        held.said, held.unsaid = time.monotonic(), False
        message = {"type": f"person.{event}", "plan": plan, "id": self.id, "name": self.name, "new": new}
        await self.tell(group_of_plan(plan), message | {"selected": held.selected})

    def hear(self, event: Event) -> None:
        """Handle that somebody is here or left."""
        held = self.attended.get(event["plan"])
        if held is None or event["id"] == self.id:
            return
        if event["type"] == "person.gone":
            held.people.pop(event["id"], None)
        else:
            held.people[event["id"]] = Person(event["name"], event["selected"], time.monotonic())
            held.unsaid |= event["new"]

    def mark(self, plan: int | None = None) -> None:
        """Mark a plan to be read again, or all plans."""
        for held in self.attended.values():
            held.dirty |= plan in (None, held.plan)

    async def speak(self) -> None:
        """Announce changes and periodic heartbeats, and drop people who left."""
        now = time.monotonic()
        for held in list(self.attended.values()):
            held.people = {
                key: person for key, person in held.people.items() if now - person.heard < PRESENCE_TIMEOUT_S
            }
            if held.unsaid or now - held.said > HEARTBEAT_INTERVAL_S:
                await self.say("here", held.plan)

    def take_marked(self) -> list[int]:
        """Return the marked plans, and unmark them."""
        plans = [held.plan for held in self.attended.values() if held.dirty]
        for plan in plans:
            self.attended[plan].dirty = False
        return plans

    def news(self, standings: dict[int, PlanMessage]) -> list[PlanMessage | PeopleMessage]:
        """Return what the page does not know yet."""
        news: list[PlanMessage | PeopleMessage] = []
        for plan, held in self.attended.items():
            if plan in standings and standings[plan] != held.standing:
                held.standing = standings[plan]
                news.append(standings[plan])
            if (shown := held.company()) != held.shown:
                held.shown = shown
                news.append(shown)
        return news


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
