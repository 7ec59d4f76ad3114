"""Redis Streams: read by a consumer group, so that Redis knows what is not acknowledged yet, and gives it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import orjson
import redis

from timeline_app.sources.contract import Acknowledge, Given, Restriction, SplittableSource, resume
from timeline_app.sources.estimators import Estimator
from timeline_app.sources.options import Option
from timeline_app.sources.raw_events import EVENTS
from timeline_app.sources.readers import JournalledReader
from timeline_app.sources.tracker import Position, Tracker

AT_ONCE = 1_000
"""So many entries are asked for, or acknowledged, at a time."""
PAUSE = 5.0
"""Seconds until a Redis that was away is tried again."""
Fields = dict[bytes, bytes]


def _url(url: str) -> str | None:
    known = url.startswith(("redis://", "rediss://", "unix://"))
    return None if known else f"is no address of a Redis: {url!r}; such as redis://host:6379/0"


def _names(streams: str) -> str | None:
    return None if all(name.strip() for name in streams.split(",")) else "has an empty name; a,b names two"


def _positive(number: int) -> str | None:
    return None if number > 0 else f"must be 1 at least, not {number}"


class RedisStreams(SplittableSource):
    """One restriction for each stream and consumer; positions are the ids of entries, as [milliseconds, number]."""

    schema, reader = EVENTS, JournalledReader

    def __init__(
        self,
        url: Annotated[str, Option("The address of the Redis: redis://host:6379/0", check=_url)],
        streams: Annotated[str, Option("The names of the streams, with commas between them", check=_names)],
        group: Annotated[str, Option("The consumer group; it is made where it is missing")] = "timelines",
        field: Annotated[
            str, Option("The field that holds the event as JSON; empty: the fields are the event")
        ] = "",
        begin: Annotated[
            Literal["first", "new"], Option("Where a new group begins: first entry, or new ones")
        ] = "first",
        consumers: Annotated[int, Option("How many read each stream at a time", check=_positive)] = 1,
        password: Annotated[str, Option("The password of the Redis", secret=True)] = "",  # nosec B107
    ) -> None:
        """Redis is not asked yet."""
        self.url, self.group, self.field, self.password = url, group, field, password
        self.begin = "0" if begin == "first" else "$"
        self.streams = [name.strip() for name in streams.split(",")]
        self.consumers = consumers

    @cached_property
    def redis(self) -> Any:
        """The connection, made with the first question."""
        return redis.Redis.from_url(self.url, password=self.password or None, socket_timeout=10)

    def restrictions(self) -> Iterable[Restriction]:
        """Every stream, for every consumer."""
        for stream in self.streams:
            try:
                self.redis.xgroup_create(stream, self.group, self.begin, mkstream=True)
            except redis.ResponseError as why:
                if "BUSYGROUP" not in str(why):
                    raise
        return [
            Restriction(f"{one}/{number}", [0, 0]) for one in self.streams for number in range(self.consumers)
        ]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        """Whether there are entries that nobody was given, or that this consumer was given and has not read."""
        del end
        stream, consumer = key.rsplit("/", 1)
        if self.redis.xinfo_stream(stream)["last-generated-id"] != self._group(stream)["last-delivered-id"]:
            return True
        behind = f"({_spelled(start)}" if start != [0, 0] else "-"
        return bool(self.redis.xpending_range(stream, self.group, behind, "+", 1, consumer))

    def size(self, key: str, start: Position, end: Position) -> int | None:
        """What the group has not been given yet, where Redis knows (from version 7 on)."""
        del start, end
        lag = self._group(key.rsplit("/", 1)[0]).get("lag")
        return None if lag is None else lag // self.consumers + 1

    def now(self, key: str) -> Position:
        """The last entry."""
        return _position(self.redis.xinfo_stream(key.rsplit("/", 1)[0])["last-generated-id"])

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """First what this consumer was given and is not acknowledged, then what is new."""
        del watermark
        stream, consumer = key.rsplit("/", 1)
        try:
            for entry, fields in self._entries(stream, consumer, tracker.start):
                if not tracker.try_claim(_position(entry)):
                    return None
                ack(entry.decode())
                if fields:  # none: it was deleted before it was read
                    yield self._event(fields), stream, entry.decode()
        except redis.ConnectionError:
            return resume(PAUSE)
        return resume(self.poll)

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        """XACK: Redis forgets that the group was given them."""
        stream = key.rsplit("/", 1)[0]
        for first in range(0, len(payloads), AT_ONCE):
            self.redis.xack(stream, self.group, *payloads[first : first + AT_ONCE])

    def close(self) -> None:
        """Close the connection."""
        self.redis.close()

    def _group(self, stream: str) -> dict[str, Any]:
        return next(one for one in self.redis.xinfo_groups(stream) if one["name"] == self.group.encode())

    def _entries(self, stream: str, consumer: str, start: Position) -> Iterator[tuple[bytes, Fields]]:
        behind = _spelled(start)
        while behind:
            found = self.redis.xreadgroup(self.group, consumer, {stream: behind}, AT_ONCE)
            entries = found[0][1] if found else []
            yield from entries
            if behind == ">" and len(entries) < AT_ONCE:
                return
            behind = entries[-1][0].decode() if entries and behind != ">" else ">"

    def _event(self, fields: Fields) -> str:
        if self.field:
            return fields.get(self.field.encode(), b"").decode("utf-8", "backslashreplace")
        told = {_text(name): _text(value) for name, value in fields.items()}
        return orjson.dumps(told).decode()


def _position(entry: bytes) -> list[int]:
    return [int(part) for part in entry.split(b"-")]


def _spelled(position: Position) -> str:
    return "-".join(map(str, position))


def _text(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")
