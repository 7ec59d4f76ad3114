"""Limits on request bodies: their size, which Django would first write to disk, their pace, and their sum.

`http_limits` holds the limits on connections and headers; the server applies them earlier.
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
from timeline_app.web.core.request_bodies import BODY_TIMEOUT_S, Body

MAX_BODY_BYTES = 8 * 2**20
MIN_COUNTED_BYTES = 2**19
"""Each request counts at least this much, because it also needs a thread."""
MAX_PUBLIC_BODY_BYTES = 64 * 2**10
PUBLIC_PATHS = re.compile(r"/(login|logout|password)/")
"""Forms that hold a name and a password; anybody may send them."""
STRANGERS_SHARE_DIVISOR = 8
"""Bodies with unknown credentials may hold one eighth of the room."""
STRANGER_HOLD_S = 5.0
"""After this time an incomplete body makes room for others; a few slow bodies must not block all logins."""
MAX_SHARE_PER_ADDRESS = 4
"""The unfinished bodies of one address may hold one fourth of the room for strangers."""
MAX_DRAIN_S = 2.0
MAX_CALLERS = 10_000
CALLER_TTL_S = 600.0
CHUNKED_MESSAGE = (
    "The body comes in chunks (Transfer-Encoding), and nothing says how long it is. "
    "Send it with Content-Length."
)
EVENT_PATHS = re.compile(r"/api/(streams/[^/]+/(events|sample)|guess)/")


class BodyLimit:
    """An ASGI application that limits the body of each request.

    It answers 413 to larger requests, 411 to requests without a length, and 408 to requests that stall.
    """

    def __init__(
        self, application: Any, limit: int = MAX_BODY_BYTES, timeout: float = BODY_TIMEOUT_S
    ) -> None:
        self.application = application
        self.limit = limit
        self.timeout = timeout

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Refuse by the declared length, or as soon as the body exceeds the limit or the time-out."""
        headers = dict(scope["headers"])
        if b"transfer-encoding" in headers:
            await refuse(send, LengthRequired(CHUNKED_MESSAGE))
            return
        declared = headers.get(b"content-length", b"0")
        limit = (
            min(self.limit, MAX_PUBLIC_BODY_BYTES) if PUBLIC_PATHS.fullmatch(scope["path"]) else self.limit
        )
        if len(declared) > 20 or not declared.isdigit() or int(declared) > limit:
            await refuse(send, BodyTooLarge.over(limit))
            return
        body = Body(receive, limit, self.timeout)
        try:
            await self.application(scope, body.receive, send)
        except (BodyTooLarge, BodyStalled) as error:
            await refuse(send, error)


def is_event_request(scope: dict[str, Any]) -> bool:
    """Return whether the body holds events."""
    return scope["method"] == "POST" and EVENT_PATHS.fullmatch(scope["path"]) is not None


def has_other_body(scope: dict[str, Any]) -> bool:
    """Return whether there is a body that holds no events."""
    return has_body(scope) and not is_event_request(scope)


def has_body(scope: dict[str, Any]) -> bool:
    """Return whether a body was announced; `BodyLimit` has checked the header."""
    return any(name == b"content-length" and value.strip(b"0") for name, value in scope["headers"])


class InFlight:
    """An ASGI application that answers 429 to requests while the bodies of others hold `limit` bytes.

    `counts` selects requests by their scope; each of them counts at least `least` bytes. Where there is no
    room, bodies that have been arriving for more than `hold` seconds are dropped, the oldest first. The
    unfinished bodies of one address hold at most `per_address` bytes.
    """

    def __init__(
        self,
        application: Any,
        limit: int,
        *,
        least: int = MIN_COUNTED_BYTES,
        counts: Callable[[dict[str, Any]], bool] = is_event_request,
        hold: float = math.inf,
        per_address: float = math.inf,
    ) -> None:
        self.application = application
        self.limit = limit
        self.least, self.counts, self.hold, self.per_address = least, counts, hold, per_address
        self.taken_bytes = 0
        self.incomplete: dict[Share, None] = {}
        """Requests whose bodies are incomplete, in the order in which they began."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Count received bytes, not declared ones, so that a declared length alone blocks nobody."""
        if not self.counts(scope):
            await self.application(scope, receive, send)
            return
        share = Share(self, receive, find_scope_address(scope))
        try:
            share.take(self.least)
            await self.application(scope, share.receive, send)
        except Crowded:
            share.release()  # before the rest arrives, which is discarded
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(MAX_DRAIN_S):
                    await share.drain()
            await answer(send, Busy.in_flight(self.limit))
        finally:
            share.release()


class RecognisedCallers:
    """An ASGI application that remembers which credentials Django has accepted.

    It decides nothing about permissions. It only confines a flood of bodies with missing or invented
    credentials to a separate room, so that known callers still get through.
    """

    def __init__(self, application: Any, user_of_request: Callable[[], str]) -> None:
        """`user_of_request` returns the name of the user whom Django found for the current request, or ""."""
        self.application = application
        self._user_of_request = user_of_request
        self._expiries: OrderedDict[bytes, float] = OrderedDict()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Pass the request on, and remember its credentials if they belong to a user."""
        await self.application(scope, receive, send)
        if self._user_of_request() and (key := hash_credentials(scope)):
            self._expiries[key] = time.monotonic() + CALLER_TTL_S
            self._expiries.move_to_end(key)
            if len(self._expiries) > MAX_CALLERS:
                self._expiries.popitem(last=False)

    def is_stranger(self, scope: dict[str, Any]) -> bool:
        """Return whether there is a body and these credentials were not accepted lately."""
        if not has_body(scope):
            return False
        return self._expiries.get(hash_credentials(scope), 0.0) < time.monotonic()


def hash_credentials(scope: dict[str, Any]) -> bytes:
    """Return a digest of token and cookies (32 bytes), or b"" without credentials."""
    sent = [value for name, value in scope["headers"] if name in (b"authorization", b"cookie")]
    return hashlib.sha256(b"\0".join(sent)).digest() if sent else b""


def limit_bodies(application: Any, in_flight: int, user_of_request: Callable[[], str]) -> Any:
    """Wrap an application in all limits on bodies; `in_flight` is in bytes."""
    callers = RecognisedCallers(application, user_of_request)
    rooms: Any = InFlight(callers, in_flight)
    rooms = InFlight(rooms, in_flight, least=0, counts=has_other_body)
    share = in_flight // STRANGERS_SHARE_DIVISOR
    least = MIN_COUNTED_BYTES // STRANGERS_SHARE_DIVISOR
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
    """The part of the shared room that one request occupies."""

    def __init__(self, door: InFlight, receive: Any, address: str) -> None:
        self._door, self._receive, self._address = door, receive, address
        self._size = self._received_bytes = 0
        self._more = True
        self._began, self._given_up = time.monotonic(), False
        self._next_message: asyncio.Future[Any] | None = None
        door.incomplete[self] = None

    def take(self, size: int) -> None:
        """Grow to `size` bytes; raise `Crowded` where others leave no room. A single request is always
        admitted.
        """
        size = max(size, self._size)
        self._make_room(lambda: self._excess(size) > 0, list(self._door.incomplete))
        self._make_room(lambda: self._excess_of_address(size) > 0, self._of_address())
        if self._excess(size) > 0 or self._excess_of_address(size) > 0:
            raise Crowded
        self._door.taken_bytes += size - self._size
        self._size = size

    def _excess(self, size: int) -> float:
        taken_by_others = self._door.taken_bytes - self._size
        return taken_by_others + size - self._door.limit if taken_by_others else 0

    def _excess_of_address(self, size: int) -> float:
        taken_by_others = sum(share._size for share in self._of_address())
        return taken_by_others + size - self._door.per_address if taken_by_others else 0

    def _of_address(self) -> list[Share]:
        """Return the other unfinished requests of this address, the oldest first."""
        if math.isinf(self._door.per_address):
            return []
        return [
            share for share in self._door.incomplete if share is not self and share._address == self._address
        ]

    def _make_room(self, is_crowded: Callable[[], bool], candidates: list[Share]) -> None:
        """Drop the requests that others need not wait for, until there is room."""
        for share in candidates:
            if not is_crowded() or not share.is_held_too_long():
                break
            if share is not self:
                share.give_up()

    def release(self) -> None:
        """Free the room."""
        self._door.taken_bytes -= self._size
        self._size = 0
        self._door.incomplete.pop(self, None)

    def is_held_too_long(self) -> bool:
        """Return whether others need not wait for this request."""
        return time.monotonic() - self._began > self._door.hold

    def give_up(self) -> None:
        """Free the room at once; the reader of the next message gets `BodyStalled`."""
        self._given_up = True
        self.release()
        if self._next_message is not None:
            self._next_message.cancel()

    async def receive(self) -> Any:
        """Return the next message and count its bytes."""
        message = await self._next()
        self._received_bytes += len(message.get("body", b""))
        self.take(self._received_bytes)
        return message

    async def drain(self) -> None:
        """Read the rest, so that the client reads the answer and the connection stays open."""
        while self._more:
            await self._next()

    async def _next(self) -> Any:
        message = await (self._receive() if math.isinf(self._door.hold) else self._next_or_given_up())
        self._more = message.get("more_body", False)
        if not self._more:
            self._door.incomplete.pop(self, None)
        return message

    async def _next_or_given_up(self) -> Any:
        """Return the next message; raise `BodyStalled` if others got the room meanwhile."""
        if self._given_up:
            raise BodyStalled.crowded(self._door.hold)
        self._next_message = asyncio.ensure_future(self._receive())
        try:
            return await self._next_message
        except asyncio.CancelledError:
            if self._given_up:
                raise BodyStalled.crowded(self._door.hold) from None
            raise


async def refuse(send: Any, error: ApiError) -> None:
    """Answer with an error body and close the connection, which still has bytes on the way."""
    await answer(send, error, (b"connection", b"close"))


async def answer(send: Any, refusal: ApiError, *more: tuple[bytes, bytes]) -> None:
    own_headers = [(name.lower().encode(), text.encode()) for name, text in refusal.headers.items()]
    headers = [(b"content-type", b"application/json"), *own_headers, *more]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(refusal.body()).encode()})
