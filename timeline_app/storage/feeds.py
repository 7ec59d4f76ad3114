"""Which feed lies in a directory, and what a new one is to be: files, or a topic of the broker."""

from __future__ import annotations

import errno
from functools import lru_cache

from timeline_app.storage.addresses import Place
from timeline_app.storage.broker import Broker
from timeline_app.storage.feed import Feed
from timeline_app.storage.file_feed import FileFeed

FILES = "_spark_metadata"
"""The folder in it where Spark writes down the batches that are files."""
NOTE = "topic"
"""The file in a feed's directory that says which topic it is."""


def feed_of(folder: Place) -> Feed:
    """The feed of a directory, which may be still to come."""
    try:
        return _settled(folder)
    except FileNotFoundError:
        return FileFeed(folder)


def begin(folder: Place, broker: Broker | None) -> None:
    """Before a query writes to a feed: a new one becomes a topic where there is a broker; what is there stays."""
    if broker is not None and _settles(folder) is None:
        from timeline_app.storage import topic_feed  # noqa: PLC0415  (machines of Spark need no client)

        topic_feed.make(folder, NOTE, broker)


@lru_cache(maxsize=16_384)
def _settled(folder: Place) -> Feed:
    """What it is, which never changes; kept as soon as something says so."""
    found = _settles(folder)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such feed", str(folder))
    return found


def _settles(folder: Place) -> Feed | None:
    """What it is: the note says so, or a batch in files; the directory alone may be there before the note."""
    if not folder.is_dir():
        return None
    try:
        topic = (folder / NOTE).read_text()
    except FileNotFoundError:
        return FileFeed(folder) if (folder / FILES).is_dir() else None
    from timeline_app.storage.topic_feed import TopicFeed  # noqa: PLC0415

    return TopicFeed(folder, topic)
