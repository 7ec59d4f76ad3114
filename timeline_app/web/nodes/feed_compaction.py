"""Compaction of all feeds: what was published long ago lies in few files."""

from __future__ import annotations

import logging
import time

import pyarrow as pa
from django.conf import settings

from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.web.models import Query

FEED_ERRORS = (OSError, ValueError, pa.ArrowException)
log = logging.getLogger(__name__)


def pack_feeds(*, seconds: float = 60.0) -> int:
    """Compact the feeds of all queries in turn while time lasts; return how many batches were compacted.

    Queries that have ended count as well. A failure affects only its own feed.
    """
    until, places, compacted = time.monotonic() + seconds, Places(settings.TIMELINE_DATA), 0
    published = Query.objects.order_by("pk").values_list("name", "position")
    feeds_left = [(FileFeed(places.feed(name)), position + 1) for name, position in published]
    while feeds_left and time.monotonic() < until:
        feed, ready = feeds_left.pop(0)
        if result := _compact(feed, ready):
            compacted += result
            feeds_left.append((feed, ready))
    return compacted


def _compact(feed: FileFeed, published: int) -> int:
    try:
        return feed.compact(published, settings.BATCHES_PER_SEGMENT)
    except FEED_ERRORS as why:
        log.warning("the feed %s could not be compacted: %s", feed.name, why)
        return 0
