"""End what a benchmark has started when it is told to end."""

from __future__ import annotations

import signal
import sys


def exit_on_sigterm() -> None:
    """Turn SIGTERM into a normal exit, so that every `with` and `finally` runs."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
