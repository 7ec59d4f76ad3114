"""Streams: declared, looked at, and fed."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from typing import Any
from urllib.parse import quote

from timelines.errors import Conflict
from timelines.http import Http, Json
from timelines.things import Shared

Event = Mapping[str, Any]
MAX_EVENTS_PER_PUSH = 5_000
MOST_BYTES = 4 * 2**20


def line_of(event: Event) -> bytes:
    """An event as a line of JSON; datetimes become ISO 8601."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"), default=spell_value).encode() + b"\n"


def spell_value(value: Any) -> str:
    """What JSON does not know."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.isoformat()
    raise TypeError(f"{value!r} cannot be in an event; a datetime needs a time zone")


def batches(events: Iterable[Event], most: int = MAX_EVENTS_PER_PUSH) -> Iterator[tuple[int, bytes]]:
    """Bodies of requests, with how many events each holds.

    >>> [(count, len(body)) for count, body in batches([{"a": 1}, {"a": 2}, {"a": 3}], most=2)]
    [(2, 16), (1, 8)]
    """
    lines: list[bytes] = []
    size = 0
    for line in map(line_of, events):
        if lines and (len(lines) >= most or size + len(line) > MOST_BYTES):
            yield len(lines), b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield len(lines), b"".join(lines)


@dataclass(frozen=True)
class Pushed:
    """What became of events: `taken` are on disk, some of them `late`, `too_late` or `duplicates`; others `rejected`.

    Late ones correct what was final. No node applies those that are too late. What is rejected lies in quarantine.
    """

    taken: int = 0
    late: int = 0
    too_late: int = 0
    duplicates: int = 0
    rejected: int = 0

    @classmethod
    def from_json(cls, answer: Json) -> Pushed:
        """As the server answers."""
        return cls(**{name.name: answer.get(name.name, 0) for name in fields(cls)})

    def __add__(self, other: Pushed) -> Pushed:
        """Of both."""
        return Pushed(*(sum(pair) for pair in zip(astuple(self), astuple(other), strict=True)))


@dataclass
class Sender:
    """Pushes under a name and with numbers: what is sent again lands once, and all of it lands in this order."""

    http: Http
    path: str
    name: str
    number: int = 0

    def push(self, events: Iterable[Event], *, batch: int = MAX_EVENTS_PER_PUSH) -> Pushed:
        """What became of them. Where it raises, the batches before the failing one have landed."""
        pushed = Pushed()
        for _, body in batches(events, batch):
            pushed += self._send(body)
        return pushed

    def _send(self, body: bytes) -> Pushed:
        headers = {
            "Content-Type": "application/x-ndjson",
            "Client-Id": self.name,
            "Client-Sequence": str(self.number),
        }
        answer = self.http.ask("POST", self.path, content=body, headers=headers, again=True)
        self.number += 1
        return Pushed.from_json(answer)


class Stream(Shared):
    """A never-ending collection of events."""

    def __init__(self, http: Http, name: str) -> None:
        self.http, self.name = http, name

    def __repr__(self) -> str:
        return f"Stream({self.name!r})"

    @property
    def path(self) -> str:
        """Its address under `/api/`."""
        return f"streams/{quote(self.name, safe='')}/"

    def status(self) -> Json:
        """Its declaration, its owner, and what has arrived."""
        answer: Json = self.http.get(self.path)
        return answer

    def sender(self, name: str | None = None, number: int = 0) -> Sender:
        """Somebody who pushes. To go on under a name later, keep `sender.number`."""
        return Sender(self.http, f"{self.path}events/", name or f"timelines-{uuid.uuid4()}", number)

    def push(self, events: Iterable[Event], *, batch: int = MAX_EVENTS_PER_PUSH) -> Pushed:
        """Push events in batches, each landing once however often it has to be sent; what became of them."""
        return self.sender().push(events, batch=batch)

    def activity(self) -> Json:
        """What arrives: rates, and how late events are."""
        answer: Json = self.http.get(f"{self.path}activity/")
        return answer

    def newest(self, limit: int = 20) -> list[Json]:
        """The events that landed last, newest first."""
        return list(self.http.get(f"{self.path}events/", limit=limit)["results"])

    def delete(self) -> None:
        """Forget it, unless a running plan reads it."""
        self.http.delete(self.path)


@dataclass(frozen=True)
class Streams:
    """All streams that you may look at."""

    http: Http

    def list(self, q: str = "") -> Iterator[Json]:
        """Those that fit a search, with what has arrived."""
        return self.http.pages("streams/", q=q or None, limit=200)

    def get(self, name: str) -> Stream:
        """The stream of this name; raises `Missing` with those that could have been meant."""
        stream = Stream(self.http, name)
        stream.status()
        return stream

    def declare(self, name: str, *, key: str, time: str, exist_ok: bool = False, **options: Any) -> Stream:
        """Declare a stream; `options` are those of the text: `unit`, `id`, `until`, `fields` and others."""
        try:
            self.http.post("streams/", {"name": name, "key": key, "time": time, **options})
        except Conflict:
            if not exist_ok:
                raise
        return Stream(self.http, name)
