"""Packing of all feeds: what is published long ago lies in few files."""

from __future__ import annotations

import logging
import time

import pyarrow as pa
from django.conf import settings

from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.web.models import Query

TROUBLE = (OSError, ValueError, pa.ArrowException)
log = logging.getLogger(__name__)


def pack_feeds(*, seconds: float = 60.0) -> int:
    """One round over the feeds of all queries, also of those that ended; the trouble of one is its own.

    A pack of each in turn, as long as there are some and the time lasts; how many batches were packed.
    """
    until, places, packed = time.monotonic() + seconds, Places(settings.TIMELINE_DATA), 0
    published = Query.objects.order_by("pk").values_list("name", "position")
    left = [(FileFeed(places.feed(name)), position + 1) for name, position in published]
    while left and time.monotonic() < until:
        feed, ready = left.pop(0)
        if result := _pack(feed, ready):
            packed += result
            left.append((feed, ready))
    return packed


def _pack(feed: FileFeed, published: int) -> int:
    try:
        return feed.pack(published, settings.PACK)
    except TROUBLE as why:
        log.warning("the feed %s could not be packed: %s", feed.name, why)
        return 0
