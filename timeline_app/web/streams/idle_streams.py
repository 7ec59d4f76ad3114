"""Idle streams: heartbeats advance their watermarks, so that results become final.

A stream is idle by this process's own clock, from its first look. So a server that was down, a jump of the clock, or
an unreadable source makes no stream idle.
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
from timeline_app.web.streams.source_intake import READER_LEASE_S, name_reader_lease, take_watermark

SOURCE_STATUS_TTL_S = 30.0
"""What the intake reported about a source is trusted during this time."""
REPLACED_SOURCE_GRACE_S = 300.0
"""How long a source that replaces one that holds back may take until it can be read."""
log = logging.getLogger(__name__)
_quiet: dict[str, tuple[int, float]] = {}
"""By landing: its end, and since when it has been there."""


def clear_cache() -> None:
    _quiet.clear()


def advance_idle_streams(now: float | None = None) -> list[str]:
    """Land a heartbeat for each idle stream; return their names. A failure affects only its own stream."""
    now = time.monotonic() if now is None else now
    names = []
    # This searches the declaration's JSON text for the quoted name.
    for stream in Stream.objects.filter(document__contains="idle_after").select_related("source"):
        try:
            if _advance_if_idle(stream, now):
                names.append(stream.name)
        except OSError as why:
            log.warning("no heartbeat for %s: %s", stream.name, why)
    return names


def release_held_back() -> list[str]:
    """Release streams held back by sources that no longer exist; return their names.

    A source that was read before and is in trouble holds back. Another one in its place that could not be read for a
    while does not. Whoever may still report has the lease, or had it until a moment ago. A failure affects only its
    own stream.
    """
    names = []
    for stream in Stream.objects.filter(_match_abandoned()):
        with lease(name_reader_lease(stream.pk), READER_LEASE_S) as acquired:
            try:
                if acquired and Stream.objects.filter(_match_abandoned(), pk=stream.pk).exists():
                    take_watermark(stream, None)
                    names.append(stream.name)
            except OSError as why:
                log.warning("what is final in %s cannot go on: %s", stream.name, why)
    return names


def _match_abandoned() -> Q:
    """Match streams that are held back by a source that no longer exists."""
    unread = Q(
        source__opened=False,
        source__observed__in=[StreamSource.Observed.RETRYING, StreamSource.Observed.PAUSED],
        source__changed_at__lt=timezone.now() - timedelta(seconds=REPLACED_SOURCE_GRACE_S),
    )
    return Q(held=True) & (Q(source=None) | unread)


def _advance_if_idle(stream: Stream, now: float) -> bool:
    """Land a heartbeat if the stream has been idle long enough; return whether it was."""
    after, landing = load_declaration(stream).idle_after, _get_landing(stream.folder)
    end = landing.end()
    if after is None or end == 0:
        return False
    last_end, since = _quiet.get(stream.folder, (-1, now))
    if last_end != end or _may_hold_events(stream):
        since = now
    _quiet[stream.folder] = end, since
    if now - since < after / SECOND:
        return False
    number = landing.beat(time.time_ns() // 1_000)
    _quiet[stream.folder] = number + 1, now
    return True


def _may_hold_events(stream: Stream) -> bool:
    """Return whether a source may hold events that have not arrived: it is not being read, or lags."""
    source: StreamSource | None = getattr(stream, "source", None)
    if source is None:
        return False
    if source.observed != StreamSource.Observed.READING or source.lag or source.looked_at is None:
        return True
    return (timezone.now() - source.looked_at).total_seconds() > SOURCE_STATUS_TTL_S


@cache
def _get_landing(folder: str) -> Landing:
    return Landing(settings.LANDING, folder)
