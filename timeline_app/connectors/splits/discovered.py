"""The restrictions that a source has discovered, in order; stored before they are planned."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

from timeline_app.connectors.source_contract import Restriction
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.notes import Store
from timeline_app.connectors.splits.offsets import encode_json

DISCOVERED_PREFIX, KNOWN = "found-", "known.json"
MIN_NOTES_TO_MERGE = 64
"""This many notes that all plans know of are merged into one."""


class DiscoveredRestrictions:
    """The restrictions of one query. A key is discovered once, with its start at that time."""

    def __init__(self, store: Store) -> None:
        """Load the stored restrictions."""
        self.store = store
        stored = json.loads(store.get(KNOWN) or b'{"until": 0, "keys": []}')
        self.until: int = stored["until"]
        self.keys: set[str] = set(stored["keys"])
        self.notes: dict[int, list[Restriction]] = {}
        self.number = self.until
        while (note := store.get(_name(self.number + 1))) is not None:
            self._take(note)

    def _take(self, note: bytes) -> None:
        self.number += 1
        self.notes[self.number] = [Restriction(**row) for row in json.loads(note)]
        self.keys.update(restriction.key for restriction in self.notes[self.number])

    def add(self, restrictions: Iterable[Restriction]) -> None:
        """Store new restrictions durably. Where another planner was first, its notes count."""
        seen_keys, fresh = set[str](), list[Restriction]()
        for restriction in restrictions:
            if restriction.key in seen_keys:
                raise BrokenSourcePromise(
                    "restrictions", f"the key {restriction.key!r} comes twice; every restriction has its own"
                )
            seen_keys.add(restriction.key)
            if restriction.key not in self.keys:
                fresh.append(_validate(restriction))
        while fresh:
            content = json.dumps([asdict(restriction) for restriction in fresh]).encode()
            self._take(self.store.put(_name(self.number + 1), content))
            fresh = [restriction for restriction in fresh if restriction.key not in self.keys]

    def since(self, number: int) -> list[Restriction]:
        """Return what was discovered after a note."""
        return [
            restriction for note in sorted(self.notes) if note > number for restriction in self.notes[note]
        ]

    def merge(self, until: int) -> None:
        """Keep only the keys of the notes up to `until`, which every relevant plan knows of."""
        old = [number for number in self.notes if number <= until]
        if len(old) < MIN_NOTES_TO_MERGE:
            return
        later = {restriction.key for restriction in self.since(until)}
        keys = sorted(self.keys - later)
        self.store.write(KNOWN, json.dumps({"until": until, "keys": keys}).encode())
        self.store.remove(map(_name, old))
        self.until = until
        for number in old:
            del self.notes[number]


def _name(number: int) -> str:
    return f"{DISCOVERED_PREFIX}{number:09d}"


def _validate(restriction: Restriction) -> Restriction:
    key: object = restriction.key
    if not isinstance(key, str) or not key:
        raise BrokenSourcePromise("restrictions", f"the key {key!r} is no text")
    encode_json([restriction.start, restriction.end], "restrictions", f"a position of {restriction.key!r}")
    try:
        backwards = restriction.end is not None and restriction.end < restriction.start
    except TypeError:
        backwards = True
    if backwards:
        raise BrokenSourcePromise(
            "restrictions",
            f"{restriction.key!r} ends at {restriction.end!r}, before its start {restriction.start!r}",
        )
    return restriction
