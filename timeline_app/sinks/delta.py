"""Delta: a table in a directory; a batch is one commit, which carries the number of the batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import DeltaError

from timeline_app.sinks.contract import Delivery, IdempotentSink, Once, Trouble
from timeline_app.sinks.folders import Every, Folder, claim, look


class Delta(IdempotentSink):
    """A table that whoever knows Delta reads: Spark, DuckDB, Polars, Trino."""

    title: ClassVar = "Delta table"
    once: ClassVar = Once.EXACTLY
    place: ClassVar = ("folder",)
    nearby: ClassVar = True

    def __init__(self, *, folder: Folder, every: Every = 10.0) -> None:
        """Nothing is made yet."""
        self._name, self.every = folder, every
        self._path = Path(folder)
        self._identity = ""
        self._staged: dict[int, pa.Table] = {}

    def check(self, delivery: Delivery) -> None:
        """Could it be written there?"""
        look(delivery, self._name)

    def open(self, delivery: Delivery) -> None:
        """The directory is there, and this delivery's; and in it the table."""
        self._path, self._identity = claim(delivery, self._name), delivery.identity
        with self._trouble():
            DeltaTable.create(str(self._path), schema=delivery.schema, mode="ignore")

    def last(self) -> int | None:
        """The version of our transactions, as the table tells it."""
        with self._trouble():
            return self._number(DeltaTable(str(self._path)))

    def stage(self, batch: int, rows: pa.Table) -> None:
        """Kept here: files that no commit names are seen by nobody, and swept by whoever vacuums the table."""
        self._staged[batch] = rows

    def publish(self, batch: int) -> None:
        """One commit; two that make it at once conflict, for they are one application to Delta."""
        with self._trouble():
            table = DeltaTable(str(self._path))
            if batch in self._staged and batch > self._number(table):
                ours = [Transaction(self._identity, batch)]
                properties = CommitProperties(app_transactions=ours, max_commit_retries=0)
                write_deltalake(table, self._staged[batch], mode="append", commit_properties=properties)
        self._staged.pop(batch, None)

    def abort(self, batch: int) -> None:
        """It was only here."""
        self._staged.pop(batch, None)

    def _number(self, table: DeltaTable) -> int:
        version = table.transaction_version(self._identity)
        return -1 if version is None else int(version)

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """What goes wrong with the table, in words."""
        try:
            yield
        except (DeltaError, OSError) as why:
            words = " ".join(str(why).split()).replace(str(self._path), self._name)
            raise Trouble(f"the table {self._name} cannot be written: {words[:300]}") from why
