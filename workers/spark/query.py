"""Starts the streaming query of a program: sources, one stateful pass (two for groups in several buckets), a feed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from timeline_app.compiler import Program
from timeline_app.feed import feed_rows
from timeline_app.feed.files import FileFeed
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place, format_url
from workers.spark import buckets
from workers.spark.buckets import BUCKETS
from workers.spark.connect import cluster
from workers.spark.connect.remote_code import FeedSource, LandingSource, RemoteProcessor
from workers.spark.hosts import aggregate
from workers.spark.hosts.aggregate import SUMS_SCHEMA, FinalAggregate, PartialAggregate
from workers.spark.hosts.emit import HandoverLimits
from workers.spark.hosts.feed_host import FEED_ROWS_SCHEMA, FeedHost, GlobalHost
from workers.spark.hosts.region import RegionHost
from workers.spark.hosts.whole_aggregate import WholeAggregate
from workers.spark.progress import OBSERVED_ROWS
from workers.spark.state import inputs
from workers.spark.state.evaluation import build_arriving_schema, build_region_schema
from workers.spark.state.pages import STATE_FORMAT, ForeignState

PARTITIONS = "spark.sql.shuffle.partitions"


def start_query(
    spark: Any,
    document: Mapping[str, Any],
    places: Places,
    trigger: Mapping[str, Any],
    name: str | None = None,
    handover_limits: HandoverLimits | None = None,
    buckets: int = BUCKETS,
) -> Any:
    """Start the query of a program; `trigger` holds the arguments of Spark's `trigger`.

    `name` names its checkpoint and feed; by default it is the digest of its only node. `handover_limits` says how
    far the former queries of handed-over nodes had read. The state has `buckets` buckets, unless the checkpoint
    already has another number. Raises `OtherOperator` where an operator is missing here.
    """
    program = Program.from_document(document)
    program.require_operators()
    name = name or program.digest
    bucket_count = count_buckets(program, places.checkpoint(name), buckets)
    spark.conf.set(PARTITIONS, bucket_count)
    return (
        _write_to_feed(
            build_frame(
                spark,
                program,
                places,
                handover_limits or {},
                bucket_count,
                _get_commits_folder(spark, places, name),
            ),
            places.feed(name),
        )
        .queryName(name)
        .outputMode("append")
        .option("checkpointLocation", str(places.checkpoint(name)))
        .trigger(**trigger)
        .start()
    )


def count_buckets(program: Program, checkpoint: Place, buckets: int) -> int:
    """Return the buckets of a program with this checkpoint, as `own` does: one where it must see all keys at once."""
    bucket_count = choose_bucket_count(checkpoint, buckets)
    return bucket_count if program.additive or not program.across_keys else 1


def _write_to_feed(packets: Any, folder: Place) -> Any:
    """Write packets to the feed in a directory."""
    format_, options = FileFeed(folder).sink()
    return packets.writeStream.format(format_).options(**options)


def choose_bucket_count(checkpoint: Place, buckets: int) -> int:
    """Return into how many buckets the state of a checkpoint is divided; a new one gets `buckets`.

    Raises `ForeignState` where its format differs.
    """
    note, divided = checkpoint / "format", checkpoint / "buckets"
    if not (checkpoint / "state").is_dir():
        durable.make_folders(checkpoint)
        durable.replace(note, str(STATE_FORMAT).encode())
        durable.replace(divided, str(buckets).encode())
    format_found = note.read_text() if note.is_file() else "5 or older"
    if format_found != str(STATE_FORMAT):
        raise ForeignState(format_found)
    return int(divided.read_text()) if divided.is_file() else BUCKETS


def _get_commits_folder(spark: Any, places: Places, name: str) -> str:
    """Return where Spark records done batches. Empty at a cluster, whose machines share no cores, or for an address."""
    checkpoint = places.checkpoint(name)
    beside = isinstance(checkpoint, Path) and not cluster.get_shipped_code(spark)
    return str(checkpoint / "commits") if beside else ""


def build_frame(
    spark: Any,
    program: Program,
    places: Places,
    handover_limits: HandoverLimits,
    buckets: int,
    commits: str = "",
) -> Any:
    """Return the packets of the feed as a streaming DataFrame."""
    text, code = json.dumps(program.to_document()), cluster.get_shipped_code(spark)
    if not program.feeds:
        arrives, keeps = build_arriving_schema(program), build_region_schema(program)
        host = RemoteProcessor(code, RegionHost, text, arrives, keeps, handover_limits, buckets)
        return _select_published(
            _read_landed(spark, program, places, handover_limits, buckets, commits), host
        )
    fed = _read_feeds(spark, program, places, handover_limits, buckets, commits)
    if not program.across_keys:
        return _select_published(
            fed,
            RemoteProcessor(
                code, FeedHost, text, FEED_ROWS_SCHEMA, inputs.STATE_SCHEMA, handover_limits, buckets
            ),
        )
    if not program.additive:
        return _select_published(
            fed, RemoteProcessor(code, GlobalHost, text, FEED_ROWS_SCHEMA, inputs.STATE_SCHEMA, None, buckets)
        )
    if buckets == 1:
        return _select_published(
            fed,
            RemoteProcessor(code, WholeAggregate, text, FEED_ROWS_SCHEMA, inputs.STATE_SCHEMA, None, buckets),
        )
    deltas = _apply_state(
        fed,
        RemoteProcessor(code, PartialAggregate, text, FEED_ROWS_SCHEMA, inputs.STATE_SCHEMA, None, buckets),
    )
    return _select_published(
        deltas,
        RemoteProcessor(code, FinalAggregate, text, SUMS_SCHEMA, aggregate.STATE_SCHEMA, None, buckets),
    )


def _apply_state(packets: Any, processor: RemoteProcessor) -> Any:
    return packets.groupBy("bucket").transformWithState(
        processor, from_arrow_schema(buckets.SCHEMA), "append", "none"
    )


def _select_published(packets: Any, processor: RemoteProcessor) -> Any:
    return _apply_state(packets, processor).select(*feed_rows.PACKETS.names)


def _read_landed(
    spark: Any, program: Program, places: Places, handover_limits: HandoverLimits, buckets: int, commits: str
) -> Any:
    """Read the events of all streams of a program."""
    spark.dataSource.register(LandingSource)
    streams = []
    for index, stream in enumerate(program.streams):
        options = {
            "path": format_url(places.landing),
            "stream": stream,
            "place": index,
            "declaration": json.dumps(program.declarations[stream].to_program()),
            "fields": json.dumps(program.fields[stream]),
            "breaks": _format_breaks(handover_limits, stream),
            "buckets": buckets,
            "commits": commits,
            "tells_time": json.dumps(bool(program.of_calendar)),
        }
        streams.append(_read(spark, "timeline_landing", options))
    return _union_packets(streams, buckets)


def _read_feeds(
    spark: Any, program: Program, places: Places, handover_limits: HandoverLimits, buckets: int, commits: str
) -> Any:
    """Read the revisions of a program's input nodes, split for `buckets` buckets."""
    spark.dataSource.register(FeedSource)
    streams = []
    for port, item in enumerate(program.feeds):
        options = {
            "path": format_url(places.data),
            "node": item.digest,
            "port": port,
            "sources": json.dumps(item.sources),
            "breaks": _format_breaks(handover_limits, item.digest),
            "buckets": buckets,
            "commits": commits,
        }
        streams.append(_read(spark, "timeline_feed", options))
    return _union_packets(streams, buckets)


def _read(spark: Any, source: str, options: Mapping[str, Any]) -> Any:
    all_options = {**options, "code": cluster.get_shipped_code(spark)}
    return (
        spark.readStream.format(source)
        .schema(from_arrow_schema(buckets.SCHEMA))
        .options(**all_options)
        .load()
    )


def _union_packets(sources: Sequence[Any], buckets: int) -> Any:
    """Unite all packets, and let Spark's reports count the rows of each batch.

    For one bucket they come in one partition: nothing is shuffled, and a batch is a single task.
    """
    rows = reduce(lambda left, right: left.unionByName(right), sources)
    observed = rows.observe(OBSERVED_ROWS, F.sum("rows").alias("rows"))
    return observed.coalesce(1) if buckets == 1 else observed


def _format_breaks(handover_limits: HandoverLimits, source: str) -> str:
    """Return the numbers of a source at which a batch must end, as JSON."""
    limits_of_source = {
        limit for limits in handover_limits.values() if source in limits for limit in limits[source]
    }
    return json.dumps(sorted(limits_of_source))
