"""Who else is on a plan, and what became of it: pages tell each other by the channel layer, nothing is stored."""

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
"""What pages tell each other over the channel layer."""
Tell = Callable[[str, Event], Awaitable[None]]
HEARTBEAT = 10.0
FORGOTTEN = 35.0
"""Who was not heard of for so many seconds has left without a word."""


@dataclass(slots=True)
class Person:
    """Somebody on another page, and the nodes that they have selected."""

    name: str
    selected: list[str]
    heard: float


@dataclass(slots=True)
class Attendance:
    """One plan that the page shows."""

    plan: int
    selected: list[str]
    people: dict[str, Person] = field(default_factory=dict)
    standing: PlanMessage | None = None
    shown: PeopleMessage | None = None
    said: float = 0.0
    dirty: bool = True
    unsaid: bool = True

    def company(self) -> PeopleMessage:
        """Who else is here."""
        people: list[PresentPerson] = [
            {"id": key, "name": person.name, "selected": person.selected}
            for key, person in sorted(self.people.items())
        ]
        return {"type": "people", "plan": self.plan, "people": people}


class Company:
    """The plans that one page attends."""

    def __init__(self, name: str, tell: Tell) -> None:
        """`name` is whose page it is; `tell` sends a message to a group."""
        self.id, self.name, self.tell = uuid.uuid4().hex[:12], name, tell
        self.attended: dict[int, Attendance] = {}

    def groups(self) -> set[str]:
        """The groups to be in."""
        return {group_of_plan(plan) for plan in self.attended}

    async def attend(self, plan: int, selected: list[str]) -> None:
        """Be there, with this selected."""
        held = self.attended.get(plan)
        if held is None:
            self.attended[plan] = Attendance(plan, selected)
            await self.say("here", plan, new=True)
        else:
            held.selected, held.unsaid = selected, True

    async def leave(self, plan: int) -> None:
        """Be gone."""
        if self.attended.pop(plan, None):
            await self.tell(group_of_plan(plan), {"type": "person.gone", "plan": plan, "id": self.id})

    async def say(self, event: str, plan: int, *, new: bool = False) -> None:
        """Tell all others on a plan that somebody is here; who is new is answered."""
        held = self.attended[plan]
        held.said, held.unsaid = time.monotonic(), False
        message = {"type": f"person.{event}", "plan": plan, "id": self.id, "name": self.name, "new": new}
        await self.tell(group_of_plan(plan), message | {"selected": held.selected})

    def hear(self, event: Event) -> None:
        """Somebody is here, or is gone."""
        held = self.attended.get(event["plan"])
        if held is None or event["id"] == self.id:
            return
        if event["type"] == "person.gone":
            held.people.pop(event["id"], None)
        else:
            held.people[event["id"]] = Person(event["name"], event["selected"], time.monotonic())
            held.unsaid |= event["new"]

    def mark(self, plan: int | None = None) -> None:
        """Look at a plan again; without a number at all of them."""
        for held in self.attended.values():
            held.dirty |= plan in (None, held.plan)

    async def speak(self) -> None:
        """Say what was not said yet, and every now and then that one is still here; forget who left."""
        now = time.monotonic()
        for held in list(self.attended.values()):
            held.people = {
                key: person for key, person in held.people.items() if now - person.heard < FORGOTTEN
            }
            if held.unsaid or now - held.said > HEARTBEAT:
                await self.say("here", held.plan)

    def unlooked(self) -> list[int]:
        """The plans to be looked at, unmarked now."""
        plans = [held.plan for held in self.attended.values() if held.dirty]
        for plan in plans:
            self.attended[plan].dirty = False
        return plans

    def news(self, standings: dict[int, PlanMessage]) -> list[PlanMessage | PeopleMessage]:
        """What the page does not know yet."""
        news: list[PlanMessage | PeopleMessage] = []
        for plan, held in self.attended.items():
            if plan in standings and standings[plan] != held.standing:
                held.standing = standings[plan]
                news.append(standings[plan])
            if (shown := held.company()) != held.shown:
                held.shown = shown
                news.append(shown)
        return news


def plan_states(plans: Iterable[int]) -> dict[int, PlanMessage]:
    """How far each plan has come; one that is gone says so."""
    fields = ("pk", "version", "saved_by__username", "running", "running_version", "newest")
    rows = Plan.objects.filter(pk__in=plans).annotate(newest=Max("versions__number")).values(*fields)
    rows_by_plan = {row["pk"]: row for row in rows.order_by()}
    return {plan: plan_state(plan, rows_by_plan.get(plan)) for plan in plans}


def plan_state(plan: int, row: Mapping[str, Any] | None) -> PlanMessage:
    """How far a plan has come, as the page is told."""
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
