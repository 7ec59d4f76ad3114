"""An offset is the plan of a batch: what it reads, what waits, and the watermark.

It is frozen with the offset, so that a batch that is read again is the same batch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from timeline_app.connectors.source_contract import Restriction
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.tracker import Position


@dataclass(frozen=True, slots=True)
class Part:
    """Something to read: what lies after `start`, up to and including `end`, or `until` for this batch.

    `most` is the size to read, `state` that of its estimator. It is not read before `due`; `heard` is when it last
    gave something (seconds since the epoch). `last` says that nothing will follow its end.
    """

    key: str
    start: Position
    end: Position | None = None
    until: Position | None = None
    most: int | None = None
    state: Any = None
    due: float = 0.0
    heard: float = 0.0
    last: bool = False

    @classmethod
    def from_restriction(cls, restriction: Restriction, now: float) -> Part:
        """Return a newly discovered restriction as a part."""
        return cls(restriction.key, restriction.start, restriction.end, heard=now)

    def document(self) -> dict[str, Any]:
        """Return it as JSON, without default values."""
        return {name: value for name, value in asdict(self).items() if value != _USUAL.get(name, ...)}


_USUAL = {one.name: one.default for one in fields(Part)}


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of batch `number`; `found` counts the discoveries it knows of, `store` identifies its store.

    `over` is the watermark of finished parts; `moved` says that the watermark differs from the previous plan's.
    """

    number: int = 0
    store: str = ""
    found: int = 0
    splits: tuple[Part, ...] = ()
    waiting: tuple[Part, ...] = ()
    watermark: int | None = None
    over: int | None = None
    moved: bool = False

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Plan:
        """Parse an offset."""
        return cls(
            document["number"],
            document.get("store", ""),
            document.get("found", 0),
            tuple(Part(**row) for row in document.get("splits", ())),
            tuple(Part(**row) for row in document.get("waiting", ())),
            document.get("watermark"),
            document.get("over"),
            document.get("moved", False),
        )

    def document(self) -> dict[str, Any]:
        """Return it as an offset, whose JSON text is deterministic."""
        return {
            "number": self.number,
            "store": self.store,
            "found": self.found,
            "splits": [split.document() for split in self.splits],
            "waiting": [item.document() for item in self.waiting],
            "watermark": self.watermark,
            "over": self.over,
            "moved": self.moved,
        }


def encode_json(value: Any, promise: str, subject: str) -> bytes:
    """Return JSON. Raises `BrokenSourcePromise` where that is impossible."""
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError) as why:
        raise BrokenSourcePromise(promise, f"{subject} is no JSON: {why}") from None
