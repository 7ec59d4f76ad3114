"""Redis Streams: read by a consumer group, so that Redis redelivers unacknowledged entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Annotated, Any, Literal

import orjson
import redis

from timeline_app.connectors.egress.failures import describe_failure
from timeline_app.connectors.egress.policy import Destination
from timeline_app.connectors.options import Option
from timeline_app.connectors.raw_events import EVENTS, encode_bytes
from timeline_app.connectors.reading import NothingYet, SourceUnavailable
from timeline_app.connectors.redis.connection import (
    Endless,
    build_client,
    describe_bad_address,
    parse_destination,
    refuse_own,
)
from timeline_app.connectors.source_contract import Acknowledge, Given, Restriction, SplittableSource, resume
from timeline_app.connectors.splits.estimators import Estimator
from timeline_app.connectors.splits.readers import JournalledReader
from timeline_app.connectors.splits.tracker import Position, Tracker
from timeline_app.problems.spelling import close_names

ENTRIES_PER_CALL = 1_000
MAX_COUNTED_ENTRIES = 100
RETRY_AFTER_S = 5.0
Fields = dict[bytes, bytes]
_HINTS = {
    "WRONGTYPE": "one of streams names something else than a stream",
    "NOAUTH": "it asks for a login: fill in password",
    "NOPERM": "the user may not do that: let it read these streams, in Redis",
    "NOGROUP": "its group was removed meanwhile: it is made again",
    "LOADING": "it loads its data yet",
    "READONLY": "it is a replica, which makes no groups: read from the one that it follows",
    "MOVED": "it is a cluster, which is not read",
    "CLUSTERDOWN": "its cluster is down",
    "MASTERDOWN": "it has lost the one that it follows",
    "OOM": "it has no memory left",
    "MISCONF": "it cannot write to its disk",
    "ERR": "check that it is a Redis from version 6.2 on",
}
"""By the code that begins a Redis error. Its text is not repeated: anybody may have written it."""
_TYPES = ("string", "list", "set", "zset", "hash")


def _check_names(streams: str) -> str | None:
    return None if all(name.strip() for name in streams.split(",")) else "has an empty name; a,b names two"


def _check_positive(number: int) -> str | None:
    return None if number > 0 else f"must be 1 at least, not {number}"


class RedisStreams(SplittableSource):
    """One restriction per stream and consumer; positions are entry ids, as [milliseconds, number]."""

    title, where = "Redis Streams", ("url", "group")
    schema, reader, poll = EVENTS, JournalledReader, 0.2

    def __init__(
        self,
        url: Annotated[
            str, Option("The address of the Redis: redis://host:6379/0", check=describe_bad_address)
        ],
        streams: Annotated[
            str, Option("The names of the streams, with commas between them", check=_check_names)
        ],
        group: Annotated[
            str, Option("The consumer group, made where it is missing; who shares one shares the entries")
        ] = "timelines",
        field: Annotated[
            str, Option("The field that holds the event as JSON; empty: the fields are the event")
        ] = "",
        begin: Annotated[
            Literal["first", "new"], Option("Where a new group begins: first entry, or new ones")
        ] = "first",
        consumers: Annotated[int, Option("How many read each stream at a time", check=_check_positive)] = 1,
        password: Annotated[str, Option("The password of the Redis", secret=True)] = "",  # nosec B107
    ) -> None:
        """Connect on first use."""
        self.url, self.group, self.field, self.password = url, group, field, password
        self.begin = "0" if begin == "first" else "$"
        self.streams = [name.strip() for name in streams.split(",")]
        self.consumers = consumers
        self.own = ""
        self._client: Any = None

    @property
    def redis(self) -> Any:
        """The connection, opened on first use; raises `SourceUnavailable` for the product's own Redis."""
        if self._client is None:
            client = build_client(self.url, self.password, self.egress)
            if self.own:
                refuse_own(client, self.own)
            self._client = client
        return self._client

    def destinations(self) -> Iterable[Destination]:
        """Return the host of the address."""
        return [parse_destination(self.url)]

    def restrictions(self) -> Iterable[Restriction]:
        """Return each stream for each consumer; a missing stream or group is created."""
        with self._words():
            for stream in self.streams:
                try:
                    self.redis.xgroup_create(stream, self.group, self.begin, mkstream=True)
                except redis.ResponseError as why:
                    if "BUSYGROUP" not in str(why):
                        raise
        return [
            Restriction(f"{item}/{number}", [0, 0])
            for item in self.streams
            for number in range(self.consumers)
        ]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        """Return whether entries are undelivered, or delivered to this consumer and unread."""
        del end
        stream, consumer = key.rsplit("/", 1)
        with self._words():
            last = self.redis.xinfo_stream(stream)["last-generated-id"]
            if last != self._group(stream)["last-delivered-id"]:
                return True
            return bool(self._pending(stream, consumer, start, 1))

    def size(self, key: str, start: Position, end: Position) -> int | None:
        """Return how many entries are undelivered, or delivered to this consumer and unread.

        Before version 7 Redis does not report the first: few are counted, many are estimated. The second are counted
        up to the size of one call.
        """
        del end
        stream, consumer = key.rsplit("/", 1)
        with self._words():
            pending_count = len(self._pending(stream, consumer, start, ENTRIES_PER_CALL))
            group = self._group(stream)
            lag = group.get("lag")
            if lag is None:
                behind = group["last-delivered-id"]
                lag = len(self.redis.xrange(stream, f"({behind.decode()}", "+", MAX_COUNTED_ENTRIES))
                lag = (
                    lag
                    if lag < MAX_COUNTED_ENTRIES
                    else max(lag, _estimate_entries(self.redis.xinfo_stream(stream), behind))
                )
        return int(lag) // self.consumers + pending_count + 1

    def now(self, key: str) -> Position:
        """Return the id of the last entry."""
        with self._words():
            return _parse_position(self.redis.xinfo_stream(key.rsplit("/", 1)[0])["last-generated-id"])

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Yield first the entries delivered to this consumer and not acknowledged, then new ones."""
        del watermark
        stream, consumer = key.rsplit("/", 1)
        with self._words():
            try:
                for entry, fields in self._entries(stream, consumer, tracker.start):
                    if not tracker.try_claim(_parse_position(entry)):
                        return None
                    ack(entry.decode())
                    if fields:  # None: it was deleted before it was read
                        yield self._event(fields), stream, entry.decode()
            except redis.ConnectionError:
                return resume(RETRY_AFTER_S)
        return resume(self.poll)

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        """Send XACK."""
        stream = key.rsplit("/", 1)[0]
        with self._words():
            for first in range(0, len(payloads), ENTRIES_PER_CALL):
                self.redis.xack(stream, self.group, *payloads[first : first + ENTRIES_PER_CALL])

    def sample(self, most: int) -> Iterator[tuple[str, str, str]]:
        """Yield the newest entries without creating a group."""
        with self._words():
            for stream in self.streams:
                kind = self.redis.type(stream).decode()
                if kind != "stream":
                    raise self._no_stream(stream, kind)
                for entry, fields in reversed(self.redis.xrevrange(stream, count=most)):
                    yield self._event(fields), stream, entry.decode()

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._client is not None:
            self._client.close()

    @contextmanager
    def _words(self) -> Iterator[None]:
        """Raise errors of Redis as `SourceUnavailable`, with what to do."""
        try:
            yield
        except redis.AuthenticationError:
            raise SourceUnavailable("Redis refuses the login: check password, and the user in url") from None
        except redis.exceptions.NoPermissionError:
            raise SourceUnavailable(f"Redis refuses: {_HINTS['NOPERM']}") from None
        except redis.ConnectionError as why:
            words = describe_failure(why)
            raise SourceUnavailable(
                f"no Redis answers at {self.url}: check url, and whether it runs ({words})"
            ) from None
        except redis.TimeoutError:
            raise SourceUnavailable(
                f"the Redis at {self.url} does not answer in time: check url, and whether it is a Redis"
            ) from None
        except Endless as why:
            raise SourceUnavailable(
                f"what is at {self.url} does not answer as a Redis does: check url ({why})"
            ) from None
        except redis.ResponseError as why:
            code = str(why).partition(" ")[0]
            raise SourceUnavailable(
                f"Redis refuses: {_HINTS.get(code, 'for a reason that is not known here')}"
            ) from None
        except (redis.RedisError, ValueError, TypeError, LookupError, AttributeError):
            raise SourceUnavailable(
                f"what answers at {self.url} is no Redis: check url, its port above all"
            ) from None

    def _no_stream(self, stream: str, kind: str) -> SourceUnavailable:
        """Explain a missing stream, and suggest a similar name."""
        if kind != "none":
            kind = kind if kind in _TYPES else "thing of another kind"
            return SourceUnavailable(
                f"{stream!r} is no stream in this Redis but a {kind}: choose another name"
            )
        stream_names = islice(self.redis.scan_iter(count=ENTRIES_PER_CALL, _type="stream"), ENTRIES_PER_CALL)
        suggestions = close_names(
            stream, [item.decode(errors="replace") for item in stream_names], cutoff=0.4
        )
        hint = f"did you mean {' or '.join(suggestions)}? If not, " if suggestions else ""
        hint += "read from there all the same: it is made, and read as soon as an entry is added"
        return NothingYet(f"there is no stream {stream!r} in this Redis; {hint}")

    def _group(self, stream: str) -> dict[str, Any]:
        return next(
            group for group in self.redis.xinfo_groups(stream) if group["name"] == self.group.encode()
        )

    def _pending(self, stream: str, consumer: str, start: Position, most: int) -> list[Any]:
        """Return the entries after a position that a consumer was given and has not acknowledged."""
        behind = f"({_format_position(start)}" if start != [0, 0] else "-"
        values: list[Any] = self.redis.xpending_range(stream, self.group, behind, "+", most, consumer)
        return values

    def _entries(self, stream: str, consumer: str, start: Position) -> Iterator[tuple[bytes, Fields]]:
        behind = _format_position(start)
        while behind:
            streams = self.redis.xreadgroup(self.group, consumer, {stream: behind}, ENTRIES_PER_CALL)
            entries = streams[0][1] if streams else []
            yield from entries
            if behind == ">" and len(entries) < ENTRIES_PER_CALL:
                return
            behind = entries[-1][0].decode() if entries and behind != ">" else ">"

    def _event(self, fields: Fields) -> str:
        if self.field:
            return encode_bytes(fields.get(self.field.encode(), b""))
        texts = {_decode_text(name): _decode_text(value) for name, value in fields.items()}
        return orjson.dumps(texts).decode()


def _estimate_entries(info: dict[str, Any], behind: bytes) -> int:
    """Estimate how many entries come after one, assuming an even rate."""
    begin, place, end = (
        _parse_position(entry)[0] for entry in (info["first-entry"][0], behind, info["last-generated-id"])
    )
    return int(info["length"] * min(1.0, (end - place) / max(end - begin, 1)))


def _parse_position(entry: bytes) -> list[int]:
    return [int(part) for part in entry.split(b"-")]


def _format_position(position: Position) -> str:
    return "-".join(map(str, position))


def _decode_text(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")
