"""Leftovers of removed nodes: rows of the log, queries without nodes, and their files."""

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

MAX_ROWS_PER_TRANSACTION = 2_000
log = logging.getLogger(__name__)


def remove_leftovers(*, seconds: float = 200.0) -> None:
    """Remove leftovers for at most `seconds`; after an interruption the next call continues."""
    until = time.monotonic() + seconds
    remove_chains()
    remove_dead_queries()
    while time.monotonic() < until and remove_rows():
        continue


def remove_rows() -> bool:
    """Remove some log rows of removed nodes; return whether there were any."""
    keys = list(
        NodeKey.objects.filter(node=None)
        .order_by("pk")
        .values_list("pk", flat=True)[:MAX_ROWS_PER_TRANSACTION]
    )
    rows = Revision.objects.filter(node_key__in=keys).order_by("pk").values_list("pk", flat=True)
    if chunk := list(rows[:MAX_ROWS_PER_TRANSACTION]):
        Revision.objects.filter(pk__in=chunk).delete()
    elif keys:
        NodeKey.objects.filter(pk__in=keys, node=None).delete()
    return bool(keys)


def remove_chains() -> None:
    """Remove the chains of removed nodes, while the creation of nodes is locked."""
    places = Places(settings.TIMELINE_DATA)
    files = {
        PurePath(name).stem: name for name in durable.list_names(places.chains) if name.endswith(".json")
    }
    if not files.keys() - set(Node.objects.values_list("digest", flat=True)):
        return
    with transaction.atomic():
        decide_alone()
        for digest in files.keys() - set(Node.objects.values_list("digest", flat=True)):
            places.chain(digest).unlink(missing_ok=True)


def remove_dead_queries() -> list[str]:
    """Remove queries without nodes, which never get any again, with their files; return their names.

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
    """Yield queries whose feeds contain nodes, unless a snapshot of a later query contains their values."""
    for digest in Node.objects.values_list("digest", flat=True):
        for link in Chain(places, digest).needed():
            yield link.query


def _remove(query: Query, places: Places, *, linked: bool) -> bool:
    """Remove the files first: after a crash the row still says that they are to be removed."""
    folders: list[Place] = [places.checkpoint(query.name), *([] if linked else [places.feed(query.name)])]
    for folder in folders:
        durable.remove_all(folder)
    if folders_left := [folder for folder in folders if folder.exists()]:
        log.warning("%s cannot be removed; it is tried again", folders_left[0])
        return False
    if not linked:
        query.delete()
    return not linked
