"""Sessions that a simulator leaves open when it is stopped or killed: noted in a file, and ended by the next one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from timeline_app.simulation.actors import Actor, Event


class OpenSessions:
    """The newest event time of each actor without a final event, by name, in milliseconds."""

    def __init__(self, actor: type[Actor], file: Path) -> None:
        """What an earlier simulator has left in the file; nothing where that cannot be read."""
        self._actor, self._file = actor, file
        self._ended: set[str] = set()
        self._open = self._load()

    def _load(self) -> dict[str, int]:
        try:
            return {str(name): int(at) for name, at in json.loads(self._file.read_text()).items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def endings(self) -> list[Event]:
        """Return an event for each of them that ends it, right after its newest one; sent twice, they count once."""
        if not self._actor.ending:
            return []
        return [
            {self._actor.key: name, "event_id": f"{name}-end", "t": at + 1, **self._actor.ending}
            for name, at in sorted(self._open.items())
        ]

    def clear(self) -> None:
        """They were ended."""
        self._open.clear()

    def note(self, events: Iterable[Event]) -> None:
        """Note what was pushed, before the next batch; whole or not at all."""
        if not self._actor.ending:
            return
        for event in events:
            self._note(event)
        draft = self._file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(self._open))
        draft.replace(self._file)

    def _note(self, event: Event) -> None:
        name = event[self._actor.key]
        if self._actor.ending.items() <= event.items():
            self._ended.add(name)
            self._open.pop(name, None)
        elif name not in self._ended:  # what comes late opens none again
            self._open[name] = max(event["t"], self._open.get(name, 0))
