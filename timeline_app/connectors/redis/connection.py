"""A connection to a Redis, or to something else: an endless answer holds up nobody."""

from __future__ import annotations

import re
import socket
import time
from typing import Any
from urllib.parse import unquote, urlsplit

import redis

from timeline_app.connectors.egress.policy import Destination, Egress
from timeline_app.connectors.reading import SourceUnavailable

TIMEOUT_S = 10.0
"""The limit of silence and of an answer …"""
MIN_BYTES_PER_S = 1 << 16
"""… extended by a second for this many bytes of it."""


class Endless(redis.RedisError):
    """An answer took too long; the client never retries it."""


class _Hurried:
    """A socket with a time limit per answer, which starts with the request."""

    def __init__(self, plain: Any) -> None:
        self._plain, self._until = plain, time.monotonic() + TIMEOUT_S

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)

    def sendall(self, data: bytes) -> None:
        """Send a request."""
        self._until = time.monotonic() + TIMEOUT_S
        self._plain.sendall(data)

    def recv(self, most: int) -> bytes:
        """Receive a part of an answer. Raises `Endless`."""
        data: bytes = self._plain.recv(most)
        self._heard(len(data))
        return data

    def recv_into(self, buffer: bytearray) -> int:
        """Receive into a buffer, as hiredis does."""
        count: int = self._plain.recv_into(buffer)
        self._heard(count)
        return count

    def _heard(self, count: int) -> None:
        self._until += count / MIN_BYTES_PER_S
        if time.monotonic() > self._until:
            raise Endless(f"an answer has not ended for {TIMEOUT_S:g} s")


class _Tcp(redis.Connection):
    """A connection to an address that may be reached."""

    def __init__(self, *arguments: Any, egress: Egress, **named: Any) -> None:
        super().__init__(*arguments, **named)  # type: ignore[no-untyped-call]
        self._egress = egress

    def _connect(self) -> Any:
        connection = self._egress.connect(self.host, int(self.port), self.socket_connect_timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.settimeout(self.socket_timeout)
        return connection


class _HurriedTcp(_Tcp):
    def _connect(self) -> Any:
        return _Hurried(super()._connect())


class _HurriedTls(redis.SSLConnection, _Tcp):
    """An encrypted connection: `SSLConnection` wraps the socket of the next class in the MRO."""

    def _connect(self) -> Any:
        return _Hurried(super()._connect())  # type: ignore[no-untyped-call]


def build_client(url: str, password: str, egress: Egress) -> Any:
    """Return an unconnected client of the Redis at an address, using only the known parts of the address."""
    address = urlsplit(url)
    pool = redis.ConnectionPool(
        connection_class=_HurriedTls if address.scheme == "rediss" else _HurriedTcp,
        egress=egress,
        host=parse_destination(url)[0],
        port=parse_destination(url)[1],
        db=int(address.path.strip("/") or 0),
        username=unquote(address.username or "") or None,
        password=password or None,
        socket_timeout=TIMEOUT_S,
        socket_connect_timeout=TIMEOUT_S,
    )
    return redis.Redis.from_pool(pool)


def parse_destination(url: str) -> Destination:
    """Return host and port of an address.

    >>> parse_destination("redis://host"), parse_destination("rediss://u@[::1]:6380/2")
    (('host', 6379), ('::1', 6380))
    """
    address = urlsplit(url)
    return address.hostname or "", address.port or 6379


def describe_bad_address(url: str) -> str | None:
    """Say what is wrong with the address of a Redis, and what to do."""
    try:
        address = urlsplit(url)
        is_wrong = address.scheme not in ("redis", "rediss") or not address.hostname or address.port == 0
    except ValueError as why:
        return f"is no address of a Redis: {why}"
    if address.scheme == "unix":
        return "names a socket of the servers, which no source may read; write redis://host:6379/0"
    if address.password or "password=" in address.query:
        return "holds a password, and would be shown; leave it out here and give it as the option password"
    if is_wrong:
        return f"is no address of a Redis: {url[:100]!r}; such as redis://host:6379/0"
    if address.query or address.fragment or "?" in url or "#" in url:
        return "has options behind its ? or #, which are not known here; write redis://host:6379/0"
    if not re.fullmatch(r"/?|/[0-9]{1,5}", address.path):
        return "names a database that is no number; write redis://host:6379/0"
    return None


def refuse_own(other: Any, own_url: str) -> None:
    """Raise `SourceUnavailable` where a client reaches the Redis at `own_url`, or where that is uncertain."""
    try:
        server_run_id = other.info("server").get("run_id")
    except redis.exceptions.NoPermissionError:
        raise SourceUnavailable(f"the user may not ask INFO, {_UNSURE}: let it, in Redis") from None
    if not server_run_id:
        raise SourceUnavailable(f"it does not say its run_id, {_UNSURE}")
    with redis.Redis.from_url(own_url, socket_timeout=TIMEOUT_S) as own_redis:
        try:
            own_run_id = own_redis.info("server")["run_id"]
        except (redis.RedisError, OSError, KeyError) as why:
            if _is_nobody(why):  # nothing listens there, so the other one is different
                return
            raise SourceUnavailable(f"the product's own Redis cannot be asked just now, {_UNSURE}") from None
    if _to_text(server_run_id) == _to_text(own_run_id):
        raise SourceUnavailable(
            "that is the Redis that the product itself works with; streams are read from another"
        )


_UNSURE = "so that this one cannot be told from the one that the product itself works with"


def _is_nobody(why: BaseException) -> bool:
    cause = why if isinstance(why, OSError) and why.errno else why.__cause__ or why.__context__
    return isinstance(cause, ConnectionRefusedError | FileNotFoundError)


def _to_text(text: str | bytes) -> str:
    return text.decode(errors="replace") if isinstance(text, bytes) else str(text)
