"""Packing of all feeds: what is published long ago lies in few files."""

from __future__ import annotations

import logging

import pyarrow as pa
from django.conf import settings

from timeline_app.storage.feed import Feed
from timeline_app.storage.places import Places
from timeline_app.web.models import Query

TROUBLE = (OSError, ValueError, pa.ArrowException)
log = logging.getLogger(__name__)


def pack_feeds() -> int:
    """One round over the feeds of all queries, also of those that ended; the trouble of one is its own.

    How many batches were packed.
    """
    places = Places(settings.TIMELINE_DATA)
    return sum(
        _pack(Feed(places.feed(name)), position + 1)
        for name, position in Query.objects.order_by("pk").values_list("name", "position")
    )


def _pack(feed: Feed, published: int) -> int:
    try:
        return feed.pack(published, settings.PACK)
    except TROUBLE as why:
        log.warning("the feed %s could not be packed: %s", feed.path.name, why)
        return 0
