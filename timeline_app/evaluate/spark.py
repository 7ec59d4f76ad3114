"""Evaluates a plan through Spark: events land, every node runs as its streaming query, the feeds are read.

Spark runs in its own process, which is started by name and not imported.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from timeline_app.algebra.events import TEXT
from timeline_app.algebra.kinds import OPEN, Labels
from timeline_app.algebra.revisions import Revisions, apply_all
from timeline_app.algebra.timelines import Timelines, build_constant
from timeline_app.compiler import Compiled, Program
from timeline_app.evaluate.engine import Answer, iterate_timeline_answers, list_required_nodes, select_born
from timeline_app.evaluate.tables import EventTable
from timeline_app.feed import feed_rows
from timeline_app.feed.lineage import Chain
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.landing.log import Landing
from timeline_app.landing.segments import SCHEMA

RUNNER = "workers.spark.evaluate"
ROWS_PER_FILE = 100_000


class SparkFailed(RuntimeError):
    """Spark could not run the plan: says why."""


def evaluate_with_spark(
    compiled: Compiled,
    tables: Mapping[str, EventTable],
    wanted_digests: Iterable[str],
    until: int | None = None,
) -> tuple[dict[str, Timelines], dict[str, int | None]]:
    """Return timelines and `final_until` by digest, of the wanted nodes and those below them."""
    digests = list_required_nodes(compiled, wanted_digests)
    with tempfile.TemporaryDirectory(prefix="timelines-") as folder:
        places = Places(Path(folder))
        for name, table in tables.items():
            ordered = any(TEXT in compiled.programs[digest].fields.get(name, ()) for digest in digests)
            land(table, landing := Landing(places.landing, compiled.streams[name].folder), with_texts=ordered)
            if until is not None:
                landing.beat(until)
        _run([compiled.programs[digest].keeping_everything() for digest in digests], places)
        published = {digest: _read_published(places, compiled.programs[digest]) for digest in digests}
    results = {digest: build_result(compiled.programs[digest], published[digest]) for digest in digests}
    return results, compute_finality(compiled, published)


def iterate_spark_answers(
    compiled: Compiled,
    tables: Mapping[str, EventTable],
    nodes: list[str],
    keys: list[str],
    at: int | None,
    until: int | None = None,
) -> Iterator[Answer]:
    """Yield the answers of `engine.iterate_answers`, computed by Spark."""
    digests = {compiled.names[name] for name in nodes or compiled.names}
    results, final = evaluate_with_spark(compiled, tables, digests, until)
    return iterate_timeline_answers(compiled, results, final, nodes, keys, at)


def land(table: EventTable, landing: Landing, *, with_texts: bool = False) -> None:
    """Append the events to a stream's landing; of a stream without ids with canonical texts only where asked."""
    for start in range(0, table.size, ROWS_PER_FILE):
        rows = table.table.slice(start, ROWS_PER_FILE)
        nothing = pa.nulls(rows.num_rows, pa.string())
        ids = texts = nothing
        if table.declaration.id:
            ids = _to_texts(rows["id"])
        if table.declaration.id or with_texts:
            texts = pa.array(table.texts(np.arange(start, start + rows.num_rows)), pa.string())
        columns = [_to_texts(rows["key"]), rows["time"], ids, texts, _build_field_maps(rows, table.fields)]
        landing.append_table(pa.table(columns, schema=SCHEMA))


def _build_field_maps(rows_of_file: pa.Table, names: tuple[str, ...]) -> pa.Array:
    """Return the typed columns of fields as maps of canonical texts."""
    spelled = [_to_texts(rows_of_file[f"v{index}"]).to_pylist() for index in range(len(names))]
    rows = zip(*spelled, strict=True) if spelled else itertools.repeat((), rows_of_file.num_rows)
    maps = [[(name, text) for name, text in zip(names, row, strict=True) if text is not None] for row in rows]
    return pa.array(maps, SCHEMA.field("fields").type)


def _to_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_floating(column.type):
        return pa.chunked_array(
            [pa.array([None if value is None else repr(value) for value in column.to_pylist()], pa.string())]
        )
    return column.cast(pa.string())


def _run(programs: list[Program], places: Places) -> None:
    (require_path(places.data) / "programs.json").write_text(
        json.dumps([item.to_document() for item in programs])
    )
    command = [sys.executable, "-m", RUNNER, str(places.data)]
    root = Path(__file__).resolve().parents[2]
    last_line = ""
    with subprocess.Popen(  # nosec B603
        command, cwd=root, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as runner:
        assert runner.stderr is not None
        for last_line in map(str.strip, runner.stderr):
            if sys.stderr.isatty():
                print(f"\r{last_line[:78]:78}", end="", file=sys.stderr, flush=True)
    if runner.returncode:
        raise SparkFailed(last_line or f"the Spark process ended with {runner.returncode}")


def _read_published(places: Places, program: Program) -> list[pa.Table]:
    """Everything that was published of a node, batch by batch."""
    log = Chain(places, program.digest, program.sources)
    return [log.read(number) for number in itertools.takewhile(log.has, itertools.count())]


def build_result(program: Program, published: list[pa.Table]) -> Timelines:
    """Return the node's timelines, from everything that its query published."""
    steps = [feed_rows.read_revisions(table, program.kind) for table in published]
    names = _collect_names(steps)
    unborn = np.full(len(names), OPEN, dtype=np.int64)
    return select_born(apply_all(build_constant(program.kind, names, unborn, program.kind.unknown), steps)[1])


def _collect_names(steps: list[Revisions]) -> Labels:
    nobody: Labels = np.empty(0, dtype=object)
    return np.unique(np.concatenate([nobody, *(step.names for step in steps)])).astype(object)


def compute_finality(compiled: Compiled, published: Mapping[str, list[pa.Table]]) -> dict[str, int | None]:
    """Return by digest the time before which all is final: the least watermark of the sources below."""
    finality: dict[str, int | None] = {}
    sources: dict[str, int] = {}
    for digest, tables in published.items():
        program = compiled.programs[digest]
        sources[digest] = len(program.streams) + sum(sources[item] for item in program.inputs)
        frontiers: dict[str, int] = {}
        for marks in map(feed_rows.select_progress_rows, tables):
            for source, until in zip(marks["source"].to_pylist(), marks["t"].to_pylist(), strict=True):
                frontiers[source] = max(until, frontiers.get(source, until))
        finality[digest] = min(frontiers.values()) if len(frontiers) == sources[digest] else None
    return finality
