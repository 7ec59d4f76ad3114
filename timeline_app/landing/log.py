"""The landing of a stream: a log of numbered batches of events.

A batch is first a small Parquet file of its own: number n + 1 appears only after n, whole and on disk (fsync).
Compaction (`compaction.py`) merges many files into few and drops old ones; numbers stay.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.events import ARRIVAL, TEXT
from timeline_app.algebra.kinds import Kind
from timeline_app.events.arrow_types import cast_texts, to_arrow_type
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.nested import read_paths
from timeline_app.events.paths import is_path
from timeline_app.events.validate import EventBatch
from timeline_app.fs import durable
from timeline_app.fs.paths import Place
from timeline_app.landing.batches import Batches
from timeline_app.landing.dedup import Memory, NotInOrder, Position, Receipt
from timeline_app.landing.heartbeats import Beat
from timeline_app.landing.recent_ids import RecentEvents
from timeline_app.landing.requests import LandedBatch, Request
from timeline_app.landing.segments import ACCEPTED, ARRIVED, FILE, SCHEMA
from timeline_app.landing.unconfirmed import UnsettledRequests

log = logging.getLogger(__name__)


def get_column_type(declaration: StreamDeclaration, name: str) -> pa.DataType:
    """Return the Arrow type of a field; ends are integers, since they may lie in the year 9999."""
    return pa.int64() if name in declaration.always_read else to_arrow_type(declaration.kind_of(name))


def build_table(batch: EventBatch) -> pa.Table:
    """Return a batch of events in the stored columns."""
    return pa.table([batch.keys, batch.times, batch.ids, batch.texts, batch.fields], schema=SCHEMA)


class Landing(Batches):
    """The log of one stream under a root directory. One thread at a time may append to an object; any may read."""

    def __init__(self, root: Place, stream: str) -> None:
        """`stream` is a folder under `root`; nothing is made on disk before the first append."""
        super().__init__(root / stream)
        self._memory: Memory | None = None
        self._made = False
        self._unsettled = UnsettledRequests()
        self._recent = RecentEvents()

    def append(self, batch: EventBatch) -> int:
        """Write a batch durably, and return its number, from 0. Safe against other writers and against kills."""
        return self.append_table(build_table(batch))

    def append_table(self, table: pa.Table) -> int:
        """Write events in the columns of `SCHEMA` as `append` does."""
        request = Request(table, Receipt("", "", -1, "", table.num_rows))
        self.commit([request])
        assert request.receipt is not None
        return request.receipt.batch

    def commit(self, requests: Sequence[Request]) -> None:
        """Land the new requests together as one batch, and set the outcome of every request.

        Outcomes are durable. Raises `OSError` where the batch cannot be written; then nothing has landed. After
        `Unsettled` that is unknown: a repeated request learns the outcome, even without an id, by its events.
        """
        self._make()
        while True:
            memory = self._remembered()
            number = memory.until
            fresh = _select_new(
                [request for request in requests if not self._has_landed(request, number)], memory.draft()
            )
            for item in fresh:
                item.measure(memory.accepted, self._recent)
            batch = LandedBatch.build(number, fresh, memory.accepted)
            if not fresh or self._write(batch):
                break
        for item in fresh:
            item.receipt = item.claim.at(number)
            memory.note(item.receipt)
            memory.move(item.positions, number)
            self._recent.remember(item.digests)
        if fresh:
            memory.until = self._next = number + 1
            memory.accepted.take(batch.greatest(), batch.said, batch.arrived)
            if self._unsettled:
                self._unsettled.remove(item.table for item in fresh if item.nameless)
        for item in requests:
            if item.repeated and item.receipt is None:
                item.receipt = memory.receipts[item.claim.id]
        memory.trim()

    def beat(self, until: int, *, holds: bool = False) -> int:
        """Land a heartbeat: events up to `until` (microseconds) are assumed to have arrived. Return its batch number.

        With `holds` it is a watermark: later events are not. Safe against other writers and against kills.
        """
        self._make()
        while not self._write(LandedBatch(number := self.end(), said=[Beat(number, until, holds)])):
            continue
        return number

    def _make(self) -> None:
        """Make the folders, and sync their names, before the first batch that this object writes."""
        if not self._made:
            durable.make_folders(self.path)
            self._made = True

    def _has_landed(self, request: Request, end: int) -> bool:
        """Return whether a request without an id landed when it came before, although that was unknown then.

        `end` is the number after the last batch.
        """
        if self._unsettled and request.nameless and not request.repeated:
            number = self._unsettled.find_batch(request.table, end, self._read_batch)
            if number is not None:
                request.receipt, request.repeated = request.claim.at(number), True
        return request.repeated

    def _read_batch(self, number: int) -> pa.Table:
        return self.rows(number, number + 1).select(SCHEMA.names)

    def find_known(self, asked_receipt: Receipt) -> Receipt | None:
        """Return the receipt of a request that this object knows to have landed, with the same body."""
        memory = self._memory
        receipt = memory.receipts.get(asked_receipt.id) if memory and asked_receipt.id else None
        return receipt if receipt and receipt.same(asked_receipt) else None

    def positions(self) -> dict[str, Position]:
        """Return how far each part of a source has been read, by its name."""
        return dict(self._remembered().positions)

    def _write(self, batch: LandedBatch) -> bool:
        """Write a batch, or a heartbeat, under its number. Return False where the number is taken."""
        number, fresh, events = batch.number, batch.requests, batch.events()
        with durable.open_draft_file(self.file(number)) as draft:
            with pq.ParquetWriter(draft.sink, SCHEMA, compression="zstd", use_dictionary=["key"]) as writer:
                writer.write_table(events)
                writer.add_key_value_metadata(batch.footer())
            size = draft.sink.tell()
            if not self._name(draft, fresh, number, events):
                return False
        if number >= self.index().end:
            self._sizes[number] = len(events), size
            return True
        # The number was taken, and its file has been compacted and removed: nobody reads this one.
        self.file(number).unlink()
        return False

    def _name(self, draft: durable.Draft, fresh: list[Request], number: int, events: pa.Table) -> bool:
        """Give a batch its number, unless it is taken. Raises `Unsettled` where it may have the number all the same."""
        try:
            return draft.create()
        except (durable.Unsettled, ConnectionError, TimeoutError) as why:
            self._unsettled.add(number, (item.table for item in fresh if item.nameless), events)
            raise durable.Unsettled(why.errno, why.strerror or str(why), str(self.file(number))) from why

    def _remembered(self) -> Memory:
        """Return the memory of all existing batches."""
        memory, self._memory = self._memory or Memory.load(self.path), None
        end = self.end()
        has_more = memory.until < end
        while memory.until < end:
            try:
                memory.learn(self.file(memory.until), memory.until)
            except FileNotFoundError:
                memory = self._later(memory)
                continue
            memory.until += 1
            memory.trim()
        if has_more:
            durable.sync_names(self.path)  # their writer may not have synced the names yet
        self._memory = memory
        return memory

    def _later(self, memory: Memory) -> Memory:
        """Return the memory that compaction has collected since, because the next file is gone."""
        compacted = self.index().end  # read before the receipts, which are written first
        gathered = Memory.load(self.path)
        if gathered.until > memory.until:
            return gathered
        if memory.until < compacted:
            words = "%s: the deduplication records of the batches %d to %d are lost; requests of then would land again"
            log.warning(words, self.path, memory.until, compacted - 1)
            memory.until, memory.accepted.greatest = compacted, self.index().seen
            return memory
        raise FileNotFoundError(errno.ENOENT, "a batch is missing", str(self.file(memory.until)))

    def read(self, start: int, end: int, declaration: StreamDeclaration, fields: Iterable[str]) -> pa.Table:
        """Read the events of the batches from start to end (exclusive), in the columns of `build_landed_schema`."""
        names, identity = list(fields), ["id", "text"] if declaration.id else []
        identity += ["text"] if TEXT in names and not identity else []
        arrived = (ARRIVED,) if ARRIVAL in names else ()
        table = self.rows(start, end, ("key", "time", *identity, "fields", *arrived, ACCEPTED))
        events = build_host_table(table, declaration, names)
        return events.append_column(FILE, table[FILE]).append_column(ACCEPTED, table[ACCEPTED])


def _select_new(requests: Sequence[Request], memory: Memory) -> list[Request]:
    """Return the new requests, each client's in the order of its numbers; set the outcome of the others."""
    waiting, fresh = list(requests), list[Request]()
    while waiting:
        refused = [request for request in waiting if not _admit(request, memory, fresh)]
        if len(refused) == len(waiting):
            break
        waiting = refused  # the missing one may have come together with them
    return fresh


def _admit(request: Request, memory: Memory, fresh: list[Request]) -> bool:
    request.refusal = None
    try:
        memory.must_stand(request.after)
        request.repeated = memory.earlier(request.claim) is not None
    except NotInOrder as why:
        request.refusal = why
        return False
    if not request.repeated:
        memory.note(request.claim)
        memory.move(request.positions, memory.until)
        fresh.append(request)
    return True


def build_host_schema(declaration: StreamDeclaration, fields: Iterable[str]) -> pa.Schema:
    """Return the columns key, time, id and text (where ids are declared), then one typed column per field: v0, v1 …"""
    identity = [("id", pa.string()), ("text", pa.string())] if declaration.id else []
    values = [(f"v{index}", get_column_type(declaration, name)) for index, name in enumerate(fields)]
    return pa.schema([("key", pa.string()), ("time", pa.int64()), *identity, *values])


def build_landed_schema(declaration: StreamDeclaration, fields: Iterable[str]) -> pa.Schema:
    """Return the columns of events read from a landing: those of `build_host_schema`, `file` and `accepted`."""
    return pa.schema([*build_host_schema(declaration, fields), (FILE, pa.int64()), (ACCEPTED, pa.int64())])


def build_host_table(table: pa.Table, declaration: StreamDeclaration, fields: Iterable[str]) -> pa.Table:
    """Return landed events with the wanted fields as typed columns."""
    names = list(fields)
    identity = [table["id"], table["text"]] if declaration.id else []
    inside = [name for name in names if is_path(name) and name not in (declaration.key, declaration.time)]
    paths = read_paths(table["fields"], inside, declaration.kind_of) if inside else {}
    values = [_build_field(table, name, declaration, paths.get(name)) for name in names]
    columns = [table["key"], table["time"], *identity, *values]
    return pa.table(columns, schema=build_host_schema(declaration, names))


def _build_field(
    table: pa.Table, name: str, declaration: StreamDeclaration, path: pa.ChunkedArray | None
) -> pa.ChunkedArray:
    if name == TEXT:
        return table["text"]
    texts, kind = pc.map_lookup(table["fields"], pa.scalar(name), "last"), declaration.kind_of(name)
    if name in declaration.always_read:
        return pc.cast(texts, get_column_type(declaration, name))
    if path is not None and texts.null_count == len(texts):
        return path
    if name == ARRIVAL and ARRIVED in table.column_names:
        return pc.coalesce(cast_texts(texts, kind), pc.cast(table[ARRIVED], pa.float64()))
    values = texts if kind is Kind.TEXT else cast_texts(texts, kind)
    return values if path is None else pc.if_else(pc.is_valid(texts), values, path)
