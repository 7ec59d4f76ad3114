"""A connection to a Redis, or to what is none: an answer that never ends holds nobody up."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

import redis

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

    def sendall(self, told: bytes) -> None:
        """Ask."""
        self._until = time.monotonic() + SECONDS
        self._plain.sendall(told)

    def recv(self, most: int) -> bytes:
        """Some of an answer; raises `Endless`."""
        found: bytes = self._plain.recv(most)
        self._heard(len(found))
        return found

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
    def _connect(self) -> Any:
        return _Hurried(super()._connect())  # type: ignore[no-untyped-call]


class _Tls(redis.SSLConnection):
    def _connect(self) -> Any:
        return _Hurried(super()._connect())  # type: ignore[no-untyped-call]


class _Unix(redis.UnixDomainSocketConnection):
    def _connect(self) -> Any:
        return _Hurried(super()._connect())  # type: ignore[no-untyped-call]


_KINDS = {"redis": _Tcp, "rediss": _Tls, "unix": _Unix}


def client(url: str, password: str | None = None) -> Any:
    """Who asks the Redis at an address, which is not asked yet."""
    return redis.Redis.from_url(
        url,
        password=password or None,
        socket_timeout=SECONDS,
        connection_class=_KINDS[urlsplit(url).scheme],
    )


def is_same(one: Any, own: Any) -> bool:
    """Whether both are connections to one server."""
    with own:
        try:
            return bool(one.info("server")["run_id"] == own.info("server")["run_id"])
        except (redis.ResponseError, redis.ConnectionError, redis.TimeoutError):
            return False
