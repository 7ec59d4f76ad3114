"""What a source has found to read, in the order in which it was found; noted before it is planned."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

from timeline_app.connectors.source_contract import Restriction
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.notes import Store
from timeline_app.connectors.splits.offsets import spelled

FOUND, KNOWN = "found-", "known.json"
MERGED = 64
"""So many notes that all plans know of become one."""


class Found:
    """The restrictions of one query. A key is found once, with the start that it had then."""

    def __init__(self, store: Store) -> None:
        """Reads what was noted."""
        self.store = store
        kept = json.loads(store.get(KNOWN) or b'{"until": 0, "keys": []}')
        self.until: int = kept["until"]
        self.keys: set[str] = set(kept["keys"])
        self.notes: dict[int, list[Restriction]] = {}
        self.number = self.until
        while (note := store.get(_name(self.number + 1))) is not None:
            self._take(note)

    def _take(self, note: bytes) -> None:
        self.number += 1
        self.notes[self.number] = [Restriction(**one) for one in json.loads(note)]
        self.keys.update(one.key for one in self.notes[self.number])

    def add(self, found: Iterable[Restriction]) -> None:
        """Note those that are new; durable. Where another planner was first, what it noted counts."""
        seen, fresh = set[str](), list[Restriction]()
        for one in found:
            if one.key in seen:
                raise BrokenSourcePromise(
                    "restrictions", f"the key {one.key!r} comes twice; every restriction has its own"
                )
            seen.add(one.key)
            if one.key not in self.keys:
                fresh.append(_sound(one))
        while fresh:
            content = json.dumps([asdict(one) for one in fresh]).encode()
            self._take(self.store.put(_name(self.number + 1), content))
            fresh = [one for one in fresh if one.key not in self.keys]

    def since(self, number: int) -> list[Restriction]:
        """What was found after the note of that number."""
        return [one for note in sorted(self.notes) if note > number for one in self.notes[note]]

    def merge(self, until: int) -> None:
        """Every plan that counts knows of the notes up to that one: keep only their keys."""
        old = [number for number in self.notes if number <= until]
        if len(old) < MERGED:
            return
        later = {one.key for one in self.since(until)}
        keys = sorted(self.keys - later)
        self.store.write(KNOWN, json.dumps({"until": until, "keys": keys}).encode())
        self.store.remove(map(_name, old))
        self.until = until
        for number in old:
            del self.notes[number]


def _name(number: int) -> str:
    return f"{FOUND}{number:09d}"


def _sound(one: Restriction) -> Restriction:
    key: object = one.key
    if not isinstance(key, str) or not key:
        raise BrokenSourcePromise("restrictions", f"the key {key!r} is no text")
    spelled([one.start, one.end], "restrictions", f"a position of {one.key!r}")
    try:
        backwards = one.end is not None and one.end < one.start
    except TypeError:
        backwards = True
    if backwards:
        raise BrokenSourcePromise(
            "restrictions", f"{one.key!r} ends at {one.end!r}, before its start {one.start!r}"
        )
    return one
