"""Receipts of landed requests, so that a repeated request lands once.

A receipt lies in the footer of the file with the events: both are on disk, or neither. The same holds for positions:
how far a source had been read when its events landed. Compaction collects both in one file, so a starting process
reads only that file and the footers since.
"""

from __future__ import annotations

import hashlib
from collections import ChainMap
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import astuple, dataclass, field, replace
from itertools import islice
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.fs import durable
from timeline_app.fs.paths import Place, open_for_arrow
from timeline_app.landing.heartbeats import parse_heartbeats
from timeline_app.landing.segments import ARRIVED, parse_group_spans
from timeline_app.landing.watermarks import AcceptedWatermark

FILE_NAME, FOOTER, PLACES = "deduplication.json", b"deduplication", b"positions"
MAX_DEDUP_RECORDS = 100_000
"""For each stream."""
MAX_REMEMBERED_CLIENTS = 10_000
"""For each stream, clients are remembered with the last number that they gave."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """One request: id and client (empty: not given), the client's number (-1: none), and a digest of its body.

    `taken` counts its events, and `batch` holds them. Of these, `late` or `too_late` ones were behind the watermark,
    and `duplicates` repeat others; `rejected` ones come in addition.
    """

    id: str
    client: str
    sequence: int
    body: str
    taken: int
    batch: int = -1
    late: int = 0
    too_late: int = 0
    duplicates: int = 0
    rejected: int = 0

    def at(self, batch: int) -> Receipt:
        """Return the receipt after landing in a batch."""
        return replace(self, batch=batch)

    def same(self, other: Receipt) -> bool:
        """Return whether both are of one request, by everything that its client sent."""
        own_facts, other_facts = (
            (self.body, self.client, self.sequence),
            (other.body, other.client, other.sequence),
        )
        return self.id == other.id and own_facts == other_facts

    def with_events(self, accepted: int, rejected: int = 0) -> Receipt:
        """Return the receipt with these counts."""
        return replace(self, taken=accepted, rejected=rejected)

    def row(self) -> list[Any]:
        """Return the stored form."""
        return [*astuple(self)]


class NotInOrder(Exception):
    """A request that cannot be accepted: `code` says why, `expected` is the number that its client must give."""

    def __init__(self, code: str, expected: int | None = None) -> None:
        super().__init__(code)
        self.code, self.expected = code, expected


@dataclass(frozen=True, slots=True)
class Position:
    """How far a part of a source was read (a JSON value defined by the source), and the batch that landed with it."""

    value: Any
    batch: int


@dataclass(slots=True)
class Memory:
    """The newest receipts by id, the last number of each client, the positions of sources, and the watermark.

    They cover all batches before `until`.
    """

    until: int = 0
    receipts: MutableMapping[str, Receipt] = field(default_factory=dict)
    clients: MutableMapping[str, int] = field(default_factory=dict)
    positions: MutableMapping[str, Position] = field(default_factory=dict)
    accepted: AcceptedWatermark = field(default_factory=AcceptedWatermark)

    @classmethod
    def load(cls, landing: Place) -> Memory:
        """Load what compaction stored."""
        try:
            text = (landing / FILE_NAME).read_bytes()
        except FileNotFoundError:
            return cls()
        with durable.wrap_read_errors(landing / FILE_NAME):
            document = orjson.loads(text)
            receipts = (Receipt(*row) for row in document["records"])
            positions = {name: Position(*row) for name, row in document.get("positions", {}).items()}
            accepted = AcceptedWatermark(*document.get("accepted", ()))
            by_id = {receipt.id: receipt for receipt in receipts}
            return cls(document["until"], by_id, document["clients"], positions, accepted)

    def save(self, landing: Place) -> None:
        """Store it durably."""
        rows = [receipt.row() for receipt in self.receipts.values()]
        positions = {name: [position.value, position.batch] for name, position in self.positions.items()}
        document = {
            "until": self.until,
            "records": rows,
            "clients": dict(self.clients),
            "positions": positions,
            "accepted": self.accepted.to_row(),
        }
        durable.replace(landing / FILE_NAME, orjson.dumps(document))

    def draft(self) -> Memory:
        """Return a copy-on-write draft, which leaves this memory unchanged."""
        receipts, clients = ChainMap({}, self.receipts), ChainMap({}, self.clients)
        return Memory(self.until, receipts, clients, ChainMap({}, self.positions))

    def earlier(self, receipt: Receipt) -> Receipt | None:
        """Return the receipt of the same request, if it has landed. Raises `NotInOrder` where it cannot be accepted."""
        receipt_before = self.receipts.get(receipt.id) if receipt.id else None
        if receipt_before:
            if not receipt_before.same(receipt):
                raise NotInOrder("other_body")
            return receipt_before
        last = self.clients.get(receipt.client) if receipt.client else None
        if last is not None and receipt.sequence != last + 1:
            raise NotInOrder("gap" if receipt.sequence > last else "old", last + 1)
        return None

    def learn(self, path: Place, batch: int) -> None:
        """Record what the footer of a batch's file says."""
        try:
            metadata = pq.read_metadata(open_for_arrow(path))
        except pa.ArrowInvalid:
            return  # the file is broken: readers of its events report it
        footer = metadata.metadata or {}
        with durable.wrap_read_errors(path):
            for row in orjson.loads(footer.get(FOOTER, b"[]")):
                self.note(Receipt(*row).at(batch))
            self.move(orjson.loads(footer.get(PLACES, b"{}")), batch)
            greatest = max((span[1] for span in parse_group_spans(metadata) if span), default=BEGINNING)
            self.accepted.take(greatest, parse_heartbeats(footer), int(footer.get(ARRIVED.encode(), OPEN)))

    def move(self, positions: Mapping[str, Any], batch: int) -> None:
        """Record how far sources had been read for the events of a batch."""
        self.positions.update({name: Position(value, batch) for name, value in positions.items()})

    def must_stand(self, after: Mapping[str, Any]) -> None:
        """Raise `NotInOrder` where another process read the source on: what follows has landed already."""
        for name, value in after.items():
            position = self.positions.get(name)
            if (position.value if position else None) != value:
                raise NotInOrder("read_on")

    def trim(self) -> None:
        """Forget the oldest entries beyond the limits."""
        _drop_oldest(self.receipts, MAX_DEDUP_RECORDS)
        _drop_oldest(self.clients, MAX_REMEMBERED_CLIENTS)

    def note(self, receipt: Receipt) -> None:
        """Remember a receipt."""
        if receipt.id:
            self.receipts[receipt.id] = receipt
        if receipt.client:
            self.clients.pop(receipt.client, None)
            self.clients[receipt.client] = receipt.sequence


def _drop_oldest(entries: MutableMapping[str, Any], most: int) -> None:
    """Forget the oldest entries, where there are more than a tenth too many."""
    if len(entries) > most + most // 10:
        for key in list(islice(entries, len(entries) - most)):
            del entries[key]


def encode_records(receipts: Iterable[Receipt]) -> bytes:
    """Return receipts as stored in the footer of a file."""
    return orjson.dumps([receipt.row() for receipt in receipts if receipt.id or receipt.client])


def digest_events(events: pa.Table) -> bytes:
    """Return a digest that identifies events."""
    return hashlib.sha256(repr(events.to_pylist()).encode()).digest()
