"""Selecting resources for a bulk transfer, and its preview."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet

from timeline_app.web.core.errors import Invalid, Missing
from timeline_app.web.core.permissions import NONE, Right, compute_rights, select_own, select_readable
from timeline_app.web.core.search import CALLED, apply_search
from timeline_app.web.core.search_results import KINDS as FOUND
from timeline_app.web.models import Plan
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel
from timeline_app.web.models.samples import Sample
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.workspace.audit import get_slug

KINDS: dict[str, type[Model]] = {
    **FOUND,
    "sample": Sample,
    "sink": NodeSink,
    "alert": Alert,
    "channel": AlertChannel,
}
MAX_TRANSFERRED = 10_000
"""In one call."""
MAX_NAMED = 20
"""Of the transferred resources, and of those that stay."""
LARGE_FIELDS = {
    "plan": ("document", "running_document"), "node": ("program",),
    "stream": ("document", "seen_fields"), "dashboard": ("document",), "sample": (), "sink": (),
    "alert": (), "channel": (),
}  # fmt: skip


@dataclass(frozen=True)
class Meant:
    """Resources of one kind: those with these ids, or all that match a search."""

    kind: str
    ids: Sequence[str] = ()
    q: str | None = None


def select_meant(meant: Meant, user: User) -> QuerySet[Any]:
    """Select those of them that somebody may read."""
    model = KINDS[meant.kind]
    queryset = select_readable(model._default_manager.defer(*LARGE_FIELDS[meant.kind]), user).order_by("pk")
    if meant.q is not None:
        return apply_search(queryset, meant.q, user)
    return queryset.filter(**{f"{get_slug(meant.kind)}__in": list_names(meant)})


def list_names(meant: Meant) -> list[str]:
    """Return the distinct valid ids."""
    ids = list(dict.fromkeys(meant.ids))
    if get_slug(meant.kind) != "pk":
        return [item for item in ids if "\0" not in item]
    return [item for item in ids if item.isascii() and item.isdigit() and len(item) < 16]


def select_to_give(meant: Meant, user: User) -> list[Any]:
    """Return what to transfer: of a search what the user owns, of ids all of them."""
    rows = select_meant(meant, user)
    values = list((select_own(rows, user) if meant.q is not None else rows)[: MAX_TRANSFERRED + 1])
    if len(values) > MAX_TRANSFERRED:
        hint = "Narrow the search down, and give them away in several parts."
        raise Invalid.field("q", f"More than {MAX_TRANSFERRED:,} {CALLED[KINDS[meant.kind]]} match.", hint)
    if meant.q is None and len(values) < len(set(meant.ids)):
        raise Missing(f"Some of these {CALLED[KINDS[meant.kind]]} are not there any more.", code="gone")
    return values


def describe_transfer(meant: Meant, user: User) -> dict[str, Any]:
    """Return how many would be transferred, which and whose, how many run, and which stay."""
    rows = select_meant(meant, user)
    owned = select_own(rows, user)
    kept_rows = rows.exclude(pk__in=owned.order_by().values("pk"))
    running = owned.filter(running=True).count() if rows.model is Plan else 0
    return {
        "count": owned.count(),
        "running": running,
        "given": [
            describe_named_thing(meant.kind, item)
            for item in owned.select_related("owner", "team")[:MAX_NAMED]
        ],
        "owner": find_only_owner(owned),
        "others": kept_rows.count(),
        "kept": [
            describe_named_thing(meant.kind, other)
            for other in kept_rows.select_related("owner", "team")[:MAX_NAMED]
        ],
    }


def find_only_owner(things: QuerySet[Any]) -> dict[str, Any] | None:
    """Return the common owner of all of them, or None."""
    first = things.select_related("owner", "team").first()
    if first is None or things.exclude(owner=first.owner_id, team=first.team_id).exists():
        return None
    document = first.owner_told()
    return {"kind": document["owner_kind"], "name": document["owner"]}


def describe_named_thing(kind: str, thing: Any) -> dict[str, Any]:
    """Return the names of a resource before it is transferred."""
    name = thing.operator if kind == "node" else thing.name
    return {"id": str(getattr(thing, get_slug(kind))), "name": name, **thing.owner_told()}


def find_first_not_own(things: Iterable[Any], user: User) -> Any | None:
    """Return the first resource of one kind that the user may not transfer."""
    all_things = list(things)
    rights = compute_rights(user, all_things)
    return next((item for item in all_things if Right.OWN not in rights.get(item.pk, NONE)), None)
