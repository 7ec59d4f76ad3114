"""A local Spark as a user would start it: two cores, the default JVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.batches import RETAINED_REPORTS

SCHEMA = "session_id string, t long, event_id string, player_state string, user_action string, cdn string"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


@contextmanager
def open_spark_session(work: Path) -> Iterator[Any]:
    """Open a session with its files in a folder; end it and its JVM afterwards."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 (what others need not carry)

    settings: dict[str, str | bool | int | float | None] = {
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={work}",
        "spark.local.dir": str(work / "spark"),
        "spark.sql.warehouse.dir": str(work / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.sql.streaming.numRecentProgressUpdates": str(RETAINED_REPORTS),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master("local[2]").appName("peers")
    spark = builder.config(map=settings).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
