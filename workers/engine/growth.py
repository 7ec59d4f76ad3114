"""Gives a saturated query more buckets: its nodes are handed over to a new query, which computes the events anew.

A query begins with one bucket, on which one core works. A query that falls behind for `SATURATED_AFTER_S` grows to as
many buckets as its events need, if cores are free and the retained events are computed again soon enough. As in a
rebuild, the new query publishes from the old one's position on, so nothing is published twice.
"""

from __future__ import annotations

import logging
import math
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from timeline_app.compiler import parse_program
from timeline_app.fs.layout import Places
from timeline_app.web.models import Query
from timeline_app.web.nodes.services import decide_alone
from workers.engine.backlog import count_waiting
from workers.engine.formatting import format_duration, format_number
from workers.engine.rebuild import can_recompute, move_nodes, select_nodes_to_move

log = logging.getLogger(__name__)
SATURATED_AFTER_S = 60.0
MAX_RECOMPUTE_S = 300.0
"""The retained events must be computed again within this time: until then the page shows nothing newer."""
MIN_FREE_CORES = 0.5
RESERVE_FACTOR = 1.5
"""A query gets this many times the buckets that its events need now."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The lag of a run of a query when it was first seen behind, and when, on the monotonic clock."""

    run: str
    moment: float
    lag: int


_behind: dict[str, Sample] = {}
"""By query that is behind."""
_needed: dict[str, int] = {}
"""By saturated query, how many buckets it was found to need."""
_cores: dict[str, int] = {}
"""By Spark server, how many tasks it runs at once."""


def grow_saturated(queries: Sequence[Query], spark: Any, leaving: Collection[int]) -> None:
    """Begin the growth of at most one query; none while another one's nodes move (`leaving` names their queries)."""
    running = [query for query in queries if query.observed == Query.Observed.RUNNING]
    for table in (_behind, _needed):
        for name in table.keys() - {query.name for query in running if query.backlog}:
            del table[name]
    saturated = [query for query in running if _is_saturated(query)]
    if settings.BUCKETS is not None or leaving or not saturated:
        return
    free = count_cores(spark) - sum(map(_measure_busy_cores, running))
    for query in saturated:
        buckets = choose_more_buckets(query, _behind.pop(query.name), free)
        if buckets > query.buckets and _grow(query, buckets):
            return


def _is_saturated(query: Query) -> bool:
    """Return whether a query that reads events has been behind for long, and gets no nearer."""
    now, before = time.monotonic(), _behind.get(query.name)
    if not query.backlog or not query.buckets:
        return False
    if before is None or before.run != query.spark_run_id or query.lag < before.lag:
        _behind[query.name] = Sample(query.spark_run_id, now, query.lag)
        return False
    return now - before.moment >= SATURATED_AFTER_S


def choose_more_buckets(query: Query, before: Sample, free: float) -> int:
    """Return how many buckets a saturated query needs for the rate at which events arrive, with `free` cores."""
    if free < MIN_FREE_CORES or not query.processed_per_second:
        return query.buckets
    seconds = max(time.monotonic() - before.moment, 1.0)
    arriving = query.events_per_second + (query.lag - before.lag) / seconds
    needed = math.ceil(RESERVE_FACTOR * query.buckets * arriving / query.processed_per_second)
    return min(max(needed, query.buckets + 1), query.buckets + math.ceil(free))


def describe_shortage(query: Query) -> str:
    """Say that a query which is behind has too few buckets; empty where it has enough, or that is unknown."""
    needed = _needed.get(query.name, 0)
    return f"needs {needed} buckets and has {query.buckets}" if needed > query.buckets else ""


def _measure_busy_cores(query: Query) -> float:
    """Return how many cores the batches of a query keep busy."""
    if not query.processed_per_second:
        return 0.0
    return max(query.buckets, 1) * min(query.events_per_second / query.processed_per_second, 1.0)


def _grow(query: Query, buckets: int) -> bool:
    """Hand the query's nodes over to a new one with more buckets, unless that takes too long or changes answers."""
    program = parse_program(query.program)
    if not program.additive and program.across_keys:
        return False  # it must see all keys at once
    _needed[query.name] = buckets
    retained = count_waiting(program, Places(settings.TIMELINE_DATA), [])
    seconds = retained * query.buckets / (query.processed_per_second * buckets)
    if seconds > MAX_RECOMPUTE_S:
        log.warning(
            "query %s needs %d buckets and has %d; it does not grow by itself, because its %s retained events"
            " take %s to compute again. See docs/scale.md.",
            query.name, buckets, query.buckets, format_number(retained), format_duration(seconds),
        )  # fmt: skip
        return False
    with transaction.atomic():
        decide_alone()
        nodes = select_nodes_to_move(query)
        if not nodes or not can_recompute(nodes):
            return False
        before = "1 bucket" if query.buckets == 1 else f"{query.buckets} buckets"
        words = f"it fell behind with {before}, and its events are computed again in {buckets}"
        target = move_nodes(nodes, words, buckets=buckets)
    log.warning("query %s fell behind; %s goes on with %d buckets", query.name, target.name, buckets)
    return True


def count_cores(spark: Any) -> int:
    """Return how many tasks the Spark server runs at once. Its plan of a range says it without a job."""
    name = settings.SPARK_REMOTE
    if name not in _cores:
        plan = spark.sql("EXPLAIN SELECT * FROM range(1)").collect()[0][0]
        match = re.search(r"splits=(\d+)", plan)
        _cores[name] = int(match.group(1)) if match else 1
    return _cores[name]
