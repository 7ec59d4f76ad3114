"""Sources of one's own as streams of Spark: `load` makes a DataFrame of a `SplittableSource`.

Spark plans in one process and reads in others; what they share is the store. All that Spark demands of an offset, a
planner and a record batch is kept here, so that a source need not know of it (docs/sources.md says what that is).
"""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxBytes, ReadMaxRows, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from timeline_app.sources import options as declared
from timeline_app.sources.contract import SplittableSource
from timeline_app.sources.plan import Part, Plan
from timeline_app.sources.planner import Planner
from timeline_app.sources.store import Folder

WATERMARK, BEAT = "_wm", "_beat"
"""The columns that a source with a watermark of its own gets: up to when everything has come; whether it is no row."""
DELAY = "spark.watermarkDelayMs"
"""By this name, which is Spark's own and not of its API, it knows the column that a watermark is about."""
OURS = ("timeline_app.", "workers.")
Offset = dict[str, Any]


def load(
    spark: Any,
    kind: type[SplittableSource],
    *,
    state: Path,
    parallelism: int = 2,
    most: int | None = None,
    heartbeat: float | None = None,
    **options: Any,
) -> Any:
    """A streaming DataFrame of what the source gives. `options` are its own; `BadOptions` says what is wrong with them.

    `state`: a directory of the query's own, seen by driver and executors, kept as long as its checkpoint.
    `most`: how much a batch takes, in the unit of the source. `heartbeat`: so many seconds without rows move the
    watermark nevertheless. A source with an estimator brings its watermark along; for others use `withWatermark`.
    """
    given = declared.read(kind, options)
    if not kind.__module__.startswith(OURS):
        cloudpickle.register_pickle_by_value(sys.modules[kind.__module__])  # type: ignore[no-untyped-call]
    spark.dataSource.register(_format(kind))
    told = {"most": most or kind.most, "parallelism": parallelism, "heartbeat": heartbeat}
    frame = (
        spark.readStream.format(_format(kind).name())
        .options(state=str(state), told=json.dumps(told), **_apart(kind, given))
        .load()
    )
    return _with_watermark(frame, kind) if kind(**given).estimator() is not None else frame


def _apart(kind: type[SplittableSource], given: dict[str, Any]) -> dict[str, str]:
    """The options of the kind; the secret ones under a name by which Spark knows not to show them."""
    secret = {one.name for one in declared.describe(kind) if one.secret}
    shown, hidden = (
        {name: given[name] for name in given if (name in secret) is told} for told in (False, True)
    )
    return {"source": json.dumps(shown), "secrets": json.dumps(hidden)}


def _made(kind: type[SplittableSource], options: Mapping[str, str]) -> SplittableSource:
    """The source, from the options of the format."""
    return kind(**json.loads(options["source"]), **json.loads(options["secrets"]))


def _with_watermark(frame: Any, kind: type[SplittableSource]) -> Any:
    """Every column looks at the watermark: a filter on one would else go below it, and take the heartbeats away."""
    stamped = frame.withWatermark(WATERMARK, "0 seconds")
    here = F.col(WATERMARK).isNotNull()
    columns = [
        F.when(here, F.col(name)).alias(name, metadata={DELAY: 0})
        if name == kind.event_time
        else F.when(here, F.col(name)).alias(name)
        for name in (*kind.schema.names, BEAT)
    ]
    return stamped.select(*columns).where(~F.col(BEAT)).drop(BEAT)


def _format(kind: type[SplittableSource]) -> type[SplitSource]:
    """The data source of that kind."""
    return type(f"Source{kind.__name__}", (SplitSource,), {"kind": kind})


class SplitSource(DataSource):
    """Options source, secrets (those of the kind, JSON), state, told (most, parallelism, heartbeat; JSON)."""

    kind: type[SplittableSource]

    @classmethod
    def name(cls) -> str:
        """Of its own for each kind."""
        return "source_" + re.sub(r"\W+", "_", f"{cls.kind.__module__}_{cls.kind.__qualname__}").lower()

    def schema(self) -> StructType:
        """That of the source, and what tells the watermark."""
        return _schema(self.kind, stamped=_made(self.kind, self.options).estimator() is not None)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """A reader, which reaches nothing before it is asked."""
        return SplitReader(self.kind, dict(self.options))


class SplitReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A `Planner` in Spark's planner process, a `Reader` in each task."""

    def __init__(self, kind: type[SplittableSource], options: dict[str, str]) -> None:
        """It is sent to the tasks: it holds nothing open."""
        self.kind, self.options = kind, options
        self.made: Planner | None = None

    @property
    def planner(self) -> Planner:
        """Made with the first question. Spark does not always call `stop`: a SIGTERM ends it as well."""
        if self.made is None:
            told = json.loads(self.options["told"])
            self.made = Planner(
                self._source(), self._store(), parallelism=told["parallelism"], heartbeat=told["heartbeat"]
            )
            signal.signal(signal.SIGTERM, _ended)
        return self.made

    def initialOffset(self) -> Offset:
        """Asked for twice, and not written before the first batch is: always the same."""
        return self.planner.initial()

    def getDefaultReadLimit(self) -> ReadLimit:
        """How much a batch takes."""
        most = json.loads(self.options["told"])["most"]
        return ReadMaxBytes(most) if self.kind.unit == "bytes" else ReadMaxRows(most)

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        """The plan of the next batch; that it is asked for says that `start` is committed."""
        return self.planner.latest(
            start, getattr(limit, "max_rows", None) or getattr(limit, "max_bytes", None)
        )

    def reportLatestOffset(self) -> Offset | None:
        """What waits, and what is wrong, for the progress of the query."""
        return self.planner.status()

    def prepareForTriggerAvailableNow(self) -> None:
        """Only what is there now."""
        self.planner.prepare()

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """The splits of a batch; the first task tells the watermark too: there always is one, for Spark begins at 0."""
        plan = Plan.of(end)
        return [
            InputPartition(
                {
                    "number": plan.number,
                    "watermark": plan.watermark or 0,
                    "beat": not place,
                    "splits": [(split, plan.splits[split].document()) for split in splits],
                }
            )
            for place, splits in enumerate(self.planner.partitions(start, end))
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of some splits."""
        task, source = partition.value, self._source()
        stamped = source.estimator() is not None
        schema = to_arrow_schema(_schema(self.kind, stamped=stamped), timezone="UTC")
        reader = source.reader(source, self._store())
        try:
            if stamped and task["beat"]:
                yield _beat(schema, task["watermark"])
            for place, part in task["splits"]:
                for batch in reader.read(task["number"], place, Part(**part)):
                    yield (
                        _stamped(batch, schema, task["watermark"]) if stamped else _as(batch.columns, schema)
                    )
        finally:
            source.close()

    def commit(self, end: Offset) -> None:
        """Comes only when the next batch is planned: `latestOffset` has acknowledged before."""

    def stop(self) -> None:
        """Give back what is open."""
        if self.made is not None:
            self.made.close()

    def _source(self) -> SplittableSource:
        return _made(self.kind, self.options)

    def _store(self) -> Folder:
        return Folder(Path(self.options["state"]))


def _schema(kind: type[SplittableSource], *, stamped: bool) -> StructType:
    """Of a source with heartbeats every column may be null."""
    if not stamped:
        return from_arrow_schema(kind.schema)
    columns = [field.with_nullable(True) for field in kind.schema]
    return from_arrow_schema(
        pa.schema([*columns, (WATERMARK, pa.timestamp("us", "UTC")), pa.field(BEAT, pa.bool_())])
    )


def _beat(schema: pa.Schema, watermark: int) -> pa.RecordBatch:
    nothing = [pa.nulls(1, column.type) for column in list(schema)[:-2]]
    return _as([*nothing, pa.array([watermark], schema.types[-2]), pa.array([True])], schema)


def _stamped(batch: pa.RecordBatch, schema: pa.Schema, watermark: int) -> pa.RecordBatch:
    times = pa.repeat(pa.scalar(watermark, schema.types[-2]), batch.num_rows)
    return _as([*batch.columns, times, pa.repeat(pa.scalar(False), batch.num_rows)], schema)


def _as(columns: Sequence[pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """Exactly as Spark wants it: it compares names, types, time zones and nullability."""
    cast = [column.cast(kind) for column, kind in zip(columns, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(cast, schema=schema)


def _ended(signum: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + signum)
