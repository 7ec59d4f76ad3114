"""Exactly-once storage of messages that a stream refused, even if the intake is killed.

Where nothing of a portion landed, the refused messages are written in the transaction that skips them. Landed events
are durable in a file, and no transaction spans both: then the messages are staged before, with the positions that
land with the events. Whoever opens the source next compares: if those positions landed, the staged messages are kept
and counted. If not, they are deleted, because they will be read again.

Events that are rejected of a push are written before the rest lands, under the id of the request, so a repeated
request writes them once. Without a key nothing identifies a repetition: they may be there twice, like their events.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.db import transaction

from timeline_app.events.validate import Misread
from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams import arrival_measures, measure_writer

Staged = dict[str, Any]
"""`positions` that land with the events, the written `rows`, the number of `refused` messages, and a `token`."""


def keep_refused(stream: Stream, rejected: Sequence[Misread]) -> None:
    """Write and count refused messages, the newest of them; in the caller's transaction."""
    _write_rows(stream, rejected)
    measure_writer.count_refused(stream.pk, len(rejected))


def keep_rejected(stream: Stream, rejected: Sequence[Misread], sender: int, request: str) -> list[int]:
    """Write and count the rejected events of a push, unless it was done before; return the numbers of new rows."""
    with transaction.atomic():
        if not Stream.objects.select_for_update().filter(pk=stream.pk).exists():
            return []
        if (
            request
            and RejectedEvent.objects.filter(
                stream=stream, kind=RejectedEvent.Kind.REFUSED, request=request
            ).exists()
        ):
            return []
        rows = _write_rows(stream, rejected, sender, request)
        measure_writer.count_refused(stream.pk, len(rejected))
    return [row.pk for row in rows]


def delete_rejected(stream: Stream, rows: Sequence[int], count: int) -> None:
    """Delete the rejected events of a push that did not land."""
    with transaction.atomic():
        if RejectedEvent.objects.filter(pk__in=rows).delete()[0]:
            measure_writer.count_refused(stream.pk, -count)


def stage_refused(stream: Stream, rejected: Sequence[Misread], positions: Mapping[str, Any]) -> Staged | None:
    """Write refused messages before the events of their portion land; None if others are staged already."""
    with transaction.atomic():
        source = _lock_source(stream)
        if source is None or source.staged:
            return None
        rows = [row.pk for row in _write_rows(stream, rejected)]
        staged = {
            "positions": dict(positions),
            "rows": rows,
            "refused": len(rejected),
            "token": uuid.uuid4().hex,
        }
        source.staged = staged
        source.save(update_fields=["staged"])
    return staged


def confirm_refused(stream: Stream, rejected: Sequence[Misread], staged: Staged) -> None:
    """Count the staged messages once the events have landed; write them again if they were deleted meanwhile."""
    with transaction.atomic():
        source = _lock_source(stream)
        if source is not None and source.staged.get("token") == staged["token"]:
            _count(source)
        elif source is None or not _is_same_position(source.staged.get("positions"), staged["positions"]):
            keep_refused(stream, rejected)


def resolve_staged(stream: Stream, landed: Mapping[str, Any]) -> None:
    """Resolve what a killed process left: `landed` are the positions that lie with the events."""
    with transaction.atomic():
        source = _lock_source(stream)
        if source is None or not source.staged:
            return
        positions = source.staged["positions"]
        if _is_same_position({name: landed.get(name) for name in positions}, positions):
            _count(source)
            return
        RejectedEvent.objects.filter(pk__in=source.staged["rows"]).delete()
        source.staged = {}
        source.save(update_fields=["staged"])


def _count(source: StreamSource) -> None:
    measure_writer.count_refused(source.stream_id, source.staged["refused"])
    source.staged = {}
    source.save(update_fields=["staged"])


def _lock_source(stream: Stream) -> StreamSource | None:
    return StreamSource.objects.select_for_update().filter(pk=stream.pk).first()


def _write_rows(
    stream: Stream, rejected: Sequence[Misread], sender: int | None = None, request: str = ""
) -> list[RejectedEvent]:
    rows = arrival_measures.make_refused_rows(
        stream, rejected[-measure_writer.MAX_REJECTED_PER_KIND :], sender, request
    )
    return RejectedEvent.objects.bulk_create(rows)


def _is_same_position(position: object, other: object) -> bool:
    """Return whether two positions are equal as JSON."""
    return orjson.dumps(position, option=orjson.OPT_SORT_KEYS) == orjson.dumps(
        other, option=orjson.OPT_SORT_KEYS
    )
