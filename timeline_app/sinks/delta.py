"""Delta: a table in a directory; a batch is one commit, which carries the number of the batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, ClassVar

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import DeltaError, TableNotFoundError

from timeline_app.sinks.contract import Delivery, IdempotentSink, Once, Trouble
from timeline_app.sinks.folders import claim, folder_of, look, no_folder
from timeline_app.sinks.parquet import not_seconds
from timeline_app.sources.options import Option


class Delta(IdempotentSink):
    """A table that whoever knows Delta reads: Spark, DuckDB, Polars, Trino."""

    title: ClassVar = "Delta table"
    once: ClassVar = Once.EXACTLY
    place: ClassVar = ("folder",)

    def __init__(
        self,
        *,
        folder: Annotated[str, Option("the folder, below the one of this installation", no_folder)],
        every: Annotated[
            float, Option("seconds between two commits at least, so that files are not too many", not_seconds)
        ] = 10.0,
    ) -> None:
        """Nothing is made yet."""
        self._name, self.every = folder, every
        self._path = Path(folder)
        self._delivery: Delivery | None = None
        self._staged: dict[int, pa.Table] = {}

    def check(self, delivery: Delivery) -> None:
        """Could it be written there?"""
        look(folder_of(delivery, self._name), delivery)

    def open(self, delivery: Delivery) -> None:
        """The directory is there, and this delivery's; and in it the table."""
        self._path, self._delivery = folder_of(delivery, self._name), delivery
        claim(self._path, delivery)
        with self._trouble():
            if self._table() is None:
                DeltaTable.create(
                    str(self._path),
                    schema=delivery.schema,
                    mode="ignore",
                    configuration={"delta.checkpointInterval": "100"},
                )

    def last(self) -> int | None:
        """The version of our transactions, as the table tells it."""
        with self._trouble():
            table, delivery = self._table(), self._delivery
            assert delivery is not None, "open comes first"
            version = table.transaction_version(delivery.identity) if table is not None else None
            return -1 if version is None else int(version)

    def stage(self, batch: int, rows: pa.Table) -> None:
        """Kept here: files that no commit names are seen by nobody, and swept by whoever vacuums the table."""
        self._staged[batch] = rows

    def publish(self, batch: int) -> None:
        """One commit; two that make it at once conflict, for they are one application to Delta."""
        delivery, last = self._delivery, self.last()
        if batch in self._staged and last is not None and batch > last:
            assert delivery is not None
            with self._trouble():
                write_deltalake(
                    str(self._path),
                    self._staged[batch],
                    mode="append",
                    commit_properties=CommitProperties(
                        app_transactions=[Transaction(delivery.identity, batch)], max_commit_retries=0
                    ),
                )
        self._staged.pop(batch, None)

    def abort(self, batch: int) -> None:
        """It was only here."""
        self._staged.pop(batch, None)

    def _table(self) -> DeltaTable | None:
        try:
            return DeltaTable(str(self._path))
        except TableNotFoundError:
            return None

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """What goes wrong with the table, in words."""
        try:
            yield
        except (DeltaError, OSError) as why:
            raise Trouble(
                f"the table {self._path} cannot be written: {' '.join(str(why).split())[:300]}"
            ) from why
