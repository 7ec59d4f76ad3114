"""Automatic actions on running nodes in the audit, at most once an hour each."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from timeline_app.web.core import audit_writing
from timeline_app.web.models import Node, Query
from timeline_app.web.models.people import AuditEntry

NOTE_INTERVAL = timedelta(hours=1)
"""The same action on a node is recorded at most this often."""
GAVE_UP, RETRIED, CAME_BACK = "node.give_up", "node.retry", "node.recover"


def note_system_act(query: Query, act: str, *, after: dict[str, Any] | None = None, reason: str = "") -> None:
    """Record an automatic action for each node of a query; each action at most once an hour."""
    nodes = [node for node in query.nodes.all() if node.digest not in query.program.get("silent", ())]
    _note(nodes, act, after, reason)


def note_given_up(node: Node, reason: str) -> None:
    """Record that a node was given up while its query goes on; at most once an hour."""
    _note([node], GAVE_UP, None, reason)


def _note(nodes: Iterable[Node], act: str, after: dict[str, Any] | None, reason: str) -> None:
    chosen = list(nodes)
    fresh = _select_recently_noted({item.pk for item in chosen}, act)
    AuditEntry.objects.bulk_create(
        AuditEntry(
            actor_name=audit_writing.SYSTEM,
            source=AuditEntry.Source.TASK,
            act=act,
            kind="node",
            thing=item.pk,
            name=str(item)[:200],
            after=after,
            reason=reason[:500],
        )
        for item in chosen
        if item.pk not in fresh
    )


def _select_recently_noted(nodes: Iterable[int], act: str) -> set[int]:
    """Return the nodes for which this was recorded recently."""
    since = timezone.now() - NOTE_INTERVAL
    queryset = AuditEntry.objects.filter(kind="node", thing__in=nodes, act=act, actor=None, at__gte=since)
    return {number for number in queryset.values_list("thing", flat=True) if number is not None}
