"""Files that cannot be read: reported, left out, and retried once they have changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection

MAX_NAMED_FILES = 3
MAX_REASON_CHARS = 130
RETRY_AFTER_S = 30.0
"""An unchanged file is retried as well: its disk may have failed."""
_State = tuple[int, int, int]


class Unreadable:
    """The unreadable files of one directory."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without files."""
        self._clock = clock
        self._known: dict[str, tuple[_State, float, str]] = {}

    def is_known(self, name: str, status: os.stat_result) -> bool:
        """Return whether a file failed in this state recently; a changed one is forgotten."""
        if name not in self._known:
            return False
        state, retry_at, _ = self._known[name]
        if state == _get_state(status) and self._clock() < retry_at:
            return True
        del self._known[name]
        return False

    def note(self, name: str, status: os.stat_result, why: Exception) -> None:
        """Note that a file cannot be read."""
        self._known[name] = _get_state(status), self._clock() + RETRY_AFTER_S, _explain(why)

    def keep(self, names: Collection[str]) -> None:
        """Forget all files but these."""
        self._known = {name: value for name, value in self._known.items() if name in names}

    def words(self) -> str:
        """Describe the files, why they cannot be read, and what to do; empty where there are none."""
        if not self._known:
            return ""
        parts = [
            f"{name[-60:]} ({why})" for name, (_, _, why) in sorted(self._known.items())[:MAX_NAMED_FILES]
        ]
        more = [f"{len(self._known) - MAX_NAMED_FILES:,} more"] if len(self._known) > MAX_NAMED_FILES else []
        them, they = ("it", "it") if len(self._known) == 1 else ("them", "they")
        return (
            f"left out, as {they} cannot be read: {', '.join(parts + more)}; mend {them}, or take {them} away"
        )


def _get_state(status: os.stat_result) -> _State:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def _explain(why: Exception) -> str:
    if isinstance(why, PermissionError):
        return "the server may not read it: give its user the right to"
    reason = why.strerror if isinstance(why, OSError) and why.strerror else str(why)
    return reason.splitlines()[0][:MAX_REASON_CHARS].rstrip(".") if reason else type(why).__name__
