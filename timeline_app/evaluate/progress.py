"""A progress line on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TextIO

_REDRAW_EVERY_S = 0.2
_BAR_CHARS = 30


@dataclass(slots=True)
class Progress:
    """How far the reading of one file has come; `total` bytes of it, where that is known."""

    total: int | None
    terminal: TextIO = field(default_factory=lambda: sys.stderr)
    _begun: float = field(default_factory=time.monotonic)
    _shown: float = 0.0
    _events: int = 0

    def __enter__(self) -> Progress:
        """Nothing is shown yet."""
        return self

    def show(self, events_done: int, events: int) -> None:
        """Record the bytes and further events read, and redraw the line a few times a second."""
        self._events += events
        now = time.monotonic()
        if now - self._shown < _REDRAW_EVERY_S or not self.terminal.isatty():
            return
        self._shown = now
        rate = self._events / max(now - self._begun, 1e-9)
        self._draw(f"{self._bar(events_done)}  {self._events:,} events, {rate:,.0f} a second")

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        if self._shown:
            self._draw("")

    def _bar(self, events_done: int) -> str:
        read = f"{events_done / 1e6:,.1f}"
        if not self.total:
            return f"{read} MB"
        fraction = min(events_done / self.total, 1.0)
        bar = ("#" * round(fraction * _BAR_CHARS)).ljust(_BAR_CHARS, ".")
        return f"[{bar}] {fraction:4.0%} {read} of {self.total / 1e6:,.1f} MB"

    def _draw(self, text: str) -> None:
        self.terminal.write(f"\r\033[K{text}")
        self.terminal.flush()
