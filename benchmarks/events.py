"""Generate events of a video player, the same for every benchmark, and write them in several forms."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

SEED, EVENTS, SESSIONS, A_FILE = 7, 1_000_000, 25_000, 100_000
BEGIN = 1_719_820_800_000
LAST = BEGIN + 3 * 3_600_000
"""The time of the last possible event, in milliseconds."""
MAX_GAP_MS = 60_000
BEGINNING = 10
"""This many files warm a Spark up."""
STATES, ACTIONS, CDNS = ("play", "buffer", "pause", "stop"), ("seek", "volume"), ("CDN1", "CDN2", "CDN3")
USED = ["session_id", "t", "player_state", "user_action", "cdn"]
FIELDS = USED[2:]


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def write_events(path: Path, size: int, sessions: int | None = None) -> None:
    """Write events of sessions into a Parquet file, ordered by time; each event has one value.

    By default a session has forty events. Events after `LAST` are left out.
    """
    chance = np.random.default_rng(SEED)
    sessions = sessions or max(1, SESSIONS * size // EVENTS)
    owner = np.sort(chance.integers(0, sessions, size))
    begin = chance.integers(0, LAST - BEGIN - 3_600_000, sessions)
    gaps = chance.integers(1, compute_longest_gap(size, sessions), size)
    elapsed = np.cumsum(gaps)
    first = np.searchsorted(owner, np.arange(sessions))
    elapsed -= np.append(elapsed[first.clip(0, size - 1)], 0)[owner]
    keep = begin[owner] + elapsed < LAST - BEGIN
    owner, moment = owner[keep], (BEGIN + begin[owner] + elapsed)[keep]
    order = np.argsort(moment, kind="stable")
    owner, moment = owner[order], moment[order]
    about = chance.choice(3, len(owner), p=[0.65, 0.15, 0.2])
    columns = {
        "session_id": pa.DictionaryArray.from_arrays(
            pa.array(owner, pa.int32()), pa.array([f"session-{index:07d}" for index in range(sessions)])
        ).cast(pa.string()),
        "t": pa.array(moment, pa.int64()),
        "event_id": pa.array([f"{index:016x}" for index in chance.permutation(len(owner)).tolist()]),
        "player_state": _draw_texts(chance, STATES, about == 0),
        "user_action": _draw_texts(chance, ACTIONS, about == 1),
        "cdn": _draw_texts(chance, CDNS, about == 2),
    }
    pq.write_table(pa.table(columns), path, row_group_size=1 << 17)


def compute_longest_gap(size: int, sessions: int) -> int:
    """Return the greatest gap between two events of a session in milliseconds; shorter for long sessions."""
    forty = EVENTS // SESSIONS
    return max(2, min(MAX_GAP_MS, MAX_GAP_MS * forty * sessions // size))


def _draw_texts(chance: np.random.Generator, texts: tuple[str, ...], present: Any) -> pa.Array:
    codes = chance.integers(0, len(texts), len(present))
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=~present), pa.array(texts)).cast(pa.string())


@dataclass(frozen=True, slots=True)
class Events:
    """The same events as one file, as files of equal size ordered by time, and as a landing."""

    folder: Path

    @property
    def whole(self) -> Path:
        """The Parquet file with all events."""
        return self.folder / "events.parquet"

    @property
    def few(self) -> Path:
        """A small file with other events, for warming up."""
        return self.folder / "few.parquet"

    @property
    def parts(self) -> Path:
        """A folder of Parquet files, as a stream receives them."""
        return self.folder / "parts"

    @property
    def landing(self) -> Path:
        """The root of a landing with the stream `player`."""
        return self.folder / "landing"

    @property
    def size(self) -> int:
        """The number of events."""
        return int(pq.read_metadata(self.whole).num_rows)

    def count_by_file(self) -> list[int]:
        """Return the number of events in each file, which is that of each batch of the landing."""
        return [int(pq.read_metadata(file).num_rows) for file in sorted(self.parts.iterdir())]

    def beginning(self, folder: Path) -> Events:
        """Copy the first files and batches to another folder."""
        for event_folder, its in ((self.parts, "parts"), (self.landing / "player", "landing/player")):
            (folder / its).mkdir(parents=True)
            for path in sorted(event_folder.glob("*.parquet"))[:BEGINNING]:
                (folder / its / path.name).symlink_to(path)
        return Events(folder)

    def write(self, size: int, sessions: int | None = None, a_file: int = A_FILE) -> None:
        """Write all forms."""
        self.parts.mkdir(parents=True)
        write_events(self.few, 1_000)
        write_events(self.whole, size, sessions)
        table = pq.read_table(self.whole)
        for number, start in enumerate(range(0, len(table), a_file)):
            file = self.parts / f"{number:06d}.parquet"
            pq.write_table(table.slice(start, a_file), file)
            os.utime(file, (number, number))  # Spark reads files in the order of their times
        land(self.landing, table, a_file)


def land(root: Path, table: pa.Table, a_file: int, fields: Sequence[str] = FIELDS) -> None:
    """Write the events as a landing, this many in a batch."""
    from timeline_app.landing.log import Landing  # noqa: PLC0415 (what others need not carry)

    landing = Landing(root, "player")
    for start in range(0, len(table), a_file):
        landing.append_table(build_landed_table(table.slice(start, a_file), fields))


def build_landed_table(table: pa.Table, fields: Sequence[str] = FIELDS) -> pa.Table:
    """Return the events in the columns of a landing."""
    from timeline_app.landing.segments import SCHEMA  # noqa: PLC0415

    texts = np.column_stack([table[name].to_numpy(zero_copy_only=False) for name in fields])
    present = np.column_stack([pc.is_valid(table[name]).to_numpy() for name in fields])
    starts = np.append(0, np.cumsum(present.sum(axis=1))).astype(np.int32)
    names = np.broadcast_to(np.array(fields, dtype=object), present.shape)[present]
    maps = pa.MapArray.from_arrays(pa.array(starts), pa.array(names), pa.array(texts[present]))
    time = pc.multiply(table["t"], 1_000)
    nothing = pa.nulls(len(table), pa.string())
    return pa.table([table["session_id"], time, table["event_id"], nothing, maps], schema=SCHEMA)
