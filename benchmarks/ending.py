"""A benchmark that is told to end takes along what it has started."""

from __future__ import annotations

import signal
import sys


def exit_on_sigterm() -> None:
    """Leave as at the end of the program when a SIGTERM comes, so that every `with` and `finally` is gone through."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
