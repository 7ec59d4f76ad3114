"""Timelines as they change: a snapshot, then revisions, folded; none is lost and none comes twice."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import websockets.asyncio.client as asynchronous
import websockets.sync.client as synchronous
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from timelines.errors import ApiError, Missing, NotAllowed, Silent
from timelines.http import Http, Json, pause
from timelines.nodes import Node
from timelines.timeline import Point, Timeline

NOT_LOGGED_IN = 4401
LOST = (ConnectionClosed, InvalidHandshake, OSError)
MAX_MESSAGE_BYTES = 64 * 2**20
MAX_OPENING_S = 10.0
MAX_WAIT_S = 86_400.0
"""Of one call: there are waits that a lock cannot be asked for."""


@dataclass(frozen=True)
class Update:
    """What a timeline says now, and from when to when it changed (`start`, `end`; None: since ever, open)."""

    node: Node
    key: str
    kind: Literal["snapshot", "revision", "progress"]
    timeline: Timeline
    start: int | None = None
    end: int | None = None


class Gap(Exception):
    """A message was missed: a new snapshot is needed."""


@dataclass
class Followed:
    """One timeline that is followed."""

    node: Node
    key: str
    timeline: Timeline | None = None
    seq: int = -1

    def hear(self, message: Json) -> Update | None:
        """What a message means; raises `Gap`. A snapshot that says what is known already means nothing."""
        if message["type"] == "snapshot":
            return self._begin(message)
        if self.seq < 0 or self.timeline is None:
            return None  # of the subscription before the one that was asked for
        standing = {name: message[name] for name in ("final_until", "as_of")}
        if message["type"] == "revision":
            if message["seq"] != self.seq + 1:
                raise Gap
            self.seq = message["seq"]
            pieces = [Point.of_row(piece) for piece in message["pieces"]]
            start, end = message["start"], message["end"]
            standing["version"] = message["version"]
            self.timeline = self.timeline.revised(start, end, pieces, **standing)
            return Update(self.node, self.key, "revision", self.timeline, start, end)
        self.timeline = self.timeline.revised(0, 0, (), **standing)
        return Update(self.node, self.key, "progress", self.timeline)

    def _begin(self, message: Json) -> Update | None:
        before, self.timeline, self.seq = self.timeline, Timeline.from_json(message), message["seq"]
        if before is not None and (before.version, before.points) == (
            self.timeline.version,
            self.timeline.points,
        ):
            return None
        return Update(self.node, self.key, "snapshot", self.timeline)


@dataclass
class Patience:
    """How long one waits for the next update; `seconds` None: for ever."""

    seconds: float | None = None
    _until: float = 0.0

    def begin(self) -> None:
        """From now on, for whoever asks for the next update."""
        self._until = time.monotonic() + (self.seconds or 0.0)

    def left(self, longest: float | None = None) -> float | None:
        """The seconds that are left, `longest` at most (None: as long as it takes); raises `Silent` where none are."""
        if self.seconds is None:
            return longest
        seconds_left = self._until - time.monotonic()
        if seconds_left <= 0:
            raise Silent(
                f"No update came for {self.seconds:g} s. What the nodes do, `node.status()` says in words."
            )
        return min(seconds_left, MAX_WAIT_S if longest is None else longest)


@dataclass
class Live:
    """Follows timelines: `for update in client.live((node, "s1")): …`, or `async for`.

    A gap or a lost connection brings a new snapshot; connections are made again, each time after a longer pause.
    """

    http: Http
    followed: Sequence[Followed]
    progress: bool = False
    patience: Patience = field(default_factory=Patience)
    _closed: bool = False
    _socket: Any = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Where the socket is."""
        return "ws" + self.http.url.removeprefix("http") + "/ws/live/"

    def close(self) -> None:
        """End the iteration, also while it waits."""
        self._closed = True
        if isinstance(self._socket, synchronous.ClientConnection):
            self._socket.close()

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Update]:
        turn = 0
        self.patience.begin()
        while not self._ended():
            try:
                with synchronous.connect(self.url, **self._options()) as self._socket:
                    for name in range(len(self.followed)):
                        self._socket.send(self._wish(name))
                    while not self._ended():
                        text = self._socket.recv(self.patience.left())
                        turn = 0
                        update, wish = self._hear(str(text))
                        if wish:
                            self._socket.send(wish)
                        if update:
                            yield update
                            self.patience.begin()
                    return
            except TimeoutError:
                self.patience.left()
            except LOST as why:
                refuse_strangers(why)
            refuse_closed(self._socket)
            turn += 1
            if not self._ended():
                time.sleep(self.patience.left(pause(turn)) or 0.0)

    async def __aiter__(self) -> AsyncIterator[Update]:
        turn = 0
        self.patience.begin()
        while not self._ended():
            socket = None
            try:
                async with asynchronous.connect(self.url, **self._options()) as socket:
                    for name in range(len(self.followed)):
                        await socket.send(self._wish(name))
                    while not self._ended():
                        async with asyncio.timeout(self.patience.left()):
                            text = await socket.recv()
                        turn = 0
                        update, wish = self._hear(str(text))
                        if wish:
                            await socket.send(wish)
                        if update:
                            yield update
                            self.patience.begin()
                    return
            except TimeoutError:
                self.patience.left()
            except LOST as why:
                refuse_strangers(why)
            refuse_closed(socket)
            turn += 1
            await asyncio.sleep(self.patience.left(pause(turn)) or 0.0)

    def _ended(self) -> bool:
        return self._closed

    def _options(self) -> dict[str, Any]:
        headers = {"Authorization": f"Token {self.http.token}"}
        wait = self.patience.left(MAX_OPENING_S)
        return {"additional_headers": headers, "max_size": MAX_MESSAGE_BYTES, "open_timeout": wait}

    def _wish(self, name: int) -> str:
        """Ask for a snapshot and all that follows; what still comes of the subscription before counts no more."""
        followed = self.followed[name]
        followed.seq = -1
        message = {"type": "subscribe", "id": str(name), "node": followed.node.digest, "key": followed.key}
        return json.dumps(message | {"from": None})

    def _hear(self, text: str) -> tuple[Update | None, str | None]:
        """What a message means, and what is to be asked for because of it."""
        message = json.loads(text)
        if message["type"] == "error":
            return None, self._refused(message)
        if message["type"] not in ("snapshot", "revision", "progress"):
            return None, None
        name = int(message["id"])
        try:
            update = self.followed[name].hear(message)
        except Gap:
            return None, self._wish(name)
        return (update if update and (self.progress or update.kind != "progress") else None), None

    def _refused(self, message: Json) -> str | None:
        if message["code"] == "unavailable" and message["id"] is not None:
            time.sleep(pause(1))
            return self._wish(int(message["id"]))
        kind = Missing if message["code"].startswith("unknown") else ApiError
        raise kind(404 if kind is Missing else 400, message["code"], message["message"])


def refuse_closed(socket: Any) -> None:
    """Raise `NotAllowed` where the server closed because nobody is logged in."""
    if socket is not None and socket.close_code == NOT_LOGGED_IN:
        raise NotAllowed(401, "not_authenticated", "The token opens no live connection.")


def refuse_strangers(why: BaseException) -> None:
    """The same for a connection that is not made at all."""
    status = getattr(getattr(why, "response", None), "status_code", None)
    if status in (401, 403):
        raise NotAllowed(status, "not_authenticated", "The token opens no live connection.") from why
