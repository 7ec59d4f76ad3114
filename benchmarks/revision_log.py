"""Measure the database of the environment for `make bench-log`: `python -m benchmarks.revision_log REVISIONS`.

One node has a key of 100,000 revisions beside normal ones; the others have thousands of normal keys. The publisher's
own code writes everything.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django.setup()

import numpy as np  # noqa: E402
from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from rest_framework.test import APIClient  # noqa: E402

from timeline_app.algebra.kinds import BEGINNING, NO_LABELS, OPEN, Kind, Labels  # noqa: E402
from timeline_app.algebra.revisions import Revisions  # noqa: E402
from timeline_app.web.models import Node, Query, Revision  # noqa: E402
from timeline_app.web.nodes.log_compaction import compact_log  # noqa: E402
from timeline_app.web.nodes.revision_log import append  # noqa: E402
from timeline_app.web.nodes.timelines import peek  # noqa: E402

SECOND = 1_000_000
T = 1_700_000_000 * SECOND
DAY = 86_400 * SECOND
KEYS = 5_000
NODES = 5
PACE_MICROS = 6 * SECOND
HOT_REVISIONS = 100_000
"""The revisions of the key `hot` of the first node."""
SAMPLES = 300
COMPACTION_S = 150.0
Result = dict[str, Any]


def print_progress(words: str) -> None:
    print(f"  {words}", file=sys.stderr, flush=True)


def build_batch(rng: np.random.Generator, names: Labels, now: int, kind: Kind) -> Revisions:
    """Return one revision of each of these keys: mostly of the newest stretch, some late, a few of everything."""

    size = len(names)
    sort = rng.random(size)
    start = now - rng.integers(0, 60 * SECOND, size)
    sort[names == "hot"], start[names == "hot"] = 0.0, now
    late = (sort > 0.8) & (sort < 0.95)
    start[late] -= rng.integers(0, DAY, late.sum())
    end = np.where(late, start + 30 * SECOND, OPEN)
    offsets = 2 * np.arange(size + 1)
    time_ = np.column_stack((start, start + SECOND)).ravel()
    start = np.where(sort >= 0.95, BEGINNING, start)
    time_[::2] = start
    number = kind is Kind.NUMBER
    value = np.tile([1.5, 2.5] if number else [2, 0], size).astype(kind.dtype)
    slope = np.tile([0.0, 1.0] if number else [0.0, 0.0], size)
    birth = np.full(size, T)
    return Revisions(kind, names, birth, start, end, offsets, time_, value, slope, NO_LABELS)


def build_first_revisions(names: Labels, kind: Kind) -> Revisions:
    """Return the first revisions of keys, which cover all time."""

    size = len(names)
    nothing = np.zeros(size)
    ends = np.full(size, BEGINNING), np.full(size, OPEN)
    value = nothing.astype(kind.dtype)
    offsets = np.arange(size + 1)
    return Revisions(kind, names, np.full(size, T), *ends, offsets, ends[0], value, nothing, NO_LABELS)


def publish(node: Node, known_at: int, *revision_batches: Revisions) -> int:
    """Write a version of a node as the publisher does, in the caller's transaction; return the number of revisions."""

    node.version, node.as_of = node.version + 1, known_at
    for revisions in revision_batches:
        append(node, node.version, known_at, revisions)
    Node.objects.filter(pk=node.pk).update(version=node.version, as_of=known_at)
    return sum(revisions.size for revisions in revision_batches)


def create_nodes() -> list[Node]:
    """Create nodes without revisions."""

    owner = User.objects.create(username="bench")
    nodes = []
    for number, kind in enumerate(("bool", "number", "bool", "number", "bool")[:NODES]):
        query = Query.objects.create(name=f"n{number}", program={})
        nodes.append(
            Node.objects.create(digest=f"n{number}", operator="not", kind=kind, owner=owner, query=query)
        )
    return nodes


def fill(nodes: list[Node], count: int) -> Result:
    """Write the log: the busy node in small versions, the others in large ones."""
    rng = np.random.default_rng(7)
    names = np.array(["hot", *(f"session-{number:05}" for number in range(KEYS))], dtype=object)
    for node in nodes:
        with transaction.atomic():
            publish(node, T, build_first_revisions(names, Kind(node.kind)))
    return {
        "revisions_per_s_versions_of_5": fill_small(rng, nodes[0], names),
        "revisions_per_s_versions_of_5000": fill_large(rng, nodes[1:], names[1:], count - 5 * HOT_REVISIONS),
    }


def fill_small(rng: np.random.Generator, node: Node, names: Labels) -> int:
    """Write `HOT_REVISIONS` versions of five keys, `hot` first, 100 in a transaction; return revisions per second."""
    started = time.perf_counter()
    for step in range(0, HOT_REVISIONS, 100):
        with transaction.atomic():
            for tick in range(step, step + 100):
                now = T + (tick + 1) * PACE_MICROS
                names_chosen = names[
                    np.concatenate(([0], np.sort(rng.choice(np.arange(1, KEYS), 4, replace=False))))
                ]
                publish(node, now, build_batch(rng, names_chosen, now, Kind.BOOL))
        if step % 20_000 == 0:
            print_progress(f"{step * 5:,} revisions in small versions, {time.perf_counter() - started:.0f} s")
    return round(5 * HOT_REVISIONS / (time.perf_counter() - started))


def fill_large(rng: np.random.Generator, nodes: list[Node], names: Labels, count: int) -> int:
    """Write this many revisions, all keys in each version; return revisions per second."""
    started, rounds = time.perf_counter(), count // (KEYS * len(nodes))
    for step in range(rounds):
        now = T + (step + 1) * (HOT_REVISIONS // rounds) * PACE_MICROS
        for node in nodes:
            with transaction.atomic():
                publish(node, now, build_batch(rng, names, now, Kind(node.kind)))
        if step % 50 == 0:
            print_progress(
                f"{step * KEYS * len(nodes):,} in large ones, {time.perf_counter() - started:.0f} s"
            )
    return round(rounds * KEYS * len(nodes) / (time.perf_counter() - started))


def measure_commits(node: Node) -> Result:
    """Return versions per second, each in a durable transaction of its own."""

    rng = np.random.default_rng(8)
    names = np.array([f"session-{number:05}" for number in range(20)], dtype=object)
    now, started = node.as_of or T, time.perf_counter()
    for step in range(300):
        with transaction.atomic():
            publish(node, now + step + 1, build_batch(rng, names, now, Kind(node.kind)))
    return {"durable_versions_of_20_per_s": round(300 / (time.perf_counter() - started))}


def build_questions(nodes: list[Node]) -> dict[str, Callable[[np.random.Generator], Any]]:
    """Return random questions."""

    busy, usual = nodes[0], nodes[1:]
    length = HOT_REVISIONS * PACE_MICROS

    def choose_key(rng: np.random.Generator) -> tuple[Node, str]:
        return usual[rng.integers(len(usual))], f"session-{rng.integers(KEYS):05}"

    def choose_moment(rng: np.random.Generator) -> int:
        return T + int(rng.integers(length // 4, length))

    def choose_known_at(rng: np.random.Generator) -> int:
        return T + int(rng.integers(length * 11 // 20, length))

    def choose_stretch(rng: np.random.Generator, long: int) -> dict[str, Any]:
        start = choose_moment(rng)
        return {"start": start, "end": start + long}

    hour, newest = 3600 * SECOND, T + length - 3600 * SECOND
    return {
        "whole": lambda rng: peek(*choose_key(rng)),
        "whole_known_at": lambda rng: peek(*choose_key(rng), known_at=choose_known_at(rng)),
        "hour": lambda rng: peek(*choose_key(rng), **choose_stretch(rng, hour)),
        "hour_known_at": lambda rng: peek(
            *choose_key(rng), **choose_stretch(rng, hour), known_at=choose_known_at(rng)
        ),
        "small_versions_whole": lambda rng: peek(busy, choose_key(rng)[1]),
        "small_versions_known_at": lambda rng: peek(busy, choose_key(rng)[1], known_at=choose_known_at(rng)),
        "hot_newest_hour": lambda _: peek(busy, "hot", start=newest),
        "hot_hour": lambda rng: peek(busy, "hot", **choose_stretch(rng, hour)),
        "hot_instant": lambda rng: peek(busy, "hot", **choose_stretch(rng, 1)),
        "hot_hour_known_at": lambda rng: peek(
            busy, "hot", **choose_stretch(rng, hour), known_at=choose_known_at(rng)
        ),
    }


def measure_times(ask: Callable[[], Any], samples: int, before: Callable[[], None] = lambda: None) -> Result:
    """Return the milliseconds of some answers."""
    durations = []
    for _ in range(samples):
        before()
        started = time.perf_counter()
        ask()
        durations.append((time.perf_counter() - started) * 1000)
    p50, p95 = np.percentile(durations, [50, 95])
    return {"p50_ms": round(float(p50), 2), "p95_ms": round(float(p95), 2)}


def drop_caches(folder: Path) -> None:
    """Drop the system's cache of SQLite's files, and what the connection has read."""
    for path in filter(Path.is_file, folder.rglob("*")):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    connection.close()
    connection.ensure_connection()


def measure_peeks(nodes: list[Node], folder: Path) -> Result:
    """Measure every question, warm and cold, and the busy key's whole history, which has 100,000 points."""

    rng, written = np.random.default_rng(9), dict[str, Result]()
    for name, ask in build_questions(nodes).items():
        ask(rng)
        written[name] = measure_times(lambda ask=ask: ask(rng), SAMPLES)  # type: ignore[misc]
        if connection.vendor == "sqlite":
            cold = measure_times(lambda ask=ask: ask(rng), SAMPLES // 3, lambda: drop_caches(folder))  # type: ignore[misc]
            written[name] |= {f"cold_{figure}": value for figure, value in cold.items()}
        print_progress(f"{name}: {written[name]}")
    written["hot_everything"] = measure_times(lambda: peek(nodes[0], "hot"), 5)
    print_progress(f"hot_everything: {written['hot_everything']}")
    return written


def measure_rest(nodes: list[Node]) -> Result:
    """Measure a normal key over REST, without a network."""

    client = APIClient()
    client.force_authenticate(User.objects.get())
    rng = np.random.default_rng(10)

    def ask() -> None:
        node = nodes[rng.integers(1, NODES)]
        address = f"/api/nodes/{node.digest}/timeline/?key=session-{rng.integers(KEYS):05}"
        answer = client.get(address, headers={"host": "localhost"})
        assert answer.status_code == 200, answer.content

    ask()
    return measure_times(ask, SAMPLES)


def measure_compaction() -> Result:
    """Compact the older half of the log for at most `COMPACTION_S`, and measure it."""
    before, started = Revision.objects.count(), time.perf_counter()
    folded = compact_log(now=T + HOT_REVISIONS * PACE_MICROS // 2 + settings.LOG_WINDOW, seconds=COMPACTION_S)
    seconds_taken = time.perf_counter() - started
    print_progress(f"{folded:,} revisions folded in {seconds_taken:.0f} s")
    rows = {"rows_before": before, "rows_after": Revision.objects.count()}
    return {"folded": folded, "folded_per_s": round(folded / seconds_taken), **rows}


def measure_size(folder: Path) -> int:
    """Return the MiB on disk."""

    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return round(sum(path.stat().st_size for path in folder.glob("*.sqlite3*")) / 2**20)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0]) // 2**20


def measure(count: int, folder: Path) -> Result:
    """Measure everything on the database of the environment."""

    call_command("migrate", verbosity=0)
    result = create_nodes()
    written: Result = {"fill": fill(result, count), "mib": measure_size(folder)}
    written["fill"] |= measure_commits(result[1])
    written["peek"] = measure_peeks(result, folder)
    written["rest_whole"] = measure_rest(result)
    written["compaction"] = measure_compaction()
    written["mib_compacted"] = measure_size(folder)
    written["peek_compacted"] = measure_peeks(result, folder)
    return written


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), settings.TIMELINE_LOCAL)))
