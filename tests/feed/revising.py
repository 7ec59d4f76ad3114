"""Feeds of nodes whose timelines change from batch to batch, and what a reader that begins now makes of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tests.feed.packets import write
from timeline_app.algebra.kinds import BEGINNING, NO_LABELS, OPEN, Kind
from timeline_app.algebra.names import reindex
from timeline_app.algebra.revisions import apply_all, diff
from timeline_app.algebra.timelines import Timelines, build_timelines
from timeline_app.events.columns import sort_names, to_labels
from timeline_app.feed import feed_rows
from timeline_app.feed.feed_rows import build_progress_row, select_node_rows
from timeline_app.feed.files import FileFeed
from timeline_app.feed.segments import BATCH
from timeline_app.feed.snapshot_writing import SnapshotNode
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from workers.spark.sources import FedRevisions, LogReader

KINDS = [Kind.NUMBER, Kind.BOOL, Kind.TEXT]
SOURCE = "player"
LABELS = np.array(["a", "b", "c"], dtype=object)


def draw_timelines(chance: np.random.Generator, kind: Kind, names: list[str], now: int) -> Timelines:
    """Timelines of some keys with a few change points up to now; some of the keys are gone."""
    key, time, value, slope = [], [], [], []
    for index, _ in enumerate(names):
        times = sorted({int(number) for number in chance.integers(0, max(now, 1), 3)})
        for instant in [BEGINNING, *times]:
            key.append(index)
            time.append(instant)
            value.append(int(chance.integers(0, 3)))
            slope.append(0.0 if instant == BEGINNING else float(chance.integers(0, 2)))
    birth = np.where(chance.random(len(names)) < 0.1, OPEN, chance.integers(0, max(now, 1), len(names)))
    values = np.array(value).astype(kind.dtype) - (kind is Kind.TEXT and chance.random(len(value)) < 0.2)
    return build_timelines(
        kind,
        np.array(names, dtype=object),
        birth.astype(np.int64),
        np.array(key),
        np.array(time, dtype=np.int64),
        values.astype(kind.dtype),
        np.array(slope) if kind.is_line else None,
        LABELS if kind is Kind.TEXT else NO_LABELS,
    )


@dataclass
class RevisedFeed:
    """A query of three nodes, one of each kind, that writes batch after batch."""

    places: Places
    seed: int
    name: str = "query"
    keys: int = 8
    now: int = 0
    batches: int = 0
    said: list[Timelines] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = np.random.default_rng(self.seed)
        if not self.said:
            empty = np.zeros(0, dtype=object)
            self.said = [
                feed_rows.build_timelines(feed_rows.read_revisions(feed_rows.PIECES.empty_table(), kind))
                for kind in KINDS
            ]
            assert all(len(item.names) == len(empty) for item in self.said)

    @property
    def feed(self) -> FileFeed:
        return FileFeed(self.places.feed(self.name))

    @property
    def nodes(self) -> list[SnapshotNode]:
        return [
            SnapshotNode(index, kind, frozenset({SOURCE}), lambda: iter(()))
            for index, kind in enumerate(KINDS)
        ]

    def write_batches(self, count: int) -> None:
        """Some more batches, each of which changes some keys; a new key comes with every other one."""
        for _ in range(count):
            self._write_next()

    def _write_next(self) -> None:
        self.now += 10
        tables = []
        for index, kind in enumerate(KINDS):
            known = self.keys + self.batches // 2
            names = sorted({f"k{number}" for number in self.chance.integers(0, known, 3)})
            drawn = draw_timelines(self.chance, kind, names, self.now)
            everyone = np.unique(np.concatenate((self.said[index].names, drawn.names))).astype(object)
            old = reindex(self.said[index], everyone, None)
            mine = np.searchsorted(everyone, drawn.names)
            # A birth moves back only, unless the key is gone.
            birth = np.where(drawn.birth == OPEN, OPEN, np.minimum(drawn.birth, old.birth[mine]))
            drawn = replace(drawn, birth=birth)
            changed = diff(old.take(mine), drawn)
            tables.append(select_node_rows(feed_rows.build_rows(changed), index))
            self.said[index] = apply_all(old, [changed])[1]
        for bucket in range(2):
            where = {"bucket": bucket, "buckets": 2, "horizon": self.now - 50}
            row = build_progress_row(SOURCE, self.now, self.now, self.now, **where, events=3)
            tables.append(select_node_rows(row))
        self._publish(pa.concat_tables(tables))

    def _publish(self, rows: pa.Table) -> None:
        folder = require_path(self.feed.path)
        path, manifest = (
            folder / f"part-{self.batches}.parquet",
            require_path(self.feed.manifest(self.batches)),
        )
        manifest.parent.mkdir(parents=True, exist_ok=True)
        write(rows, path)
        manifest.write_text("\n".join(["v1", json.dumps({"path": f"file://{path}", "size": 1})]))
        self.batches += 1


@dataclass
class FeedReader:
    """Reads a node as an aggregate does, batch by batch of its own."""

    places: Places
    place: int
    digest: str
    offset: int = 0
    tables: list[pa.Table] = field(default_factory=list)

    def open(self) -> LogReader:
        options: dict[str, Any] = {
            "path": str(self.places.data), "sources": json.dumps([SOURCE]), "node": self.digest, "port": "0",
        }  # fmt: skip
        reader = LogReader(FedRevisions(options))
        reader.stop_at = 1 << 40
        return reader

    def step(self) -> bool:
        """One batch; whether there was one."""
        reader = self.open()
        end = reader.latestOffset({"next": self.offset}, reader.getDefaultReadLimit())["next"]
        if end == self.offset:
            return False
        self.take(reader, end)
        return True

    def take(self, reader: LogReader, end: int) -> None:
        """Read the batch up to the end."""
        for part in reader.partitions({"next": self.offset}, {"next": end}):
            self.tables.append(reader.log.read(part.start, part.end))  # type: ignore[attr-defined]
        self.offset = end

    def read_all(self) -> Timelines:
        """Read what there is; what it comes to."""
        while self.step():
            pass
        return self.known()

    def known(self) -> Timelines:
        """What the rows that were read come to, one batch after the other."""
        kind, rows = KINDS[self.place], pa.concat_tables(self.tables)
        rows = rows.filter(pc.is_valid(rows["key"]))
        batches = sorted(pc.unique(rows[BATCH]).to_pylist())
        tables = [
            rows.filter(pc.equal(rows[BATCH], batch)).select(feed_rows.PIECES.names) for batch in batches
        ]
        steps = [feed_rows.read_revisions(table, kind) for table in tables]
        nothing = feed_rows.build_timelines(feed_rows.read_revisions(feed_rows.PIECES.empty_table(), kind))
        return apply_all(reindex(nothing, to_labels(sort_names(rows["key"])), None), steps)[1]


def tell(item: Timelines) -> dict[str, tuple[int, list[Any]]]:
    """By key that there is: its birth and its points."""
    return {
        str(name): (int(item.birth[index]), list(map(str, item.points(index))))
        for index, name in enumerate(item.names)
        if item.birth[index] != OPEN
    }


def chain_of(places: Places, digest: str, links: list[tuple[str, int, int | None]]) -> None:
    """Where a node lies: query, place, batches."""
    path = Path(str(places.chain(digest)))
    path.parent.mkdir(parents=True, exist_ok=True)
    items = [{"query": query, "place": place, "batches": batches} for query, place, batches in links]
    path.write_text(json.dumps(items))
