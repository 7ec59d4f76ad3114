"""Lets a loop end between two steps."""

from __future__ import annotations

import signal
from types import FrameType


class StopSignal:
    """Sets `requested` on SIGTERM and SIGINT."""

    def __init__(self) -> None:
        self.requested = False
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._set)

    def _set(self, _number: int, _frame: FrameType | None) -> None:
        self.requested = True
