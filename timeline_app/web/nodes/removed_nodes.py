"""What nodes leave behind that were removed: rows of the log, queries without nodes, and their files."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from pathlib import PurePath

from django.conf import settings
from django.db import transaction

from timeline_app.feed.lineage import Chain
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place
from timeline_app.web.models import Node, NodeKey, Query, Revision
from timeline_app.web.nodes.services import decide_alone

ROWS = 2_000
"""Revisions that one transaction removes."""
log = logging.getLogger(__name__)


def remove_leftovers(*, seconds: float = 200.0) -> None:
    """One round, at most for so long; it may be killed at any point, and the next one goes on."""
    until = time.monotonic() + seconds
    remove_chains()
    remove_dead_queries()
    while time.monotonic() < until and remove_rows():
        continue


def remove_rows() -> bool:
    """Remove some rows of the log whose node is gone; whether there were any."""
    keys = list(NodeKey.objects.filter(node=None).order_by("pk").values_list("pk", flat=True)[:ROWS])
    rows = Revision.objects.filter(node_key__in=keys).order_by("pk").values_list("pk", flat=True)
    if some := list(rows[:ROWS]):
        Revision.objects.filter(pk__in=some).delete()
    elif keys:
        NodeKey.objects.filter(pk__in=keys, node=None).delete()
    return bool(keys)


def remove_chains() -> None:
    """Remove the chains of nodes that are gone; nobody makes a node meanwhile."""
    places = Places(settings.TIMELINE_DATA)
    there = {
        PurePath(name).stem: name for name in durable.list_names(places.chains) if name.endswith(".json")
    }
    if not there.keys() - set(Node.objects.values_list("digest", flat=True)):
        return
    with transaction.atomic():
        decide_alone()
        for digest in there.keys() - set(Node.objects.values_list("digest", flat=True)):
            places.chain(digest).unlink(missing_ok=True)


def remove_dead_queries() -> list[str]:
    """Remove queries without nodes, which never get any again, with their files; their names.

    A feed stays while the chain of a node leads through it.
    """
    stopped = Query.objects.filter(desired=Query.Desired.STOPPED, observed=Query.Observed.STOPPED)
    dead = list(stopped.filter(nodes=None, coming=None).order_by("pk"))
    if not dead:
        return []
    places = Places(settings.TIMELINE_DATA)
    linked = set(_linked_queries(places))
    return [query.name for query in dead if _remove(query, places, linked=query.name in linked)]


def _linked_queries(places: Places) -> Iterator[str]:
    """The queries in whose feeds nodes lie, as far as no snapshot of a later one has what they say."""
    for digest in Node.objects.values_list("digest", flat=True):
        for link in Chain(places, digest).needed():
            yield link.query


def _remove(query: Query, places: Places, *, linked: bool) -> bool:
    """Its files first: after a kill in between the row tells that they are to be removed."""
    folders: list[Place] = [places.checkpoint(query.name), *([] if linked else [places.feed(query.name)])]
    for folder in folders:
        durable.remove_all(folder)
    if left := [folder for folder in folders if folder.exists()]:
        log.warning("%s cannot be removed; it is tried again", left[0])
        return False
    if not linked:
        query.delete()
    return not linked
