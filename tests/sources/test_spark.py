"""Through real Spark: what the kit rehearses happens there as well, and what only Spark does is met."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.sources.lines import Lines, LinesWorld
from timeline_app.sources.options import BadOptions
from workers.spark.split_source import load

pytestmark = pytest.mark.spark
BEGIN = 1_750_000_000


@pytest.fixture
def world(tmp_path: Path) -> LinesWorld:
    (tmp_path / "logs").mkdir()
    return LinesWorld(tmp_path / "logs")


def frame(spark: Any, world: LinesWorld, place: Path, **options: Any) -> Any:
    return load(spark, Lines, state=place / "state", path=str(world.path), **options)


def written(frame: Any, place: Path, **trigger: Any) -> Any:
    writer = frame.writeStream.format("parquet").option("path", str(place / "out"))
    return writer.option("checkpointLocation", str(place / "checkpoint")).trigger(**trigger).start()


def numbers(spark: Any, place: Path) -> Counter[int]:
    """Through the sink's own list of files: what a killed task left does not count."""
    return Counter(row.number for row in spark.read.parquet(str(place / "out")).collect())


def eventually(what: Any, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.1)


def test_what_is_there_now_is_read_once_and_the_query_ends(
    spark: Any, world: LinesWorld, tmp_path: Path
) -> None:
    for first in (0, 500):
        world.send(range(BEGIN + first, BEGIN + first + 500))
        query = written(frame(spark, world, tmp_path, most=200), tmp_path, availableNow=True)
        assert query.awaitTermination(120)
        assert query.exception() is None
    assert numbers(spark, tmp_path) == Counter(range(BEGIN, BEGIN + 1_000))


def test_a_query_that_is_stopped_again_and_again_loses_and_doubles_nothing(
    spark: Any, world: LinesWorld, tmp_path: Path
) -> None:
    sent = BEGIN
    for pause in (1.0, 2.0, 3.0, 1.5):
        query = written(frame(spark, world, tmp_path, most=50), tmp_path, processingTime="100 milliseconds")
        until = time.monotonic() + pause
        while time.monotonic() < until:
            world.send(range(sent, sent + 20))
            sent += 20
            time.sleep(0.05)
        query.stop()
    query = written(frame(spark, world, tmp_path), tmp_path, processingTime="100 milliseconds")
    eventually(lambda: world.unacknowledged() == 0)  # the last batch too, with nothing behind it
    query.stop()
    assert numbers(spark, tmp_path) == Counter(range(BEGIN, sent))


def test_the_watermark_of_the_source_closes_windows_and_heartbeats_pass_filters(
    spark: Any, world: LinesWorld, tmp_path: Path
) -> None:
    from pyspark.sql import functions

    spark.conf.set("spark.sql.shuffle.partitions", "1")

    counted = (
        frame(spark, world, tmp_path, heartbeat=1.0)
        .where("number >= 0")
        .groupBy(functions.window("at", "10 seconds"))
        .count()
        .select(functions.col("window.start").cast("long").alias("begin"), "count")
    )
    query = written(counted, tmp_path, processingTime="100 milliseconds")
    world.send(range(BEGIN, BEGIN + 40))

    def closed() -> dict[int, int]:
        if not (tmp_path / "out" / "_spark_metadata").exists():
            return {}
        rows = spark.read.schema("begin long, count long").parquet(str(tmp_path / "out")).collect()
        return {row.begin: row["count"] for row in rows}

    # Both logs have come to BEGIN + 38 at least: less five seconds, three windows are over. No event comes any more:
    # that they are closed is the doing of heartbeats.
    eventually(lambda: len(closed()) == 3)
    query.stop()
    assert closed() == {BEGIN: 10, BEGIN + 10: 10, BEGIN + 20: 10}


def test_wrong_options_are_told_before_anything_starts(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(BadOptions, match="path: is needed: The directory"):
        load(spark, Lines, state=tmp_path)
