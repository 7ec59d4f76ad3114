"""Password hashing with limited concurrency: a hash costs half a second of a core, and strangers may cause one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from timeline_app.evaluate.sandbox import NoTurn, Turns
from timeline_app.web.core.errors import Busy

MAX_CONCURRENT_HASHES = max(1, (os.cpu_count() or 1) // 2)
"""Half of the cores stay free for everything else."""
MAX_WAITING_HASHES = 16
HASH_WAIT_S = 8.0


turns = Turns(MAX_CONCURRENT_HASHES, MAX_WAITING_HASHES)


class QueuedPBKDF2Hasher(PBKDF2PasswordHasher):
    """Django's PBKDF2, with the same name and format, but limited concurrency."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Hash a password when it is its turn; `verify` uses this as well."""
        with _turn():
            encoded: Any = super().encode(password, salt, iterations)
        return str(encoded)


@contextmanager
def _turn() -> Iterator[None]:
    """Wait for a turn. Callers are not authenticated yet, so all share one queue. Raise `Busy`."""
    try:
        with turns.turn(None, HASH_WAIT_S):
            yield
    except NoTurn:
        raise Busy.hashing() from None
