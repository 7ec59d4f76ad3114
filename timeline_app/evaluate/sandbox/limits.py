"""The limits of a child, and how an exceeded one is reported."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_WIRE = struct.Struct("!QddQ")
LIMITS_SIZE = _WIRE.size
SPARE_MEMORY_BYTES = 64 * 2**20
"""Bytes beyond the limit of memory with which a child can still say that it met it."""
MAX_FILE_BYTES = 256 * 2**20
MAX_OPEN_FILES = 64
_PR_SET_PDEATHSIG = 1
_CRASHES = frozenset({signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS})
"""How native code ends where it gets no memory."""

Limit = Literal["memory", "processor", "time", "answer", "file", "depth"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of memory beyond what the fork server has, seconds of processor and of wall clock, bytes of the answer."""

    memory: int
    processor: float
    time: float
    answer: int = 64 * 2**20

    def pack(self) -> bytes:
        """Return it as bytes of a fixed length."""
        return _WIRE.pack(self.memory, self.processor, self.time, self.answer)

    @classmethod
    def unpack(cls, data: bytes) -> Limits:
        """From these bytes."""
        return cls(*_WIRE.unpack(data))

    def describe(self, limit: Limit) -> str:
        """Return how much it may be, in words."""
        return {
            "memory": f"more than {self.memory // 2**20:,} MiB of memory",
            "processor": f"more than {self.processor:g} s of processor time",
            "time": f"more than {self.time:g} s",
            "answer": f"an answer of more than {self.answer / 2**20:,.3g} MiB",
            "file": f"a file of more than {MAX_FILE_BYTES // 2**20:,} MiB",
            "depth": "more levels of nesting than are read",
        }[limit]


class LimitExceeded(Exception):
    """A piece of work met a limit; says which one and how much that is."""

    def __init__(self, limit: Limit, limits: Limits) -> None:
        super().__init__(f"it takes {limits.describe(limit)}")
        self.limit, self.limits = limit, limits


def apply_limits(limits: Limits, server: int) -> None:
    """Bind this process, a child of the process `server`, to its limits, and to the life of that one."""
    _die_with_parent(server)
    memory = _measure_address_space() + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory + SPARE_MEMORY_BYTES))
    processor = max(1, -int(-limits.processor // 1))
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES, MAX_OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def free_spare_memory() -> None:
    """Let a child that met its limit of memory have the spare part."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def limit_met(died_of: int, processor: float, limits: Limits, killed_for: str) -> Limit | None:
    """Return the limit that a signal indicates; None where another process sent it."""
    if killed_for == "time":
        return "time"
    if died_of == signal.SIGXCPU or (died_of == signal.SIGKILL and processor >= limits.processor):
        return "processor"
    return "memory" if died_of in _CRASHES else None


def _measure_address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _die_with_parent(server: int) -> None:
    """A killed fork server leaves no child behind."""
    import ctypes  # noqa: PLC0415  (in the child only)

    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)
