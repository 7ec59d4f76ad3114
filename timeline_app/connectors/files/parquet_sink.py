"""Parquet: a directory of files, one per batch; a hard link adds each file atomically."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.connectors.files.sink_folders import Every, Folder, check_folder, claim, trouble
from timeline_app.connectors.sink_contract import Delivery, IdempotentSink, Once
from timeline_app.fs import durable
from timeline_app.fs.paths import STAGED


class Parquet(IdempotentSink):
    """Parquet files in a directory of their own; readers of `*.parquet` there read whole batches."""

    title: ClassVar = "Parquet files"
    once: ClassVar = Once.EXACTLY
    place: ClassVar = ("folder",)
    nearby: ClassVar = True

    def __init__(self, *, folder: Folder, every: Every = 10.0) -> None:
        """Nothing is written before `open`."""
        self._name, self.every = folder, every
        self._path = Path(folder)
        self._staged: dict[int, Path] = {}

    def check(self, delivery: Delivery) -> None:
        """Check that a file can be written there."""
        check_folder(delivery, self._name)

    def open(self, delivery: Delivery) -> None:
        """Claim the directory for this delivery."""
        self._path = claim(delivery, self._name)

    def last(self) -> int | None:
        """Return the greatest number of a file."""
        with trouble(self._name):
            return max((_number(path) for path in self._path.glob("batch-*.parquet")), default=-1)

    def stage(self, batch: int, rows: pa.Table) -> None:
        """Write a durable file whose name begins with a dot."""
        self.abort(batch)
        staged = self._path / f".batch-{batch:012d}.{uuid.uuid4().hex}{STAGED}"
        with trouble(self._name), staged.open("wb") as sink:
            self._staged[batch] = staged
            pq.write_table(rows, sink, compression="zstd")
            durable.sync_file(sink)

    def publish(self, batch: int) -> None:
        """Give the file its name, if no other file has it."""
        final = self._path / f"batch-{batch:012d}.parquet"
        with trouble(self._name):
            if not final.exists() and batch in self._staged:
                with suppress(FileExistsError):
                    os.link(self._staged[batch], final)  # a rename would overwrite an existing file
                durable.sync_folder(self._path)
            self.abort(batch)

    def abort(self, batch: int) -> None:
        """Remove the unnamed file."""
        staged = self._staged.pop(batch, None)
        if staged is not None:
            with trouble(self._name):
                staged.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove all staged files: their writers are gone, or will stage them again."""
        with trouble(self._name):
            for path in self._path.glob(f".*{STAGED}"):
                path.unlink(missing_ok=True)


def _number(path: Path) -> int:
    text = path.name.removeprefix("batch-").removesuffix(".parquet")
    return int(text) if text.isdecimal() else -1
