"""Reading who did what, as far as the one who asks may look at what it was done to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Func, Model, Q, QuerySet, TextField, When

from timeline_app.web.core.permissions import has_role, select_readable
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.people.selectors import KINDS
from timeline_app.web.workspace.audit_entries import (
    Part,
    Sentence,
    describe_act,
    describe_changes,
    list_mentioned_plans,
)

Document = dict[str, Any]
THINGS: dict[str, type[Model]] = {kind.kind_name(): kind for kind in KINDS}
PERSONAL = ("person", "token")
"""Entries about these are for the persons themselves and for administrators."""
ADDRESSES = {
    "plan": "/plans/{}/",
    "node": "/nodes/{}/",
    "stream": "/streams/{}/",
    "dashboard": "/dashboards/{}/",
}
SLUGS = {"node": "digest", "stream": "name"}
CALLED = {"node": "operator"}
"""What a thing is called, where that is not its name."""
SPOKEN = Func(
    "name",
    "act",
    "actor_name",
    "reason",
    template="(%(expressions)s)",
    arg_joiner=" || '\n' || ",
    output_field=TextField(),
)
"""All words of an entry; where PostgreSQL has trigrams, there is an index of just this (`web.core.audit_guard`)."""
Things = dict[tuple[str, int | None], Part]
"""What things are called, and their pages, by kind and number."""


def get_slug(kind: str) -> str:
    """By what a thing of this kind is addressed: its number, unless it is told by something else."""
    return SLUGS.get(kind, "pk")


def select_entries(user: User) -> QuerySet[AuditEntry]:
    """All that somebody may read, the newest first; of what is deleted only one's own acts, unless one operates."""
    queryset = AuditEntry.objects.order_by("-id")
    if has_role(user, Role.ADMIN):
        return queryset
    mine = match_acts_about(user)
    if has_role(user, Role.OPERATOR):
        return queryset.filter(mine | ~Q(kind__in=(*PERSONAL, "team")))
    for kind, model in THINGS.items():
        things = select_readable(model._default_manager.all(), user).order_by()
        mine |= Q(kind=kind, thing__in=things.values("pk"))
    # A condition, and nothing to look up by: most can be read, so the newest are found by going back from the last.
    return queryset.alias(open=Case(When(mine, then=True), default=False)).filter(open=True)


def filter_by_text(queryset: QuerySet[AuditEntry], text: str) -> QuerySet[AuditEntry]:
    """Those that contain this in the name of the thing, the act, the actor or the reason."""
    return queryset.alias(spoken=SPOKEN).filter(spoken__icontains=text)


def match_acts_about(user: User) -> Q:
    """What somebody did, and what others did to the person, to the person's teams and tokens."""
    tokens = AuditEntry.objects.filter(actor=user, act="token.create").order_by().values("thing")
    person, teams = Q(kind="person", thing=user.pk), Q(kind="team", thing__in=user.groups.values("pk"))
    return Q(actor=user) | person | teams | Q(kind="token", thing__in=tokens)


def select_entries_of_thing(thing: Model, user: User) -> QuerySet[AuditEntry]:
    """All that was done to one thing, which this user may look at."""
    return select_entries(user).filter(kind=thing._meta.model_name, thing=thing.pk)


def describe_entries(entries: Sequence[AuditEntry], user: User) -> list[Document]:
    """Entries as they go over the wire; a query for each kind of thing, however many there are."""
    things = load_named_things(entries, user)
    return [describe_entry(item, things) for item in entries]


def describe_entry(entry: AuditEntry, things: Things) -> Document:
    """One entry as it goes over the wire."""
    thing = things.get((entry.kind, entry.thing))
    return {
        "id": entry.pk,
        "at": entry.at.isoformat(),
        "actor": entry.actor_name,
        "source": entry.source,
        "request": entry.request,
        "act": entry.act,
        "kind": entry.kind,
        "thing": entry.thing,
        "name": entry.name,
        "address": thing and thing.address,
        "words": describe_act(entry),
        "changes": [[part._asdict() for part in item] for item in explain_entry(entry, things)],
        "before": entry.before,
        "after": entry.after,
        "reason": entry.reason,
    }


def explain_entry(entry: AuditEntry, things: Things) -> list[Sentence]:
    """What it changed, with the names of the plans that the reader may look at."""
    plans = {number: thing for (kind, number), thing in things.items() if kind == "plan" and number}
    return describe_changes(entry, plans)


def load_named_things(entries: Iterable[AuditEntry], user: User) -> Things:
    """The things of which entries tell that are there and may be looked at: what they are called, and their pages."""
    numbers: dict[str, set[int]] = {}
    for entry in entries:
        if entry.kind in ADDRESSES and entry.thing is not None:
            numbers.setdefault(entry.kind, set()).add(entry.thing)
        if plans := list_mentioned_plans(entry):
            numbers.setdefault("plan", set()).update(plans)
    pages: Things = {}
    for kind, things in numbers.items():
        seen = select_readable(THINGS[kind]._default_manager.filter(pk__in=things), user).order_by()
        for number, name, slug in seen.values_list("pk", CALLED.get(kind, "name"), get_slug(kind)):
            pages[kind, number] = Part(name, ADDRESSES[kind].format(slug))
    return pages
