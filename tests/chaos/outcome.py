"""What must hold in the end: every answer is right, every revision is there once, every query runs once."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.browser.product import Rows, Truth, evaluate_truth, is_alike, list_spark_queries, run_python
from tests.chaos.arena import BATCHES_PER_SEGMENT, PLAN, SINK_FOLDER, Arena, use_environment
from tests.chaos.client import MAX_QUARANTINED
from tests.chaos.places import print_progress
from timeline_app.feed.files import FileFeed
from timeline_app.feed.segments import UNCOMPACTED_BATCHES, find_segment
from timeline_app.feed.snapshots import list_snapshots
from timeline_app.fs.layout import Places

SETTLE_TIMEOUT_S = 240.0
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def list_problems(arena: Arena, folder: Path) -> list[str]:
    """Return everything that is wrong after the last event was acknowledged."""
    _resolve(arena)
    expected = evaluate_truth(PLAN, {"player": arena.sent()}, folder)
    checks: list[Callable[[], list[str]]] = [
        lambda: _check_counts(arena),
        lambda: _check_keys(arena, expected),
        lambda: _check_timelines(arena, expected),
        lambda: _check_queries(arena),
        lambda: _log(arena),
        lambda: _check_quarantine(arena),
        lambda: _check_delivery(arena, expected["cirr"]),
        lambda: [f"refused: {body}" for body in arena.pusher.refused],
    ]
    names: list[str] = []
    for check in checks:
        names += wait_until_settled(check)
    return names + _check_newcomer(arena, folder)


def wait_until_settled(check: Callable[[], list[str]]) -> list[str]:
    """Return the problems that remain once nothing changes any more."""
    until = time.monotonic() + SETTLE_TIMEOUT_S
    while (names := check()) and time.monotonic() < until:
        time.sleep(1.0)
    return names


def _resolve(arena: Arena) -> None:
    """Determine the outcome of batches without an idempotency key that got no response."""
    landed = _list_known(arena, arena.digests["state"])
    for name, batch in arena.keyless.uncertain.items():
        if name in landed:
            arena.keyless.sent.extend(batch)


def _check_quarantine(arena: Arena) -> list[str]:
    """Require each rejected message of the source once, at least the newest ones."""
    kept, places = arena.query(
        "select count(*), count(distinct place) from web_rejectedevent where place <> ''"
    )[0]
    [[everything]] = arena.query(
        "select count(*) from web_rejectedevent"
    )  # also those of pushes, under one limit
    wrong = arena.files.wrong
    if kept == places and (kept == wrong or (wrong > kept and everything >= MAX_QUARANTINED)):
        return []
    return [f"{kept} messages of {places} places are in quarantine, {wrong} were wrong"]


def _check_delivery(arena: Arena, expected: Mapping[str, Rows]) -> list[str]:
    """Require each row of the sink once, with the values of the node."""
    folder = arena.data / "delivered" / SINK_FOLDER
    files = sorted(folder.glob("*.parquet"))
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    unique = {tuple(map(str, row.values())) for row in rows}
    problems = [f"the sink has {len(rows) - len(unique)} rows twice"] if len(unique) < len(rows) else []
    by_key: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_key.setdefault(row["key"], []).append(row)
    if by_key.keys() != expected.keys():
        problems.append(f"the sink lacks or has too many of {sorted(by_key.keys() ^ expected.keys())[:5]}")
    for key, points in expected.items():
        for at, value, slope in points:
            if at is not None and not is_alike(_read_values_at(by_key.get(key, []), at), [value, slope]):
                problems.append(
                    f"the sink says {_read_values_at(by_key.get(key, []), at)} of {key} at {at}, not {value, slope}"
                )
    return problems


def _read_values_at(rows: list[dict[str, Any]], at: int) -> list[Any]:
    """Return value and slope of the newest row that holds at an instant."""
    instant = EPOCH + timedelta(microseconds=at)
    for row in reversed(rows):
        begin, end = row["valid_from"], row["valid_to"]
        if (begin is None or begin <= instant) and (end is None or instant < end):
            climbed = row["slope"] * (instant - begin).total_seconds() if begin and row["slope"] else 0.0
            return [None if row["value"] is None else row["value"] + climbed, row["slope"]]
    return [None, None]


def _check_counts(arena: Arena) -> list[str]:
    """Require that no event is lost or counted twice."""
    rows = arena.query("select digest, events from web_node")
    taken: dict[str, int] = dict(rows)
    sent = len(arena.sent())
    result = {name: taken[digest] for name, digest in arena.digests.items() if name != "cirr_by_cdn"}
    return [
        f"{name} took {events} events, {sent} were sent" for name, events in result.items() if events != sent
    ]


def _list_known(arena: Arena, digest: str) -> set[str]:
    statement = "select key.key from web_nodekey key join web_node node on node.id = key.node_id"
    return {key for (key,) in arena.query(f"{statement} where node.digest = '{digest}'")}


def _check_keys(arena: Arena, expected: Truth) -> list[str]:
    result = {name: _list_known(arena, digest) for name, digest in arena.digests.items()}
    return [
        f"{name}: {sorted(keys ^ expected[name].keys())[:5]} are missing or too many"
        for name, keys in result.items()
        if keys != expected[name].keys()
    ]


def _check_timelines(arena: Arena, expected: Truth) -> list[str]:
    items = []
    for name, digest in arena.digests.items():
        print_progress(f"comparing {len(expected[name])} timelines of {name}")
        for key, points in expected[name].items():
            result = arena.api.timeline(digest, key)
            if not is_alike(result, points):
                items.append(f"{name} of {key}: {result}, not {points}")
    return items


def _is_compacted(feed: FileFeed) -> bool:
    """Return whether the oldest batches are in one file; a snapshot replaces the segments that all have read."""
    return find_segment(feed.path, 0) is not None or bool(list_snapshots(feed.path))


def _check_newcomer(arena: Arena, folder: Path) -> list[str]:
    """Require that a new node agrees with the evaluator on all history: it reads all published feeds."""
    feeds = [FileFeed(Places(arena.data).feed(query)) for query in arena.queries()]
    long = [feed for feed in feeds if feed.has(int(BATCHES_PER_SEGMENT) + UNCOMPACTED_BATCHES)]
    with use_environment(arena.environment):
        run_python(arena.stack, "-m", "celery", "-A", "workers", "call", "workers.tasks.pack_feeds")
    loose = wait_until_settled(
        lambda: [f"{feed.path.name} is not compacted" for feed in long if not _is_compacted(feed)]
    )
    print_progress(f"another node joins; {len(long)} of {len(feeds)} feeds are compacted")
    joined = {"op": "aggregate", "inputs": {"of": "cirr", "by": "cdn"}, "params": {"function": "max"}}
    plan = {**PLAN, "name": "Newcomer", "nodes": {**PLAN["nodes"], "longest": joined}}
    plan_id = arena.api.add_plan(plan)["id"]
    arena.api.call("POST", f"plans/{plan_id}/run/", {"placement": arena.placement})
    arena.digests = {"longest": arena.api.digests(plan_id)["longest"]}
    expected = evaluate_truth(plan, {"player": arena.sent()}, folder)
    return loose + wait_until_settled(
        lambda: _check_keys(arena, expected) or _check_timelines(arena, expected)
    )


def _check_queries(arena: Arena) -> list[str]:
    """Require that Spark runs exactly the desired queries, each once."""
    active, expected = [name for name, _, _ in list_spark_queries(arena.stack)], arena.queries()
    return [] if active == expected else [f"Spark runs {active}, wanted are {expected}"]


def _log(arena: Arena) -> list[str]:
    """Require every batch of every feed in the log, and no revision that repeats the one before it."""
    rows = arena.query(
        'select key.node_id, key.key, log.version, log.start, log."end", log.pieces from web_revision log'
        " join web_nodekey key on key.id = log.node_key_id order by 1, 2, 3"
    )
    twice = len(rows) - len({row[:3] for row in rows})
    repeated = sum((a[:2], a[3:]) == (b[:2], b[3:]) for a, b in itertools.pairwise(rows))
    items = [f"{twice} revisions have the version of another one"] if twice else []
    return items + ([f"{repeated} revisions say again what the one before said"] if repeated else [])
