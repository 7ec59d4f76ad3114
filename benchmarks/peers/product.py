"""The product: the eight nodes of the documentation's CIRR, as one query (`together`) or as eight (`isolated`)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.batches import RETAINED_REPORTS, Batch, select_made_reports
from benchmarks.events import Events
from benchmarks.peers.evaluated import build_document
from benchmarks.peers.question import WARM, Answer, Told
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.revisions import Revisions
from timeline_app.compiler import Compiled, Program, compile_plan
from timeline_app.compiler.placement import merge_programs
from timeline_app.feed.feed_rows import read_revisions, select_node_revisions
from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from workers.spark.connect.embedded_server import start_embedded_server
from workers.spark.connect.session import get_session
from workers.spark.progress import parse_offset
from workers.spark.query import start_query


def place_together(compiled: Compiled) -> list[Program]:
    """Put all nodes into one query."""
    return [merge_programs(list(compiled.programs.values()))]


def place_apart(compiled: Compiled) -> list[Program]:
    """Give each node its own query."""
    return list(compiled.programs.values())


def run_queries(
    spark: Any, programs: Sequence[Program], events: Events, work: Path
) -> dict[str, list[Batch]]:
    """Run these queries until they have read everything; return the batches of each."""
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", str(RETAINED_REPORTS))
    places = Places(work)
    work.mkdir(exist_ok=True)
    require_path(places.landing).symlink_to(require_path(events.landing))
    names = [f"query-{number}" for number in range(len(programs))]
    running = [
        start_query(spark, program.to_document(), places, {"availableNow": True}, name)
        for program, name in zip(programs, names, strict=True)
    ]
    for query in running:
        query.awaitTermination()
        if (problem := query.exception()) is not None:
            raise problem
    sizes = events.count_by_file()
    return {
        name: build_batches(query.recentProgress, sizes) for name, query in zip(names, running, strict=True)
    }


def run_programs(
    spark: Any, programs: Sequence[Program], cirr: str, events: Events, last: int, work: Path
) -> Told:
    """Run the programs, and return the batches and the answer of the node `cirr`."""
    answers = run_queries(spark, programs, events, work)
    teller = next(index for index, program in enumerate(programs) if cirr in program.nodes)
    node = programs[teller].nodes.index(cirr)
    answer = read_answer_at(FileFeed(Places(work).feed(list(answers)[teller])), node, last * 1_000)
    return Told(answer, list(answers.values()))


def build_batches(reports: Sequence[Any], sizes: Sequence[int]) -> list[Batch]:
    """Return the batches of a query; their event counts follow from the batches of the landing."""
    return [
        Batch.from_report(report, sum(_read(source, sizes) for source in report["sources"]))
        for report in select_made_reports(reports)
    ]


def _read(source: Any, sizes: Sequence[int]) -> int:
    return sum(sizes[parse_offset(source.startOffset) : parse_offset(source.endOffset)])


def read_answer_at(feed: FileFeed, node: int, instant: int) -> Answer:
    """Return what a feed says of a numeric node at an instant: the newest revision of each key that covers it."""
    result: dict[str, float] = {}
    for batch in takewhile(feed.has, count()):
        revisions = read_revisions(select_node_revisions(feed.read(batch), node, ()), Kind.NUMBER)
        names, values = _select_covering(revisions, instant)
        result.update(zip(names, values, strict=True))
    micros = np.rint(np.array(list(result.values())) * 1e6).astype(np.int64)
    return list(result), micros


def _select_covering(item: Revisions, instant: int) -> tuple[list[str], list[float]]:
    """Return keys and values at an instant."""
    owner = np.repeat(np.arange(item.size), np.diff(item.offsets))
    before = np.bincount(owner[item.time <= instant], minlength=item.size)
    piece = item.offsets[:-1] + np.maximum(before, 1) - 1
    covers = (item.start <= instant) & (instant < item.end)
    value = item.value[piece] + item.slope[piece] * (instant - item.time[piece]) / 1e6
    return item.names[covers].tolist(), value[covers].tolist()


def run_at_own_server(
    programs: Callable[[Compiled], list[Program]], events: Events, last: int, work: Path
) -> Told:
    """Run at the product's own Spark server, started and warmed up for this: in production it runs for weeks."""
    compiled = compile_plan(build_document(), {})
    cirr = compiled.names["cirr"]
    warm_events = events.beginning(work / WARM)
    with start_embedded_server(work) as address:
        spark = get_session(address, "bench")
        run_programs(spark, programs(compiled), cirr, warm_events, last, work / WARM / "work")
        shutil.rmtree(work / WARM)
        return run_programs(spark, programs(compiled), cirr, events, last, work)


WAYS = {
    "together": partial(run_at_own_server, place_together),
    "isolated": partial(run_at_own_server, place_apart),
}
