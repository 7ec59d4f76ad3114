"""Streams that say when they count as idle: heartbeats go into their landings, so that what is final goes on.

For how long nothing has come is taken from this process's own clock, from when it first looked: a server that was away,
a clock that jumps, and a source that cannot be read make no stream idle.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from functools import cache

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from timeline_app.algebra.kinds import SECOND
from timeline_app.landing.log import Landing
from timeline_app.web.core.leases import lease
from timeline_app.web.models import Stream
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams.selectors import load_declaration
from timeline_app.web.streams.source_intake import READING, name_reader_lease, take_watermark

SEEN_LATELY = 30.0
"""So long (seconds) what the intake said of a source is believed."""
GRACE = 300.0
"""So long (seconds) another source in the place of one that holds back may take until it can be read."""
log = logging.getLogger(__name__)
_quiet: dict[str, tuple[int, float]] = {}
"""By landing: the number after the last of its landing, and since when that is so."""


def forget() -> None:
    """Begin anew."""
    _quiet.clear()


def advance_idle_streams(now: float | None = None) -> list[str]:
    """Land a heartbeat for each stream that is idle; which those are. The trouble of one is its own."""
    now = time.monotonic() if now is None else now
    items = []
    # What is looked for is the text of the key, in quotation marks, in the text of the declaration.
    for stream in Stream.objects.filter(document__contains="idle_after").select_related("source"):
        try:
            if _advance_if_idle(stream, now):
                items.append(stream.name)
        except OSError as why:
            log.warning("no heartbeat for %s: %s", stream.name, why)
    return items


def release_held_back() -> list[str]:
    """End what sources hold back that are no more; of which streams. The trouble of one is its own.

    A source that was read before and is in trouble holds back; another one in its place that could not be read for a
    while has said nothing. Who may still say something has the lease, or had it until a moment ago.
    """
    items = []
    for stream in Stream.objects.filter(_match_abandoned()):
        with lease(name_reader_lease(stream.pk), READING) as mine:
            try:
                if mine and Stream.objects.filter(_match_abandoned(), pk=stream.pk).exists():
                    take_watermark(stream, None)
                    items.append(stream.name)
            except OSError as why:
                log.warning("what is final in %s cannot go on: %s", stream.name, why)
    return items


def _match_abandoned() -> Q:
    """Streams that are held back by a source that is no more."""
    unread = Q(
        source__opened=False,
        source__observed__in=[StreamSource.Observed.RETRYING, StreamSource.Observed.PAUSED],
        source__changed_at__lt=timezone.now() - timedelta(seconds=GRACE),
    )
    return Q(held=True) & (Q(source=None) | unread)


def _advance_if_idle(stream: Stream, now: float) -> bool:
    """Whether it was idle for as long as it says; then a heartbeat has landed."""
    after, landing = load_declaration(stream).idle_after, _get_landing(stream.folder)
    end = landing.end()
    if after is None or end == 0:
        return False
    known, since = _quiet.get(stream.folder, (-1, now))
    if known != end or _may_hold_events(stream):
        since = now
    _quiet[stream.folder] = end, since
    if now - since < after / SECOND:
        return False
    number = landing.beat(time.time_ns() // 1_000)
    _quiet[stream.folder] = number + 1, now
    return True


def _may_hold_events(stream: Stream) -> bool:
    """Whether a source may hold events that have not come: it is not read just now, or is read behind."""
    source: StreamSource | None = getattr(stream, "source", None)
    if source is None:
        return False
    if source.observed != StreamSource.Observed.READING or source.lag or source.looked_at is None:
        return True
    return (timezone.now() - source.looked_at).total_seconds() > SEEN_LATELY


@cache
def _get_landing(folder: str) -> Landing:
    return Landing(settings.LANDING, folder)
