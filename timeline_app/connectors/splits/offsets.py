"""An offset is the plan of a batch: what it reads, what waits, and how far the watermark has come.

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
    """Something to read: what lies behind `start`, up to and with `end`, or `until` for this time.

    `most`: how much of it; `state`: of its estimator; `due`: not before that instant; `heard`: when it last gave
    something (seconds since the epoch); `last`: nothing will come behind its end.
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
    def of(cls, restriction: Restriction, now: float) -> Part:
        """A restriction that was just found."""
        return cls(restriction.key, restriction.start, restriction.end, heard=now)

    def document(self) -> dict[str, Any]:
        """As JSON, without what is not special."""
        return {name: value for name, value in asdict(self).items() if value != _USUAL.get(name, ...)}


_USUAL = {one.name: one.default for one in fields(Part)}


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of batch `number`; `found`: how many discoveries it knows of; `store`: which store belongs to it.

    `over`: how far those had come that are read to their ends; `moved`: whether the watermark is not the last one.
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
    def of(cls, document: Mapping[str, Any]) -> Plan:
        """From an offset."""
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
        """As an offset: its JSON text is always the same."""
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
    """JSON; raises `Broken` where it is none."""
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError) as why:
        raise BrokenSourcePromise(promise, f"{subject} is no JSON: {why}") from None
