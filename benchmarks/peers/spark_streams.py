"""The question as streaming queries in PySpark, written by hand with the three interfaces for state.

Each keeps a session (`by_hand.Session`) in RocksDB and writes a row for every session that a batch touched into
Parquet, exactly once. Each relies on the events of a session arriving in the order of time from batch to batch; within
a batch it sorts them, since Spark promises no order within a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from benchmarks.batches import Batch, select_made_reports
from benchmarks.events import Events
from benchmarks.peers.by_hand import Session
from benchmarks.peers.question import WARM, Told, extrapolate_rows
from benchmarks.peers.spark_session import SCHEMA, open_spark_session
from workers.spark.buckets import BUCKETS
from workers.spark.sources import MAX_ROWS_PER_BUCKET

ROWS_A_BATCH = MAX_ROWS_PER_BUCKET * BUCKETS
STATE = "played boolean, buffering boolean, sought long, t long, spent long"
TIME = itemgetter(0)
OUTPUT = "session string, t long, spent long, since long"


class Rows(StatefulProcessor):
    """For `transformWithState`, which passes rows."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare one value for each session."""
        self.state = handle.getValueState("session", STATE)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:  # noqa: ARG002, N802, N803 (Spark's names)
        """Yield one row for a session."""
        events = sorted(((row.t, row.player_state, row.user_action) for row in rows), key=TIME)
        session = Session(*(self.state.get() or ())).after(events)
        self.state.update(tuple(session))
        yield Row(session=key[0], t=session.t, spent=session.spent, since=session.since)


class Frames(StatefulProcessor):
    """For `transformWithStateInPandas`, which passes data frames."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare one value for each session."""
        self.state = handle.getValueState("session", STATE)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: ARG002, N802, N803 (Spark's names)
        """Yield one row for a session."""
        session = Session(*(self.state.get() or ())).after(sort_events(rows))
        self.state.update(tuple(session))
        yield build_row(key, session)


def apply_with_group_state(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
    """For `applyInPandasWithState`."""
    session = Session(*(state.get if state.exists else ())).after(sort_events(frames))
    state.update(tuple(session))
    yield build_row(key, session)


def sort_events(frames: Iterator[pd.DataFrame]) -> list[tuple[int, str | None, str | None]]:
    """Sort the events of a session by time."""
    columns = ("t", "player_state", "user_action")
    return sorted(
        (
            event
            for frame in frames
            for event in zip(*(frame[name].tolist() for name in columns), strict=True)
        ),
        key=TIME,
    )


def build_row(key: Any, session: Session) -> pd.DataFrame:
    """Return the row of a session."""
    since = pd.array([session.since], dtype="Int64")
    return pd.DataFrame({"session": [key[0]], "t": [session.t], "spent": [session.spent], "since": since})


def transform_with_state(events: DataFrame) -> DataFrame:
    return events.groupBy("session_id").transformWithState(Rows(), OUTPUT, "append", "none")


def transform_with_state_in_pandas(events: DataFrame) -> DataFrame:
    return events.groupBy("session_id").transformWithStateInPandas(Frames(), OUTPUT, "append", "none")


def apply_in_pandas_with_state(events: DataFrame) -> DataFrame:
    """Use the older interface, with data frames."""
    return events.groupBy("session_id").applyInPandasWithState(
        apply_with_group_state, OUTPUT, STATE, "append", "NoTimeout"
    )


BY_HAND: dict[str, Callable[[DataFrame], DataFrame]] = {
    "transform_with_state": transform_with_state,
    "apply_in_pandas_with_state": apply_in_pandas_with_state,
    "transform_with_state_in_pandas": transform_with_state_in_pandas,
}


def read(spark: SparkSession, events: Events) -> DataFrame:
    """Read the events as a stream, as many in a batch as the product takes."""
    stream = spark.readStream.schema(SCHEMA).option(
        "maxFilesPerTrigger", -(-ROWS_A_BATCH // max(events.count_by_file()))
    )
    return stream.parquet(str(events.parts)).select("session_id", "t", "player_state", "user_action", "cdn")


def run_to_end(writer: Any, work: Path) -> list[Batch]:
    """Run a query until it has read everything; return its batches."""
    query = writer.option("checkpointLocation", str(work / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    return [
        Batch.from_report(report, report["numInputRows"])
        for report in select_made_reports(query.recentProgress)
    ]


def answer_in_session(name: str, spark: SparkSession, events: Events, last: int, work: Path) -> Told:
    """Answer in a given session."""
    rows = BY_HAND[name](read(spark, events).drop("cdn"))
    writer = rows.writeStream.format("parquet").option("path", str(work / "told"))
    batches = run_to_end(writer, work)
    return Told(extrapolate_rows(pq.read_table(work / "told"), last), [batches])


def answer_by_hand(name: str, events: Events, last: int, work: Path) -> Told:
    """Answer in a session that has answered the same before."""
    with open_spark_session(work) as spark:
        answer_in_session(name, spark, events.beginning(work / WARM), last, work / WARM / "work")
        return answer_in_session(name, spark, events, last, work)


def run_shuffle(spark: SparkSession, events: Events, work: Path) -> Told:
    """Run a query that reads and shuffles the same events, and does nothing."""
    rows = read(spark, events).repartition("session_id")
    batches = run_to_end(rows.writeStream.format("noop"), work)
    return Told(None, [batches])


def run_noop(events: Events, last: int, work: Path) -> Told:  # noqa: ARG001 (as the others)
    """Do the same in a session that has done it before."""
    with open_spark_session(work) as spark:
        run_shuffle(spark, events.beginning(work / WARM), work / WARM / "work")
        return run_shuffle(spark, events, work)


WAYS = {name: partial(answer_by_hand, name) for name in BY_HAND} | {"noop": run_noop}
