"""Limits on request bodies: their size, which Django would first write to disk, their pace, and their sum.

Limits on connections and headers are in `http_limits`, which the server applies before a request gets here.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from timeline_app.web.core.client_addresses import find_scope_address
from timeline_app.web.core.errors import ApiError, BodyStalled, BodyTooLarge, Busy, LengthRequired
from timeline_app.web.core.request_bodies import PATIENCE, Body

LIMIT = 8 * 2**20
LEAST = 2**19
"""So much a request counts at least: it needs a thread as well."""
MAX_PUBLIC_BODY_BYTES = 64 * 2**10
PUBLIC = re.compile(r"/(login|logout|password)/")
"""Forms that hold a name and a password; everybody may send them."""
STRANGERS_SHARE = 8
"""Bodies with unknown credentials may hold one eighth of the room."""
STRANGER_HOLD_S = 5.0
"""After so long a body that is not whole makes room for others: else a few slow ones keep all logins out."""
MAX_SHARE_PER_ADDRESS = 4
"""Of the strangers' room, the unfinished bodies of one address may hold one fourth."""
MAX_DRAIN_S = 2.0
MAX_CALLERS = 10_000
CALLER_TTL_S = 600.0
CHUNKED = "The body comes in chunks (Transfer-Encoding), and nothing says how long it is. Send it with Content-Length."
EVENTS = re.compile(r"/api/(streams/[^/]+/(events|sample)|guess)/")


class BodyLimit:
    """An ASGI application that answers 413 to larger requests, 411 to those that do not say how large they are, 408 to
    those that stop on the way, and passes on all others.
    """

    def __init__(self, application: Any, limit: int = LIMIT, patience: float = PATIENCE) -> None:
        self.application = application
        self.limit = limit
        self.patience = patience

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Refuse by what is declared, or as soon as the limit or the patience is passed."""
        headers = dict(scope["headers"])
        if b"transfer-encoding" in headers:
            await refuse(send, LengthRequired(CHUNKED))
            return
        declared = headers.get(b"content-length", b"0")
        limit = min(self.limit, MAX_PUBLIC_BODY_BYTES) if PUBLIC.fullmatch(scope["path"]) else self.limit
        if len(declared) > 20 or not declared.isdigit() or int(declared) > limit:
            await refuse(send, BodyTooLarge.over(limit))
            return
        body = Body(receive, limit, self.patience)
        try:
            await self.application(scope, body.receive, send)
        except (BodyTooLarge, BodyStalled) as why:
            await refuse(send, why)


def is_event_request(scope: dict[str, Any]) -> bool:
    """Whether the body holds events."""
    return scope["method"] == "POST" and EVENTS.fullmatch(scope["path"]) is not None


def has_other_body(scope: dict[str, Any]) -> bool:
    """Whether there is a body that holds no events."""
    return has_body(scope) and not is_event_request(scope)


def has_body(scope: dict[str, Any]) -> bool:
    """Whether a body was announced: `BodyLimit` has checked the header."""
    return any(name == b"content-length" and value.strip(b"0") for name, value in scope["headers"])


class InFlight:
    """An ASGI application that answers 429 to requests while the bodies of others hold `limit` bytes.

    `counts` selects the requests by their scope; each of them counts at least `least` bytes. Where there is no room,
    bodies that have been coming for more than `hold` seconds are given up, the oldest first. The unfinished bodies of
    one address hold at most `per_address` bytes.
    """

    def __init__(
        self,
        application: Any,
        limit: int,
        *,
        least: int = LEAST,
        counts: Callable[[dict[str, Any]], bool] = is_event_request,
        hold: float = math.inf,
        per_address: float = math.inf,
    ) -> None:
        self.application = application
        self.limit = limit
        self.least, self.counts, self.hold, self.per_address = least, counts, hold, per_address
        self.taken = 0
        self.coming: dict[Share, None] = {}
        """The requests whose bodies are not whole, in the order in which they began."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Count by the bytes that have come: what is only declared keeps nobody waiting."""
        if not self.counts(scope):
            await self.application(scope, receive, send)
            return
        share = Share(self, receive, find_scope_address(scope))
        try:
            share.take(self.least)
            await self.application(scope, share.receive, send)
        except Crowded:
            share.release()  # before the rest comes, which nobody keeps
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(share.drain(), MAX_DRAIN_S)
            await answer(send, Busy.in_flight(self.limit))
        finally:
            share.release()


class RecognisedCallers:
    """An ASGI application that remembers which credentials Django has accepted.

    It decides nothing about permissions: it only lets a flood of bodies with no or invented credentials fill a room of
    its own, so that callers who have been logged in before still get through.
    """

    def __init__(self, application: Any, user_of_request: Callable[[], str]) -> None:
        """`user_of_request` gives the name of the user whom Django found for the present request, or nothing."""
        self.application = application
        self._user_of_request = user_of_request
        self._expiries: OrderedDict[bytes, float] = OrderedDict()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Pass on, and remember the credentials if there turns out to be a user behind them."""
        await self.application(scope, receive, send)
        if self._user_of_request() and (key := hash_credentials(scope)):
            self._expiries[key] = time.monotonic() + CALLER_TTL_S
            self._expiries.move_to_end(key)
            if len(self._expiries) > MAX_CALLERS:
                self._expiries.popitem(last=False)

    def is_stranger(self, scope: dict[str, Any]) -> bool:
        """Whether there is a body, and nobody has been logged in with these credentials lately."""
        if not has_body(scope):
            return False
        return self._expiries.get(hash_credentials(scope), 0.0) < time.monotonic()


def hash_credentials(scope: dict[str, Any]) -> bytes:
    """A digest of token and cookies, 32 bytes; empty where there are none."""
    sent = [value for name, value in scope["headers"] if name in (b"authorization", b"cookie")]
    return hashlib.sha256(b"\0".join(sent)).digest() if sent else b""


def limit_bodies(application: Any, in_flight: int, user_of_request: Callable[[], str]) -> Any:
    """The application behind all limits on bodies; `in_flight` in bytes."""
    callers = RecognisedCallers(application, user_of_request)
    rooms: Any = InFlight(callers, in_flight)
    rooms = InFlight(rooms, in_flight, least=0, counts=has_other_body)
    share = in_flight // STRANGERS_SHARE
    least = LEAST // STRANGERS_SHARE
    strangers = InFlight(
        rooms,
        share,
        least=least,
        counts=callers.is_stranger,
        hold=STRANGER_HOLD_S,
        per_address=share // MAX_SHARE_PER_ADDRESS,
    )
    return BodyLimit(strangers)


class Crowded(Exception):
    """There is no room for a request just now."""


class Share:
    """What one request takes of the room that all share."""

    def __init__(self, door: InFlight, receive: Any, address: str) -> None:
        self._door, self._receive, self._address = door, receive, address
        self._size = self._come = 0
        self._more = True
        self._began, self._given_up = time.monotonic(), False
        self._next_message: asyncio.Future[Any] | None = None
        door.coming[self] = None

    def take(self, size: int) -> None:
        """Grow to a size; raises `Crowded` where others leave no room. Alone, everything may come in."""
        size = max(size, self._size)
        self._make_room(lambda: self._excess(size) > 0, list(self._door.coming))
        self._make_room(lambda: self._excess_of_address(size) > 0, self._of_address())
        if self._excess(size) > 0 or self._excess_of_address(size) > 0:
            raise Crowded
        self._door.taken += size - self._size
        self._size = size

    def _excess(self, size: int) -> float:
        taken_by_others = self._door.taken - self._size
        return taken_by_others + size - self._door.limit if taken_by_others else 0

    def _excess_of_address(self, size: int) -> float:
        taken_by_others = sum(share._size for share in self._of_address())
        return taken_by_others + size - self._door.per_address if taken_by_others else 0

    def _of_address(self) -> list[Share]:
        """The other unfinished ones of this address, the oldest first."""
        if math.isinf(self._door.per_address):
            return []
        return [share for share in self._door.coming if share is not self and share._address == self._address]

    def _make_room(self, is_crowded: Callable[[], bool], candidates: list[Share]) -> None:
        """Give up those of them that others need not wait for, until there is room."""
        for share in candidates:
            if not is_crowded() or not share.is_held_too_long():
                break
            if share is not self:
                share.give_up()

    def release(self) -> None:
        """Leave the room to others."""
        self._door.taken -= self._size
        self._size = 0
        self._door.coming.pop(self, None)

    def is_held_too_long(self) -> bool:
        """Whether others need not wait for it."""
        return time.monotonic() - self._began > self._door.hold

    def give_up(self) -> None:
        """Leave the room at once; whoever waits for the next message gets `BodyStalled`."""
        self._given_up = True
        self.release()
        if self._next_message is not None:
            self._next_message.cancel()

    async def receive(self) -> Any:
        """The next message, counted."""
        message = await self._next()
        self._come += len(message.get("body", b""))
        self.take(self._come)
        return message

    async def drain(self) -> None:
        """Read the rest, so that the answer is read and the connection goes on."""
        while self._more:
            await self._next()

    async def _next(self) -> Any:
        message = await (self._receive() if math.isinf(self._door.hold) else self._next_or_given_up())
        self._more = message.get("more_body", False)
        if not self._more:
            self._door.coming.pop(self, None)
        return message

    async def _next_or_given_up(self) -> Any:
        """The next message; raises `BodyStalled` where others got the room meanwhile."""
        if self._given_up:
            raise BodyStalled.crowded(self._door.hold)
        self._next_message = asyncio.ensure_future(self._receive())
        try:
            return await self._next_message
        except asyncio.CancelledError:
            if self._given_up:
                raise BodyStalled.crowded(self._door.hold) from None
            raise


async def refuse(send: Any, why: ApiError) -> None:
    """Answer with the stable error body and end the connection, which still has bytes on the way."""
    await answer(send, why, (b"connection", b"close"))


async def answer(send: Any, refusal: ApiError, *more: tuple[bytes, bytes]) -> None:
    """Send a refusal."""
    own_headers = [(name.lower().encode(), text.encode()) for name, text in refusal.headers.items()]
    headers = [(b"content-type", b"application/json"), *own_headers, *more]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(refusal.body()).encode()})
