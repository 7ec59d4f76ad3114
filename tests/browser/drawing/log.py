"""What nodes say, put into the revision log where no engine is up; an open page hears of it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.browser.shell import run_in_django
from workers.stack import Stack

SECOND = 1_000_000
Points = Sequence[Sequence[Any]]


def compute_now() -> int:
    """Microseconds, to the second."""
    return int(time.time()) * SECOND


@dataclass
class Log:
    """Collects versions of nodes, and publishes them together."""

    stack: Stack
    digests: dict[str, str]
    entries: list[Any] = field(default_factory=list)

    def say(self, node: str, key: str, points: Points, **when: Any) -> None:
        """From start to end the node's timeline of the key is these points."""
        self.say_all(node, {key: points}, **when)

    def say_all(
        self,
        node: str,
        keys: dict[str, Points],
        *,
        start: int | None = None,
        end: int | None = None,
        known_at: int | None = None,
        final_until: int | None = None,
        newest: int | None = None,
        **counted: int,
    ) -> None:
        """The same for several keys in one version; with the newest event and what was counted meanwhile (late, …)."""
        rows = [[key, 0, start, end, points] for key, points in keys.items()]
        self.entries.append([self.digests[node], known_at, final_until, newest, rows, counted])

    def publish(self) -> None:
        """Write all of it."""
        entries = json.dumps(self.entries)
        code = f"from tests.browser.drawing.telling import publish_entries\npublish_entries({entries!r})\n"
        run_in_django(self.stack, code)
        self.entries = []
