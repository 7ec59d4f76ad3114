"""The question as a batch query in PySpark: window functions over all events at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks.batches import Batch
from benchmarks.events import Events
from benchmarks.peers.question import WINDOW_MS, Answer, Told
from benchmarks.peers.spark_session import open_spark_session


def answer(spark: Any, path: Path, last: int) -> Answer:
    """Answer from a Parquet file."""
    from pyspark.sql import Window  # noqa: PLC0415 (what others need not carry)
    from pyspark.sql import functions as f  # noqa: PLC0415

    ordered = Window.partitionBy("session_id").orderBy("t")
    so_far = ordered.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    states = spark.read.parquet(str(path)).select(
        "session_id",
        "t",
        f.last("player_state", ignorenulls=True).over(so_far).alias("state"),
        f.max(f.when(f.col("user_action") == "seek", f.col("t"))).over(so_far).alias("sought"),
        f.count(f.when(f.col("player_state") == "play", 1)).over(so_far).alias("plays"),
        f.lead("t", 1, last).over(ordered).alias("until"),
    )
    calm_from = f.greatest("t", f.col("sought") + WINDOW_MS)
    induced = (f.col("plays") > 0) & (f.col("state") == "buffer")
    spent = f.when(induced, f.greatest(f.col("until") - calm_from, f.lit(0))).otherwise(0)
    result = states.groupBy("session_id").agg((f.sum(spent) * 1_000).alias("spent")).toPandas()
    return result["session_id"].tolist(), result["spent"].to_numpy()


def run_pyspark_batch(events: Events, last: int, work: Path) -> Told:
    """Answer after a warm-up on a few events."""
    with open_spark_session(work) as spark:
        answer(spark, events.few, last)
        started = time.time()
        result = answer(spark, events.whole, last)
        return Told(result, [[Batch(started, time.time(), events.size)]])
