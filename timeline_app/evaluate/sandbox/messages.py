"""Messages to and from a child: a JSON header, and blobs of bytes. No pickles."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

_LENGTH = struct.Struct("!Q")


class Truncated(ValueError):
    """A message ends before its end."""


@dataclass(frozen=True, slots=True)
class JobMessage:
    """A request or an answer: `header` is JSON."""

    header: Any
    blobs: Sequence[bytes] = ()

    def encode(self) -> list[bytes]:
        """Return the message in parts: 8 bytes with the length of the JSON, the JSON, the blobs."""
        envelope = json.dumps([self.header, [len(blob) for blob in self.blobs]]).encode()
        return [_LENGTH.pack(len(envelope)), envelope, *self.blobs]

    @classmethod
    def decode(cls, data: bytes) -> JobMessage:
        """Read a whole message; raises `Truncated`."""
        if len(data) < _LENGTH.size:
            raise Truncated
        (length,) = _LENGTH.unpack_from(data)
        start = _LENGTH.size + length
        if len(data) < start:
            raise Truncated
        header, sizes = json.loads(data[_LENGTH.size : start])
        if len(data) != start + sum(sizes):
            raise Truncated
        blobs = []
        for size in sizes:
            blobs.append(data[start : start + size])
            start += size
        return cls(header, blobs)


Job: TypeAlias = Callable[[JobMessage], JobMessage]
"""A piece of work: takes a request, returns an answer. Its exceptions are our bugs, except MemoryError."""
