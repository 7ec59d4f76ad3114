"""A connection to a Redis, or to what is none: an answer that never ends holds nobody up."""

from __future__ import annotations

import re
import socket
import time
from typing import Any
from urllib.parse import unquote, urlsplit

import redis

from timeline_app.connectors.egress.policy import Destination, Egress
from timeline_app.connectors.reading import SourceUnavailable

SECONDS = 10.0
"""So long nothing may be heard, and so long an answer may take;"""
RATE = 1 << 16
"""and a second more for so many bytes of it."""


class Endless(redis.RedisError):
    """An answer has not ended for too long; never tried again by the client."""


class _Hurried:
    """A socket; the time of an answer begins with the question before it."""

    def __init__(self, plain: Any) -> None:
        self._plain, self._until = plain, time.monotonic() + SECONDS

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)

    def sendall(self, data: bytes) -> None:
        """Ask."""
        self._until = time.monotonic() + SECONDS
        self._plain.sendall(data)

    def recv(self, most: int) -> bytes:
        """Some of an answer; raises `Endless`."""
        data: bytes = self._plain.recv(most)
        self._heard(len(data))
        return data

    def recv_into(self, buffer: bytearray) -> int:
        """The same, as hiredis asks for it."""
        count: int = self._plain.recv_into(buffer)
        self._heard(count)
        return count

    def _heard(self, count: int) -> None:
        self._until += count / RATE
        if time.monotonic() > self._until:
            raise Endless(f"an answer has not ended for {SECONDS:g} s")


class _Tcp(redis.Connection):
    """A connection to an address that may be reached."""

    def __init__(self, *given: Any, egress: Egress, **named: Any) -> None:
        super().__init__(*given, **named)  # type: ignore[no-untyped-call]
        self._egress = egress

    def _connect(self) -> Any:
        made = self._egress.connect(self.host, int(self.port), self.socket_connect_timeout)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        made.settimeout(self.socket_timeout)
        return made


class _HurriedTcp(_Tcp):
    def _connect(self) -> Any:
        return _Hurried(super()._connect())


class _HurriedTls(redis.SSLConnection, _Tcp):
    """`SSLConnection` encrypts what the next class in the order of resolution connects."""

    def _connect(self) -> Any:
        return _Hurried(super()._connect())  # type: ignore[no-untyped-call]


def build_client(url: str, password: str, egress: Egress) -> Any:
    """A client of the Redis at an address, not connected yet. Of the address only known parts are used."""
    parts = urlsplit(url)
    pool = redis.ConnectionPool(
        connection_class=_HurriedTls if parts.scheme == "rediss" else _HurriedTcp,
        egress=egress,
        host=parse_destination(url)[0],
        port=parse_destination(url)[1],
        db=int(parts.path.strip("/") or 0),
        username=unquote(parts.username or "") or None,
        password=password or None,
        socket_timeout=SECONDS,
        socket_connect_timeout=SECONDS,
    )
    return redis.Redis.from_pool(pool)


def parse_destination(url: str) -> Destination:
    """Host and port of an address.

    >>> destination_of("redis://host"), destination_of("rediss://u@[::1]:6380/2")
    (('host', 6379), ('::1', 6380))
    """
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 6379


def describe_bad_address(url: str) -> str | None:
    """What is wrong with the address of a Redis, and what to do: it has a host, and a number of a database at most."""
    try:
        parts = urlsplit(url)
        wrong = parts.scheme not in ("redis", "rediss") or not parts.hostname or parts.port == 0
    except ValueError as why:
        return f"is no address of a Redis: {why}"
    if parts.scheme == "unix":
        return "names a socket of the servers, which no source may read; write redis://host:6379/0"
    if parts.password or "password=" in parts.query:
        return "holds a password, and would be shown; leave it out here and give it as the option password"
    if wrong:
        return f"is no address of a Redis: {url[:100]!r}; such as redis://host:6379/0"
    if parts.query or parts.fragment or "?" in url or "#" in url:
        return "has options behind its ? or #, which are not known here; write redis://host:6379/0"
    if not re.fullmatch(r"/?|/[0-9]{1,5}", parts.path):
        return "names a database that is no number; write redis://host:6379/0"
    return None


def refuse_own(other: Any, own_url: str) -> None:
    """Raises `SourceUnavailable` where a client asks the Redis at `own_url`, or where that cannot be told."""
    try:
        theirs = other.info("server").get("run_id")
    except redis.exceptions.NoPermissionError:
        raise SourceUnavailable(f"the user may not ask INFO, {_UNSURE}: let it, in Redis") from None
    if not theirs:
        raise SourceUnavailable(f"it does not say its run_id, {_UNSURE}")
    with redis.Redis.from_url(own_url, socket_timeout=SECONDS) as own:
        try:
            mine = own.info("server")["run_id"]
        except (redis.RedisError, OSError, KeyError) as why:
            if _is_nobody(why):  # nothing listens there, and so the other one is not it
                return
            raise SourceUnavailable(f"the product's own Redis cannot be asked just now, {_UNSURE}") from None
    if _to_text(theirs) == _to_text(mine):
        raise SourceUnavailable(
            "that is the Redis that the product itself works with; streams are read from another"
        )


_UNSURE = "so that this one cannot be told from the one that the product itself works with"


def _is_nobody(why: BaseException) -> bool:
    cause = why if isinstance(why, OSError) and why.errno else why.__cause__ or why.__context__
    return isinstance(cause, ConnectionRefusedError | FileNotFoundError)


def _to_text(text: str | bytes) -> str:
    return text.decode(errors="replace") if isinstance(text, bytes) else str(text)
