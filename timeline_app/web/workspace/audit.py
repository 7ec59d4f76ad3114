"""Reading the audit, as far as the user may read the audited resources."""

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
"""Entries about these are visible to the people themselves and to administrators."""
PAGE_URLS = {
    "plan": "/plans/{}/",
    "node": "/nodes/{}/",
    "stream": "/streams/{}/",
    "dashboard": "/dashboards/{}/",
}
SLUG_COLUMNS = {"node": "digest", "stream": "name"}
NAME_COLUMNS = {"node": "operator"}
"""The name of a resource, where the column is not `name`."""
ENTRY_WORDS = Func(
    "name",
    "act",
    "actor_name",
    "reason",
    template="(%(expressions)s)",
    arg_joiner=" || '\n' || ",
    output_field=TextField(),
)
"""All words of an entry; with trigrams, PostgreSQL has an index of exactly this (`web.core.audit_guard`)."""
Things = dict[tuple[str, int | None], Part]
"""Names and pages of resources, by kind and number."""


def get_slug(kind: str) -> str:
    """Return the column that identifies a resource of this kind in URLs."""
    return SLUG_COLUMNS.get(kind, "pk")


def select_entries(user: User) -> QuerySet[AuditEntry]:
    """Select what somebody may read, newest first; of deleted resources only own acts, unless an operator asks."""
    queryset = AuditEntry.objects.order_by("-id")
    if has_role(user, Role.ADMIN):
        return queryset
    visible = match_acts_about(user)
    if has_role(user, Role.OPERATOR):
        return queryset.filter(visible | ~Q(kind__in=(*PERSONAL, "team")))
    for kind, model in THINGS.items():
        things = select_readable(model._default_manager.all(), user).order_by()
        visible |= Q(kind=kind, thing__in=things.values("pk"))
    # A computed condition keeps PostgreSQL scanning back from the newest entry: most entries are readable.
    return queryset.alias(open=Case(When(visible, then=True), default=False)).filter(open=True)


def filter_by_text(queryset: QuerySet[AuditEntry], text: str) -> QuerySet[AuditEntry]:
    """Filter entries by text in the name of the resource, the act, the actor or the reason."""
    return queryset.alias(spoken=ENTRY_WORDS).filter(spoken__icontains=text)


def match_acts_about(user: User) -> Q:
    """Match acts by somebody, and acts on that person and on the person's teams and tokens."""
    tokens = AuditEntry.objects.filter(actor=user, act="token.create").order_by().values("thing")
    person, teams = Q(kind="person", thing=user.pk), Q(kind="team", thing__in=user.groups.values("pk"))
    return Q(actor=user) | person | teams | Q(kind="token", thing__in=tokens)


def select_entries_of_thing(thing: Model, user: User) -> QuerySet[AuditEntry]:
    """Select the entries of one resource that this user may read."""
    return select_entries(user).filter(kind=thing._meta.model_name, thing=thing.pk)


def describe_entries(entries: Sequence[AuditEntry], user: User) -> list[Document]:
    """Return entries in their wire type; one query per kind of resource."""
    things = load_named_things(entries, user)
    return [describe_entry(item, things) for item in entries]


def describe_entry(entry: AuditEntry, things: Things) -> Document:
    """Return one entry in its wire type."""
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
    """Return the changes, with the names of plans that the reader may read."""
    plans = {number: thing for (kind, number), thing in things.items() if kind == "plan" and number}
    return describe_changes(entry, plans)


def load_named_things(entries: Iterable[AuditEntry], user: User) -> Things:
    """Return names and pages of the mentioned resources that exist and may be read."""
    numbers: dict[str, set[int]] = {}
    for entry in entries:
        if entry.kind in PAGE_URLS and entry.thing is not None:
            numbers.setdefault(entry.kind, set()).add(entry.thing)
        if plans := list_mentioned_plans(entry):
            numbers.setdefault("plan", set()).update(plans)
    pages: Things = {}
    for kind, things in numbers.items():
        visible = select_readable(THINGS[kind]._default_manager.filter(pk__in=things), user).order_by()
        for number, name, slug in visible.values_list("pk", NAME_COLUMNS.get(kind, "name"), get_slug(kind)):
            pages[kind, number] = Part(name, PAGE_URLS[kind].format(slug))
    return pages
