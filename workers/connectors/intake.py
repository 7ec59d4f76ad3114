"""`python -m workers.connectors.intake` reads the sources of streams into their landings, one thread per source.

Positions are stored with the events, so the process may be killed or started twice at any moment.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from datetime import UTC, datetime

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django.setup()

from django.db import DatabaseError, connections
from django.utils import timezone

from timeline_app.algebra.kinds import BEGINNING, SECOND
from timeline_app.connectors.reading import Changed, Portion, Reader, SourceUnavailable
from timeline_app.web.core.egress import may_reach_private
from timeline_app.web.core.errors import ApiError
from timeline_app.web.core.leases import Hold, lease
from timeline_app.web.core.log_context import log_facts
from timeline_app.web.models import Stream
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams.measure_writer import MeasureWriterThread
from timeline_app.web.streams.selectors import load_declaration
from timeline_app.web.streams.source_intake import (
    READER_LEASE_S,
    SourceProgress,
    SourceReadElsewhere,
    compute_watermark,
    name_reader_lease,
    pass_by,
    take_portion,
    take_watermark,
)
from timeline_app.web.streams.source_services import build_source
from workers.connectors import runner
from workers.connectors.runner import ConnectorKey, ConnectorThread, RunningThreads
from workers.engine.formatting import format_duration
from workers.watchdog import Watchdog

log = logging.getLogger("workers.connectors.intake")
RENEW_EVERY_S = 3.0
MAX_WAIT_S = 15.0
WATERMARK_EVERY_S = 1.0
QUIET_AFTER_S = 10.0
Observed = StreamSource.Observed
HELD_UP = {
    "behind": "the queries that read it are too far behind",
    "disk_full": "there is no room on the disk",
    "not_written": "the disk fails (see the log of the intake)",
}
watchdog = Watchdog("the intake", 300.0)


class SourceReader(ConnectorThread):
    """Reads one source, as configured when the thread started, until it is stopped."""

    def __init__(self, source: StreamSource) -> None:
        super().__init__(f"intake of {source.stream.name}")
        self.source = source
        self._tries = 0
        self._reported_at, self._renewed, self._observed = 0.0, 0.0, ""
        self._rejected = 0, 0
        self._last_message, self._missed = source.last_message_at, source.missed
        self._watermark: int | None = None
        self._marked, self._by = 0.0, ""

    def run(self) -> None:
        """Open the source and read it; retry after failures."""
        with log_facts(stream=self.source.stream.name):
            while not self._halt.is_set():
                try:
                    self._once()
                except (Changed, SourceReadElsewhere) as why:
                    log.info("opened anew: %s", why)
                    self._halt.wait(0.2)
                except (SourceUnavailable, ApiError, OSError, DatabaseError) as why:
                    self._again_later(str(why))
                except Exception as why:
                    log.exception("the source cannot be read")
                    self._again_later(f"the source failed ({type(why).__name__}; see the log of the intake)")
            if self._watermark is not None:  # the lease may have run out, and the stream been released
                with suppress(DatabaseError):
                    Stream.objects.filter(pk=self.source.stream_id).update(held=True)
            connections.close_all()

    def _once(self) -> None:
        with lease(name_reader_lease(self.source.pk), READER_LEASE_S) as hold:
            if not hold:
                self._halt.wait(1.0)
                return
            stream = self.source.stream  # from here on only this reader changes `held`
            stream.held = Stream.objects.filter(pk=stream.pk, held=True).exists()
            progress = SourceProgress.from_source(self.source)
            reader = build_source(self.source).open(progress.standing)
            try:
                self._read(reader, progress, hold)
            finally:
                reader.close()

    def _read(self, reader: Reader, progress: SourceProgress, hold: Hold) -> None:
        progress.standing.update(reader.positions)
        self._missed += reader.missed
        while not self._halt.is_set():
            portion = reader.take()
            if not self._carry(portion, progress, hold):
                return
            self._tries = 0
            observed, words = self._how(portion)
            if time.monotonic() - self._reported_at > 1.0 or observed != self._observed:
                pass_by(self.source, progress)
                figures = {"lag": reader.lag(), "missed": self._missed, "opened": True}
                self._tell(observed, words, **figures)
            self._keep(hold)

    def _carry(self, portion: Portion, progress: SourceProgress, hold: Hold) -> bool:
        """Make a portion durable. Return whether it was written."""
        moved = any(progress.standing.get(name) != value for name, value in portion.positions.items())
        landed: int | None = 0
        if portion.messages:
            landed = self._land(portion, progress, hold)
            self._rejected = progress.rejected, len(portion.messages)
            self._last_message = timezone.now()
        self._mark(portion, progress)
        if landed == 0 and (
            moved or progress.refused
        ):  # the source may drop it as soon as it is asked for more
            progress.standing.update(portion.positions)
            pass_by(self.source, progress)
        return landed is not None

    def _mark(self, portion: Portion, progress: SourceProgress) -> None:
        """Record the source's watermark; where no events carry it, at most every `WATERMARK_EVERY_S`."""
        stream, now = self.source.stream, time.monotonic()
        declared = load_declaration(stream)
        watermark = compute_watermark(portion, progress, declared)
        self._by = progress.slowest.words(forgets=declared.idle_after is not None)
        if watermark is None:
            if stream.held:
                take_watermark(stream, None)
        elif watermark != progress.said and now - self._marked >= WATERMARK_EVERY_S:
            take_watermark(stream, watermark, progress)
            self._marked = now
        self._watermark = watermark

    def _land(self, portion: Portion, progress: SourceProgress, hold: Hold) -> int | None:
        """Land a portion and return its number of events.

        Wait while back-pressure or the disk holds it up; None when stopped.
        """
        while not self._halt.is_set():
            try:
                return take_portion(stream=self.source.stream, portion=portion, progress=progress)
            except ApiError as why:
                if why.wait is None:
                    raise
                self._tell(Observed.WAITING, f"waiting: {HELD_UP.get(why.code, why.message)}")
            self._halt.wait(1.0)
            self._keep(hold)
        return None

    def _keep(self, hold: Hold) -> None:
        if time.monotonic() - self._renewed > RENEW_EVERY_S:
            self._renewed = time.monotonic()
            if not hold.renew():
                raise SourceReadElsewhere

    def _how(self, portion: Portion) -> tuple[Observed, str]:
        """Return the status and its description."""
        waits = portion.waits
        if not waits:
            complaint = f"; {portion.complaint[:350]}" if portion.complaint else ""
            return Observed.READING, f"{self._words()}{complaint}"[:500]
        when = f"in {format_duration(waits)}" if waits >= 1 else "now"
        return Observed.WAITING, f"waiting: it was told to come again later, and asks {when}{self._time()}"

    def _words(self) -> str:
        if self._last_message is None:
            return f"reading, no message yet{self._time()}"
        quiet = (timezone.now() - self._last_message).total_seconds()
        activity = f"reading, no message for {format_duration(quiet)}" if quiet > QUIET_AFTER_S else "reading"
        rejected, of = self._rejected
        if rejected:
            activity += f"; of the last {of:,} messages {rejected:,} were rejected, and are kept"
        return activity + self._time()

    def _time(self) -> str:
        """Describe the watermark, and what it waits for."""
        if self._watermark is None:
            return ""
        if self._watermark == BEGINNING and self._by:
            return f"; {self._by}"
        try:
            text = datetime.fromtimestamp(self._watermark / SECOND, UTC).isoformat(timespec="seconds")
        except (OverflowError, ValueError):  # BEGINNING, or nonsense
            text = "not known" if self._watermark == BEGINNING else str(self._watermark)
        return f"; its watermark is {text}{f', {self._by}' if self._by else ''}"

    def _again_later(self, why: str) -> None:
        self._tries += 1
        wait = min(2.0 ** (self._tries - 1), MAX_WAIT_S)
        log.warning("%s; tried again in %.0f s", why, wait)
        try:
            self._tell(Observed.RETRYING, f"{why[:440]}; tried again every {wait:.0f} s")
        except DatabaseError as problem:
            log.warning("that could not be written down: %s", problem)
            connections.close_all()
        self._halt.wait(wait)

    def _tell(self, observed: str, words: str, **figures: int) -> None:
        """Record the status, unless the source was reconfigured meanwhile."""
        self._reported_at, self._observed = time.monotonic(), observed
        row = StreamSource.objects.filter(pk=self.source.pk, changed_at=self.source.changed_at)
        fields = {"observed": observed, "words": words, "last_message_at": self._last_message}
        row.update(**fields, **figures, looked_at=timezone.now())


def reconcile(running: RunningThreads) -> None:
    """Give each configured source one thread; a change of its setting, stream or network rights starts a new one."""
    queryset = StreamSource.objects.filter(paused=False).select_related("stream", "set_by__member")
    sources: dict[ConnectorKey, StreamSource] = {
        (source.pk, (source.changed_at, source.stream.updated_at, may_reach_private(source.set_by))): source
        for source in queryset
    }
    runner.reconcile_threads(running, sources, SourceReader)


def main() -> None:
    """Read all sources until told to stop."""
    keeper = MeasureWriterThread()
    keeper.start()
    runner.run_until_stopped(watchdog, reconcile)
    keeper.stop()


if __name__ == "__main__":
    main()
