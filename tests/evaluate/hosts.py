"""All queries of a plan in the streaming hosts, and where they say something else than the referee."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from tests.algebra.logs import Delivered
from tests.evaluate.running import judge_plan, list_disagreements
from tests.strategies import Drawn, Plan
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.feed import feed_rows
from timeline_app.plan import EventBatch
from timeline_app.testing.hosts import BUCKETS, Query, fold_log
from timeline_app.testing.points import Shown, build_batches


def stream_plan(
    compiled: Compiled, batches: Iterable[dict[str, EventBatch]], buckets: int = BUCKETS
) -> dict[str, Query]:
    """All queries of a plan, after all batches, by digest."""
    queries = {digest: Query(program, buckets=buckets) for digest, program in compiled.programs.items()}
    for events in batches:
        feeds: dict[str, pa.Table] = {}
        for digest, query in queries.items():
            feeds[digest] = query.run(events, feeds)
    return queries


def list_answers(queries: Mapping[str, Query]) -> dict[str, dict[str, Shown]]:
    """What the log of each query folds to: the points of the keys that are there, by the query's name."""
    return {
        name: fold_log(query.program.kind, query.select_revisions(query.program.digest, ()))
        for name, query in queries.items()
    }


def count(rows: pa.Table, name: str) -> int:
    """The sum of a column of marks."""
    return int(pc.sum(feed_rows.select_progress_rows(rows)[name]).as_py() or 0)


def select_part(plan: Plan, delivered: Delivered) -> Drawn:
    """What of it came of each stream."""
    return {name: [event for stream, event in delivered if stream == name] for name in plan["streams"]}


def list_disagreements_after(plan: Plan, delivered: Delivered, places: list[int]) -> list[str]:
    """Where the hosts, to whom it came in batches cut at these places, say something else than the referee."""
    compiled = compile_plan(plan, {})
    batches = [
        build_batches(compiled, select_part(plan, delivered[start:end])) for start, end in pairwise(places)
    ]
    buckets = 1 + len(delivered) % 2  # as many histories of each
    queries, truth = stream_plan(compiled, batches, buckets), judge_plan(plan, select_part(plan, delivered))
    result = list_answers({name: queries[digest] for name, digest in compiled.names.items()})
    return list_disagreements(plan, result, truth)
