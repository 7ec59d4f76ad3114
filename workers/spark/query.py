"""Starting the streaming query of a program: sources, one stateful pass (two across keys), a feed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import LongType, StructField, StructType

from timeline_app.compiler import Program
from timeline_app.storage import feed
from timeline_app.storage.landing import landed_schema
from timeline_app.storage.places import Places
from workers.spark import groups, inputs
from workers.spark.fed import FED_SCHEMA, FedProcessor, Gatherer
from workers.spark.groups import DELTA_SCHEMA, SUMS_SCHEMA, Collector, Contributor
from workers.spark.held import arriving_schema, region_schema
from workers.spark.pages import FORMAT, ForeignState
from workers.spark.processor import BUCKETS, PagedProcessor
from workers.spark.region import RegionHost
from workers.spark.sources import FeedSource, LandingSource
from workers.spark.telling import TakenOver


def start_query(
    spark: Any,
    document: Mapping[str, Any],
    places: Places,
    trigger: Mapping[str, Any],
    name: str | None = None,
    taken: TakenOver | None = None,
) -> Any:
    """Start the query of a program; `trigger` is what Spark's `trigger` takes.

    Its name decides where its checkpoint and its feed lie; by default it is the digest of its only node. `taken` says
    how far the queries had read that its nodes come from.
    """
    program = Program.from_document(document)
    name = name or program.digest
    own(places.checkpoint(name))
    return (
        frame(spark, program, places, taken or {})
        .writeStream.format("parquet")
        .queryName(name)
        .outputMode("append")
        .option("path", str(places.feed(name)))
        .option("checkpointLocation", str(places.checkpoint(name)))
        .trigger(**trigger)
        .start()
    )


def own(checkpoint: Path) -> None:
    """Write down which format the state of a new checkpoint has; raises `ForeignState` where it is another one."""
    note = checkpoint / "format"
    if not (checkpoint / "state").exists():
        checkpoint.mkdir(parents=True, exist_ok=True)
        note.write_text(str(FORMAT))
    found = note.read_text() if note.exists() else "5 or older"
    if found != str(FORMAT):
        raise ForeignState(found)


def frame(spark: Any, program: Program, places: Places, taken: TakenOver) -> Any:
    """The rows of the feed as a streaming DataFrame."""
    text = json.dumps(program.to_document())
    if not program.feeds:
        schema = arriving_schema(program)
        host = RegionHost(text, schema, region_schema(program), taken)
        return _stateful(_landed(spark, program, places, schema, taken), host, feed.SCHEMA)
    fed = _fed(spark, program, places, taken)
    if not program.across_keys:
        return _stateful(fed, FedProcessor(text, FED_SCHEMA, inputs.STATE_SCHEMA, taken), feed.SCHEMA)
    if not program.additive:
        return _stateful(
            fed.withColumn("bucket", F.lit(0)), Gatherer(text, FED_SCHEMA, inputs.STATE_SCHEMA), feed.SCHEMA
        )
    deltas = _stateful(fed, Contributor(text, FED_SCHEMA, inputs.STATE_SCHEMA), DELTA_SCHEMA)
    return _stateful(_hashed(deltas, "name"), Collector(text, SUMS_SCHEMA, groups.STATE_SCHEMA), feed.SCHEMA)


def _stateful(rows: Any, processor: PagedProcessor, output: pa.Schema) -> Any:
    return rows.groupBy("bucket").transformWithStateInPandas(
        processor, from_arrow_schema(output), "append", "none"
    )


def _landed(spark: Any, program: Program, places: Places, schema: pa.Schema, taken: TakenOver) -> Any:
    """The events of all streams of a program, each with the columns of all."""
    spark.dataSource.register(LandingSource)
    parts = []
    for place, stream in enumerate(program.streams):
        declaration, fields = program.declarations[stream], program.fields[stream]
        rows = (
            spark.readStream.format("timeline_landing")
            .schema(from_arrow_schema(landed_schema(declaration, fields)))
            .option("path", str(places.landing))
            .option("stream", stream)
            .option("declaration", json.dumps(declaration.to_document()))
            .option("fields", json.dumps(fields))
            .option("breaks", _breaks(taken, stream))
            .load()
        )
        own = {f"s{place}v{number}": F.col(f"v{number}") for number in range(len(fields))}
        own |= {"stream": F.lit(place), "hash": F.xxhash64("key")}
        held = {name: F.col(name) for name in rows.columns} | own
        nothing = {item.name: F.lit(None).cast(item.dataType) for item in from_arrow_schema(schema)}
        parts.append(rows.select(*((held.get(name, nothing[name])).alias(name) for name in schema.names)))
    return _bucketed(reduce(lambda one, other: one.unionByName(other), parts))


def _fed(spark: Any, program: Program, places: Places, taken: TakenOver) -> Any:
    """What the nodes say that a program reads."""
    spark.dataSource.register(FeedSource)
    schema = StructType([*from_arrow_schema(feed.PIECES).fields, StructField("batch", LongType())])
    parts = [
        spark.readStream.format("timeline_feed")
        .schema(schema)
        .option("path", str(places.data))
        .option("node", item.digest)
        .option("sources", json.dumps(item.sources))
        .option("breaks", _breaks(taken, item.digest))
        .load()
        .select("*", F.lit(place).alias("port"))
        for place, item in enumerate(program.feeds)
    ]
    return _hashed(reduce(lambda one, other: one.unionByName(other), parts), "key")


def _breaks(taken: TakenOver, source: str) -> str:
    """The numbers of a source at which a batch must end, as JSON."""
    found = {limit for limits in taken.values() if source in limits for limit in limits[source]}
    return json.dumps(sorted(found))


def _hashed(rows: Any, column: str) -> Any:
    """In buckets by the hash of a column; marks, which have none, go to all of them."""
    rows = rows.withColumn("hash", F.xxhash64(column))
    everywhere = F.array(*map(F.lit, range(BUCKETS)))
    mine = F.array(F.pmod("hash", F.lit(BUCKETS)).cast("int"))
    return rows.withColumn("bucket", F.explode(F.when(F.col(column).isNull(), everywhere).otherwise(mine)))


def _bucketed(rows: Any) -> Any:
    return rows.withColumn("bucket", F.pmod("hash", F.lit(BUCKETS)).cast("int"))
