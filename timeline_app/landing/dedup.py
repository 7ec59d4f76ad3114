"""What a landing remembers of the requests whose events it holds: so that a repeated one lands once.

A receipt lies in the footer of the file that holds the events: both are on disk, or neither. So do positions: how far
a source had been read when its events landed. Compaction gathers both in one file, so that a process that starts reads
that and the footers of what came since.
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

NAME, FOOTER, PLACES = "receipts.json", b"receipts", b"positions"
REMEMBERED = 100_000
"""So many requests of a stream are remembered."""
CLIENTS = 10_000
"""So many clients of a stream are remembered by the last number that they gave."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """One request: its id and its client (empty: not given), the number that the client gave (-1: none), a digest of
    its body, how many events it brought, and the batch that holds them.

    Of these events so many were `late` or `too_late` for the watermark, or `duplicates`; as many more were `rejected`.
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
        """The same, landed."""
        return replace(self, batch=batch)

    def same(self, other: Receipt) -> bool:
        """Whether both are of one request, by all that its client said."""
        mine, theirs = (self.body, self.client, self.sequence), (other.body, other.client, other.sequence)
        return self.id == other.id and mine == theirs

    def with_events(self, taken: int, rejected: int = 0) -> Receipt:
        """The same of so many events."""
        return replace(self, taken=taken, rejected=rejected)

    def row(self) -> list[Any]:
        """As it is kept."""
        return [*astuple(self)]


class NotInOrder(Exception):
    """A request that cannot be taken: `code` says why, `expected` is the number that its client must give."""

    def __init__(self, code: str, expected: int | None = None) -> None:
        super().__init__(code)
        self.code, self.expected = code, expected


@dataclass(frozen=True, slots=True)
class Position:
    """How far a part of a source has been read, as a JSON value of its own; the batch with which that landed."""

    value: Any
    batch: int


@dataclass(slots=True)
class Memory:
    """The newest receipts by id, the last number of each client, the positions of sources, the watermark of what was
    accepted; `until`: those of all batches before it.
    """

    until: int = 0
    receipts: MutableMapping[str, Receipt] = field(default_factory=dict)
    clients: MutableMapping[str, int] = field(default_factory=dict)
    positions: MutableMapping[str, Position] = field(default_factory=dict)
    accepted: AcceptedWatermark = field(default_factory=AcceptedWatermark)

    @classmethod
    def load(cls, landing: Place) -> Memory:
        """As compaction left it."""
        try:
            text = (landing / NAME).read_bytes()
        except FileNotFoundError:
            return cls()
        with durable.wrap_read_errors(landing / NAME):
            document = orjson.loads(text)
            receipts = (Receipt(*row) for row in document["receipts"])
            positions = {name: Position(*row) for name, row in document.get("positions", {}).items()}
            accepted = AcceptedWatermark(*document.get("accepted", ()))
            by_id = {receipt.id: receipt for receipt in receipts}
            return cls(document["until"], by_id, document["clients"], positions, accepted)

    def save(self, landing: Place) -> None:
        """Keep it; durable."""
        rows = [receipt.row() for receipt in self.receipts.values()]
        positions = {name: [position.value, position.batch] for name, position in self.positions.items()}
        document = {
            "until": self.until,
            "receipts": rows,
            "clients": dict(self.clients),
            "positions": positions,
            "accepted": self.accepted.to_row(),
        }
        durable.replace(landing / NAME, orjson.dumps(document))

    def draft(self) -> Memory:
        """One to try things on, which leaves this one as it is."""
        receipts, clients = ChainMap({}, self.receipts), ChainMap({}, self.clients)
        return Memory(self.until, receipts, clients, ChainMap({}, self.positions))

    def earlier(self, receipt: Receipt) -> Receipt | None:
        """The receipt of the same request, if it has landed; raises `NotInOrder` where it cannot be taken."""
        known = self.receipts.get(receipt.id) if receipt.id else None
        if known:
            if not known.same(receipt):
                raise NotInOrder("other_body")
            return known
        last = self.clients.get(receipt.client) if receipt.client else None
        if last is not None and receipt.sequence != last + 1:
            raise NotInOrder("gap" if receipt.sequence > last else "old", last + 1)
        return None

    def learn(self, path: Place, batch: int) -> None:
        """Note all that stands in the footer of the file of a batch."""
        try:
            metadata = pq.read_metadata(open_for_arrow(path))
        except pa.ArrowInvalid:
            return  # it is broken: those who read its events say so
        footer = metadata.metadata or {}
        with durable.wrap_read_errors(path):
            for row in orjson.loads(footer.get(FOOTER, b"[]")):
                self.note(Receipt(*row).at(batch))
            self.move(orjson.loads(footer.get(PLACES, b"{}")), batch)
            greatest = max((span[1] for span in parse_group_spans(metadata) if span), default=BEGINNING)
            self.accepted.take(greatest, parse_heartbeats(footer), int(footer.get(ARRIVED.encode(), OPEN)))

    def move(self, positions: Mapping[str, Any], batch: int) -> None:
        """Remember how far sources had been read for the events of a batch."""
        self.positions.update({name: Position(value, batch) for name, value in positions.items()})

    def must_stand(self, after: Mapping[str, Any]) -> None:
        """Raises `NotInOrder` where a source was read on, by somebody else: what follows has landed already."""
        for name, value in after.items():
            known = self.positions.get(name)
            if (known.value if known else None) != value:
                raise NotInOrder("read_on")

    def trim(self) -> None:
        """Forget the oldest, if there are too many."""
        _forget(self.receipts, REMEMBERED)
        _forget(self.clients, CLIENTS)

    def note(self, receipt: Receipt) -> None:
        """Remember one more."""
        if receipt.id:
            self.receipts[receipt.id] = receipt
        if receipt.client:
            self.clients.pop(receipt.client, None)
            self.clients[receipt.client] = receipt.sequence


def _forget(kept: MutableMapping[str, Any], most: int) -> None:
    """The oldest ones, where there are more than a tenth too many."""
    if len(kept) > most + most // 10:
        for key in list(islice(kept, len(kept) - most)):
            del kept[key]


def encode_receipts(receipts: Iterable[Receipt]) -> bytes:
    """As they stand in the footer of a file."""
    return orjson.dumps([receipt.row() for receipt in receipts if receipt.id or receipt.client])


def digest_events(events: pa.Table) -> bytes:
    """Tells events from others."""
    return hashlib.sha256(repr(events.to_pylist()).encode()).digest()
