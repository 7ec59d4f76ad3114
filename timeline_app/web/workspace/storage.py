"""Stored data: who uses how much, why, and until when."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Sum
from django.db.models.functions import Length

from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place
from timeline_app.operators import get_title
from timeline_app.operators.parameters import spell_duration
from timeline_app.web.core.disk_space import (
    WARNING_RESERVES,
    describe_missing_disk_space,
    describe_refusals,
    measure_free_bytes,
)
from timeline_app.web.core.permissions import select_own
from timeline_app.web.models import Node, PlanNode, Query, Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.people import Owned
from timeline_app.web.models.samples import Sample
from timeline_app.web.streams.ingest import get_landing

Document = dict[str, Any]
KINDS = ["stream", "rejected", "trash", "results", "sample"]
LIMITED_KINDS = ["results", "incidents", "unused", "trash"]
MAX_ROWS = 500
"""Only the largest are listed; the totals count all."""
SIZE_CACHE_S = 60.0
"""How long the size of a folder is cached."""


def describe_storage(user: User) -> Document:
    """Return everything that somebody owns, for administrators everything; the largest first."""
    rows = sorted(_rows(user), key=lambda row: (-row["bytes"], row["kind"], row["name"]))
    totals = dict.fromkeys(KINDS, 0)
    for row in rows:
        totals[row["kind"]] += row["bytes"]
    listed = [{"kind": kind, "bytes": size} for kind, size in totals.items()]
    page = {"results": rows[:MAX_ROWS], "more": max(len(rows) - MAX_ROWS, 0)}
    return {"totals": listed, **page, "limits": list_limits(), "disk": describe_disk()}


def list_limits() -> list[Document]:
    """Return how long everything is kept that grows with time, and the setting that says so."""
    limits = [
        ("results", "TIMELINE_RESULT_RETENTION", settings.RESULT_RETENTION_MICROS),
        ("incidents", "TIMELINE_INCIDENT_RETENTION", settings.INCIDENT_RETENTION_MICROS),
        ("unused", "TIMELINE_UNUSED_NODE_RETENTION", settings.UNUSED_NODE_RETENTION_MICROS),
        ("trash", "TIMELINE_TRASH_RETENTION", settings.TRASH_RETENTION_MICROS),
    ]
    return [
        {"kind": kind, "setting": name, "kept_for": spell_duration(micros)} for kind, name, micros in limits
    ]


def describe_disk() -> Document:
    """Return the free space of the server's disk, and what is refused for lack of it."""
    shortage = describe_missing_disk_space(WARNING_RESERVES)
    return {"free": measure_free_bytes(), "low": shortage is not None, "refused": describe_refusals()}


def _rows(user: User) -> Iterator[Document]:
    streams = list(select_own(Stream.everything.select_related("owner", "team"), user).order_by("pk"))
    yield from map(_stream_row, streams)
    yield from _rejected_rows(streams)
    yield from _result_rows(select_own(Node.objects.select_related("owner", "team", "query"), user))
    yield from _sample_rows(select_own(Sample.objects.select_related("owner", "team"), user))


def _row(
    kind: str, name: str, thing: Owned, size: int, count: int, why: str, until: datetime | None, link: str
) -> Document:
    row = {"kind": kind, "name": name, **thing.owner_told(), "bytes": size, "count": count}
    return row | {"why": why, "until": until, "link": link}


def _stream_row(stream: Stream) -> Document:
    landing = get_landing(stream.folder)
    count = landing.count(landing.first(), landing.end())
    if stream.trashed_at is not None:
        why = "deleted, can be restored" if stream.emptied_from_id is None else "emptied, can be restored"
        until = stream.trashed_until
        return _row("trash", stream.name, stream, count.size, count.events, why, until, "/streams/")
    why = f"events up to {stream.document['retention']} behind the newest"
    link = f"/streams/{stream.name}/"
    return _row("stream", stream.name, stream, count.size, count.events, why, None, link)


def _rejected_rows(streams: Iterable[Stream]) -> Iterator[Document]:
    by_pk = {stream.pk: stream for stream in streams if stream.trashed_at is None}
    rows = RejectedEvent.objects.filter(stream__in=by_pk).order_by().values("stream")
    for row in rows.annotate(events=Count("pk"), size=Sum(Length("text"))):
        stream, why = by_pk[row["stream"]], "the newest 1,000 of each kind, until they are cleared"
        link = f"/streams/{stream.name}/"
        yield _row("rejected", stream.name, stream, row["size"] or 0, row["events"], why, None, link)


def _sample_rows(samples: Any) -> Iterator[Document]:
    for sample in samples.annotate(size=Sum("parts__size"), events=Sum("parts__events")).order_by("pk"):
        why = "until it is deleted"
        yield _row("sample", sample.name, sample, sample.size or 0, sample.events or 0, why, None, "/")


def _result_rows(nodes_with_owners: Any) -> Iterator[Document]:
    """Yield for each query of these nodes the size of its feed and checkpoint."""
    by_query: dict[int, list[Node]] = defaultdict(list)
    for node in nodes_with_owners.order_by("pk"):
        by_query[node.query_id].append(node)
    names = _names_of(by_query)
    keys = dict(
        Node.objects.filter(query__in=by_query).values_list("query").annotate(Count("keys")).order_by()
    )
    for number, nodes in by_query.items():
        query = nodes[0].query
        titles = ", ".join(names.get(node.pk, get_title(node.operator)) for node in nodes[:3])
        more = f" and {len(nodes) - 3} more" if len(nodes) > 3 else ""
        why, until = _reason(query, nodes, names)
        link = f"/nodes/{nodes[0].digest}/"
        yield _row(
            "results", f"{titles}{more}", nodes[0], measure_query(query.name), keys[number], why, until, link
        )


def _names_of(queries: Iterable[int]) -> Mapping[int, str]:
    """Return the name of each node in a plan that uses it."""
    uses = PlanNode.objects.filter(node__query__in=list(queries)).exclude(name="").order_by("-pk")
    return dict(uses.values_list("node", "name"))


def _reason(query: Query, nodes: list[Node], names: Mapping[int, str]) -> tuple[str, datetime | None]:
    """Return why results are kept, and until when at least."""
    if any(node.pk in names for node in nodes) or query.desired == Query.Desired.RUNNING:
        return "a running plan uses it", None
    since = [node.unused_since for node in nodes]
    if None in since:
        return "unused", None
    until = max(time for time in since if time is not None) + timedelta(
        microseconds=settings.UNUSED_NODE_RETENTION_MICROS
    )
    return "unused; kept longer while a stopped plan, a sink or another node needs it", until


def measure_query(name: str) -> int:
    """Return the bytes of the feed and the checkpoint, as of the last minute."""
    places, turn = Places(settings.TIMELINE_DATA), int(time.monotonic() / SIZE_CACHE_S)
    return sum(_measure(folder, turn) for folder in (places.feed(name), places.checkpoint(name)))


@lru_cache(maxsize=4_096)
def _measure(folder: Place, _turn: int) -> int:
    return durable.measure_folder(folder)
