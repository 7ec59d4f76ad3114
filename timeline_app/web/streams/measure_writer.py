"""Writing arrival measures to the database, about once a second."""

from __future__ import annotations

import logging
import threading
import time

from django.db import DatabaseError, close_old_connections, transaction
from django.db.models import F

from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import RejectedEvent, StreamMeasure
from timeline_app.web.streams import arrival_measures
from timeline_app.web.streams.arrival_measures import Noted, Tally

MAX_REJECTED_PER_KIND = 1_000
"""Per stream; the newest are kept."""
MEASURE_RETENTION_S = 3_600
WRITE_INTERVAL_S = 1.0
log = logging.getLogger(__name__)


def write_measures() -> None:
    """Write all pending measures. What cannot be written is dropped: no response depends on it."""
    for stream, noted in arrival_measures.take_measures().items():
        try:
            with transaction.atomic():
                _write(stream, noted)
        except DatabaseError as why:
            log.warning("what was measured of stream %d could not be written: %s", stream, why)


def _write(stream: int, noted: Noted) -> None:
    if not Stream.objects.select_for_update().filter(pk=stream).exists():
        return
    for at, tally in noted.tallies.items():
        _add(stream, at, tally)
    counted = {
        name: F(name) + sum(getattr(tally, name) for tally in noted.tallies.values())
        for name in ("late", "too_late", "refused")
    }
    Stream.objects.filter(pk=stream).update(**counted)
    StreamMeasure.objects.filter(
        stream_id=stream, at__lt=int(time.time()) - MEASURE_RETENTION_S - arrival_measures.MEASURE_STEP_S
    ).delete()
    RejectedEvent.objects.bulk_create(noted.rejected)
    for kind in {item.kind for item in noted.rejected}:
        _trim(stream, kind)


def count_refused(stream: int, messages: int) -> None:
    """Count refused messages that are already written and drop the oldest; in the caller's transaction.

    A negative number takes back a count.
    """
    noted = Noted()
    noted.now().refused = messages
    _write(stream, noted)
    _trim(stream, RejectedEvent.Kind.REFUSED)


def _add(stream: int, at: int, tally: Tally) -> None:
    """Add to the sums: other processes measure as well."""
    measure, _ = StreamMeasure.objects.get_or_create(stream_id=stream, at=at)
    for name in ("events", "late", "too_late", "refused"):
        setattr(measure, name, max(getattr(measure, name) + getattr(tally, name), 0))
    for step, count in tally.lateness.items():
        measure.lateness[str(step)] = measure.lateness.get(str(step), 0) + count
    measure.save()


def _trim(stream: int, kind: str) -> None:
    rows = RejectedEvent.objects.filter(stream_id=stream, kind=kind)
    oldest = (
        rows.order_by("-id")
        .values_list("id", flat=True)[MAX_REJECTED_PER_KIND - 1 : MAX_REJECTED_PER_KIND]
        .first()
    )
    if oldest is not None:
        rows.filter(id__lt=oldest).delete()


class MeasureWriterThread:
    """A thread that writes measures while the web process lives."""

    def __init__(self, period: float = WRITE_INTERVAL_S) -> None:
        self._period = period
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="measures", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Write the last measures, and end the thread."""
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._stop.wait(self._period):
            self._round()
        self._round()

    def _round(self) -> None:
        close_old_connections()
        try:
            write_measures()
        except Exception:
            log.exception("what was measured could not be written")
