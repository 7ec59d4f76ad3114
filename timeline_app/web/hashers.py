"""Django's password hasher, a few at a time: a hash takes half a second of a core, and strangers may ask for one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from timeline_app.web.errors import Busy

MAX_HASHES_AT_ONCE = max(1, (os.cpu_count() or 1) // 2)
"""Half of the cores stay free for everything else."""
MAX_WAITING_HASHES = 16
HASH_WAIT_S = 8.0


class HashQueue:
    """Lets a few callers compute at once, keeps a few waiting, and refuses the rest with `Busy`."""

    def __init__(self, at_once: int, waiting: int, seconds: float) -> None:
        """`seconds` is the longest wait for a turn."""
        self._turns = threading.BoundedSemaphore(at_once)
        self._places = threading.BoundedSemaphore(at_once + waiting)
        self._seconds = seconds

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn; raises `Busy` where too many wait, or the wait is too long."""
        if not self._places.acquire(blocking=False):
            raise Busy.hashing()
        try:
            if not self._turns.acquire(timeout=self._seconds):
                raise Busy.hashing()
            try:
                yield
            finally:
                self._turns.release()
        finally:
            self._places.release()


queue = HashQueue(MAX_HASHES_AT_ONCE, MAX_WAITING_HASHES, HASH_WAIT_S)


class QueuedPBKDF2Hasher(PBKDF2PasswordHasher):
    """PBKDF2 as Django computes it, with the same name and format, a few at a time."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Hash a password when it is its turn; `verify` comes through here as well."""
        with queue.turn():
            encoded: Any = super().encode(password, salt, iterations)
        return str(encoded)
