"""Delta: a table in a directory; a batch is one commit, which carries the number of the batch."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import DeltaError

from timeline_app.connectors.files.sink_folders import Every, Folder, check_folder, claim
from timeline_app.connectors.sink_contract import Delivery, IdempotentSink, Once, TargetUnavailable
from timeline_app.feed.syncing import sync_files
from timeline_app.fs import durable

log = logging.getLogger(__name__)


class Delta(IdempotentSink):
    """A table for all readers of Delta: Spark, DuckDB, Polars, Trino."""

    title: ClassVar = "Delta table"
    once: ClassVar = Once.EXACTLY
    place: ClassVar = ("folder",)
    nearby: ClassVar = True

    def __init__(self, *, folder: Folder, every: Every = 10.0) -> None:
        """The table is created by `open`."""
        self._name, self.every = folder, every
        self._path = Path(folder)
        self._identity = ""
        self._staged: dict[int, pa.Table] = {}

    def check(self, delivery: Delivery) -> None:
        """Check that the table can be written there."""
        check_folder(delivery, self._name)

    def open(self, delivery: Delivery) -> None:
        """Claim the directory for this delivery, and create the table in it."""
        self._path, self._identity = claim(delivery, self._name), delivery.identity
        with self._trouble():
            self._remove_torn()
            table = DeltaTable.create(str(self._path), schema=delivery.schema, mode="ignore")
            self._sync(table.version())

    def last(self) -> int | None:
        """Return the version of our transactions that the table records."""
        with self._trouble():
            return self._number(DeltaTable(str(self._path)))

    def stage(self, batch: int, rows: pa.Table) -> None:
        """Keep the rows in memory: files that no commit names would be invisible, and vacuumed by others."""
        self._staged[batch] = rows

    def publish(self, batch: int) -> None:
        """Commit the batch. Two simultaneous commits conflict, since Delta sees one application."""
        with self._trouble():
            table = DeltaTable(str(self._path))
            if batch in self._staged and batch > self._number(table):
                before = table.version()
                transactions = [Transaction(self._identity, batch)]
                properties = CommitProperties(app_transactions=transactions, max_commit_retries=0)
                write_deltalake(table, self._staged[batch], mode="append", commit_properties=properties)
                for version in range(before + 1, DeltaTable(str(self._path)).version() + 1):
                    self._sync(version)
        self._staged.pop(batch, None)

    def abort(self, batch: int) -> None:
        """Forget the rows, which were only in memory."""
        self._staged.pop(batch, None)

    def _sync(self, version: int) -> None:
        """Sync a commit and the files that it names: from now on they count as delivered.

        After a kill before that, the next process syncs the newest commit when it opens the table.
        """
        folder = self._path / "_delta_log"
        commit = folder / f"{version:020d}.json"
        files = list(self._files(commit))
        also = (folder / f"{version:020d}.checkpoint.parquet", folder / "_last_checkpoint")
        sync_files([*files, commit, *(path for path in also if path.exists())])
        durable.sync_folder(self._path)

    def _files(self, commit: Path) -> dict[Path, int]:
        """Return the files that a commit adds, with their sizes. Raises ValueError for a torn commit."""
        named = [json.loads(line) for line in commit.read_text().splitlines()]
        if not named:
            raise ValueError(f"{commit} is empty")
        added_files = [action["add"] for action in named if "add" in action]
        return {self._path / unquote(added["path"]): added["size"] for added in added_files}

    def _remove_torn(self) -> None:
        """Remove the newest commit if a power cut has torn it, or if it is ours and files of it are torn.

        Otherwise nobody could read the table. No delivered commit is lost: those were synced.
        """
        commits = [path for path in (self._path / "_delta_log").glob("*.json") if path.stem.isdecimal()]
        newest = max(commits, default=None)
        if newest is None:
            return
        try:
            files, is_own = self._files(newest), self._identity in newest.read_text()
            is_complete = not is_own or all(_is_whole(path, size) for path, size in files.items())
        except ValueError:
            is_complete = False
        if not is_complete:
            log.warning(
                "%s is not whole, as after a power cut: it is removed, and its batch committed again", newest
            )
            newest.unlink()
            durable.sync_folder(newest.parent)

    def _number(self, table: DeltaTable) -> int:
        version = table.transaction_version(self._identity)
        return -1 if version is None else int(version)

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """Raise errors of the table as `TargetUnavailable`."""
        try:
            yield
        except (DeltaError, OSError) as why:
            words = " ".join(str(why).split()).replace(str(self._path), self._name)
            raise TargetUnavailable(f"the table {self._name} cannot be written: {words[:300]}") from why


def _is_whole(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size and pq.read_metadata(path) is not None
    except (OSError, pa.ArrowInvalid):
        return False
