"""The question as a Bytewax dataflow: a file is a batch, a session is a key; in memory, or with recovery on disk.

Without recovery a crash loses everything. With it the state is saved in SQLite each second (`EPOCH`), and what was
written after the last epoch is written again after a crash: an exactly-once sink would be the user's work.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from bytewax import operators as op
from bytewax.dataflow import Dataflow
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.operators import StatefulBatchLogic
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.recovery import RecoveryConfig, init_db_dir
from bytewax.testing import cluster_main

from benchmarks.events import Events
from benchmarks.peers.by_hand import Session
from benchmarks.peers.question import Answer, Told, extrapolate_rows, time_answer

COLUMNS = ["session_id", "t", "player_state", "user_action"]
ROWS_PER_READ = 10_000
EPOCH = timedelta(seconds=1)
SAID = pa.schema([("session", pa.string()), ("t", pa.int64()), ("spent", pa.int64()), ("since", pa.int64())])


class Part(StatefulSourcePartition):  # type: ignore[misc] # the package is not there where types are checked
    """Reads the files of the folder in turn."""

    def __init__(self, folder: Path, rows_done: int) -> None:
        """Start after `rows_done` reads."""
        self.done = rows_done
        self.reads = _iterate_reads(folder, rows_done)

    def next_batch(self) -> list[tuple[str, Any]]:
        """Return the next events by session."""
        batch = next(self.reads)
        self.done += 1
        session, *columns = (column.to_pylist() for column in batch.columns)
        return list(zip(session, zip(*columns, strict=True), strict=True))

    def snapshot(self) -> int:
        """Return how many reads were made."""
        return self.done


def _iterate_reads(folder: Path, rows_done: int) -> Iterator[pa.RecordBatch]:
    row_number = 0
    for file in sorted(folder.iterdir()):
        for batch in pq.ParquetFile(file).iter_batches(ROWS_PER_READ, columns=COLUMNS):
            if row_number >= rows_done:
                yield batch
            row_number += 1


class Parts(FixedPartitionedSource):  # type: ignore[misc] # see above
    """A folder of Parquet files."""

    def __init__(self, folder: Path) -> None:
        """Read its files in the order of their names."""
        self.folder = folder

    def list_parts(self) -> list[str]:
        """Return the one part."""
        return ["all"]

    def build_part(self, step_id: str, for_part: str, resume_state: int | None) -> Part:  # noqa: ARG002 (Bytewax's names)
        """Continue the part from its snapshot."""
        return Part(self.folder, resume_state or 0)


class Logic(StatefulBatchLogic):  # type: ignore[misc] # see above
    """One session."""

    def __init__(self, session: Session | None) -> None:
        """Start with the saved state, if any."""
        self.known = session or Session()

    def on_batch(self, values: list[Any]) -> tuple[list[tuple[int, int, int | None]], bool]:
        """Process some events; the session stays."""
        self.known = self.known.after(values)
        return [(self.known.t, self.known.spent, self.known.since)], False

    def snapshot(self) -> Session:
        """Return the state to save."""
        return self.known


class Lines(StatelessSinkPartition):  # type: ignore[misc] # see above
    """Writes the rows into a Parquet file."""

    def __init__(self, path: Path) -> None:
        """Open the file; it is complete once it is closed."""
        self.writer = pq.ParquetWriter(path, SAID)

    def write_batch(self, items: list[Any]) -> None:
        session, answer = zip(*items, strict=True)
        columns = [session, *zip(*answer, strict=True)]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, SAID, strict=True)]
        self.writer.write_batch(pa.record_batch(arrays, schema=SAID))

    def close(self) -> None:
        self.writer.close()


class File(DynamicSink):  # type: ignore[misc] # see above
    """A Parquet file for each worker."""

    def __init__(self, folder: Path) -> None:
        """Write into an existing folder."""
        self.folder = folder

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Lines:  # noqa: ARG002 (Bytewax's names)
        return Lines(self.folder / f"{worker_index}.parquet")


def answer(files: Path, last: int, work: Path, *, durable: bool) -> Answer:
    """Run with one worker, since the files are in one order."""
    answer, recovery_folder = work / "told", work / "kept"
    answer.mkdir()
    recovery = None
    if durable:
        recovery_folder.mkdir()
        init_db_dir(recovery_folder, 1)
        recovery = RecoveryConfig(str(recovery_folder))
    flow = Dataflow("cirr")
    sessions = op.stateful_batch("session", op.input("events", flow, Parts(files)), Logic)
    op.output("told", sessions, File(answer))
    cluster_main(flow, [], 0, epoch_interval=EPOCH, recovery_config=recovery)
    return extrapolate_rows(pq.read_table(answer), last)


def run_bytewax(durable: bool, events: Events, last: int, work: Path) -> Told:
    """Measure from the first event read to the last row written."""
    return time_answer(lambda: answer(events.parts, last, work, durable=durable), events.size)


WAYS = {"bytewax": partial(run_bytewax, False), "bytewax_durable": partial(run_bytewax, True)}
