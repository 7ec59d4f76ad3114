"""A clock for waits."""

from __future__ import annotations

import time

_EPOCH_OF_MONOTONIC = time.time() - time.monotonic()


def read_steady_clock() -> float:
    """Return seconds since the epoch as of the start of the process, plus the time that has passed since.

    Unlike `time.time`, it does not jump when the system's clock is set: a wait lasts as long as it should.
    """
    return _EPOCH_OF_MONOTONIC + time.monotonic()
