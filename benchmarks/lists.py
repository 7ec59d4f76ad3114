"""`make bench-lists`: measure every list of the API with 10,000 nodes and 1,000 plans, on SQLite and on PostgreSQL.

A viewer, an editor and an administrator request pages of the default size and of 200: the first one, and one deep in
the list, reached by cursors. Times are milliseconds from a request to the last byte of its response, one at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from benchmarks.ending import exit_on_sigterm
from tests.postgres import run_server
from workers.stack import Stack, health
from workers.stack.layout import ROOT

BUDGET_MS = 100.0
DEEP_PAGE = 10
"""The page that counts as deep; the last one in a shorter list."""
LISTS = (
    "plans/", "nodes/", "streams/", "dashboards/", "samples/", "audit/", "people/", "teams/", "tokens/",
    "plans/1/audit/", "plans/1/versions/",
)  # fmt: skip
NARROWED = (
    "plans/?owner=me", "plans/?q=rebuffering+9", "plans/?q=is:failing", "plans/?q=uses:stream7", "nodes/?owner=me",
    "nodes/?q=is:failing", "nodes/?q=op:duration_where", "nodes/?q=is:shared", "nodes/?status=running",
    "streams/?q=is:running", "dashboards/?q=stream:stream7", "audit/?actor=editor", "audit/?search=stream77",
    "people/?search=9",
)  # fmt: skip
SEARCHES = (
    "", "rebuffering", "quality 77", "owner:me", "owner:me is:failing", "op:duration_where", "uses:stream7",
    "stream:stream7 -is:running", "is:shared", "team:\"Team 3\"", "cirr is:running", "nothing-is-called-so",
)  # fmt: skip
Figures = dict[str, list[float]]


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def list_addresses(client: httpx.Client) -> Iterator[tuple[str, str]]:
    """Return the addresses to request, by name."""
    for path in LISTS:
        for limit in (None, 200):
            first = path if limit is None else f"{path}?limit={limit}"
            yield f"{path} {limit or 'usual'} first", first
            deep = find_deep_page(client, first)
            if deep != first:
                yield f"{path} {limit or 'usual'} deep", deep
    for path in NARROWED:
        yield path, path
    for q in SEARCHES:
        for limit in (8, 50):
            yield f"search {q!r} {limit}", str(httpx.URL("search/", params={"q": q, "limit": limit}))


def find_deep_page(client: httpx.Client, address: str) -> str:
    """Return the address of a page that many cursors lead to."""
    for _ in range(DEEP_PAGE):
        answer = client.get(address)
        answer.raise_for_status()
        if answer.json()["next"] is None:
            break
        address = answer.json()["next"]
    return address


def measure_list(client: httpx.Client, address: str, times: int, web: psutil.Process) -> list[float]:
    """Return p50 and p95, and the CPU time of the web server, in milliseconds."""
    times_taken = []
    for _ in range(2):
        client.get(address).raise_for_status()
    before = sum(web.cpu_times()[:2])
    for _ in range(times):
        started = time.perf_counter()
        answer = client.get(address)
        times_taken.append((time.perf_counter() - started) * 1000)
        answer.raise_for_status()
    used = (sum(web.cpu_times()[:2]) - before) * 1000 / times
    return [
        *(round(float(np.percentile(times_taken, percentile)), 1) for percentile in (50, 95)),
        round(used, 1),
    ]


def measure_lists(url: str, tokens: Mapping[str, str], times: int, web: psutil.Process) -> dict[str, Figures]:
    """Measure all lists, by reader."""
    result: dict[str, Figures] = {}
    for reader, token in tokens.items():
        print_progress(f"asked as {reader}")
        headers = {"Authorization": f"Token {token}"}
        with httpx.Client(base_url=f"{url}api/", headers=headers, timeout=120) as client:
            addresses = list(list_addresses(client))
            result[reader] = {name: measure_list(client, address, times, web) for name, address in addresses}
        worst = max(result[reader], key=lambda name: result[reader][name][1])
        print_progress(
            f"  {len(addresses)} pages; slowest (p50, p95, processor; ms): {worst}: {result[reader][worst]}"
        )
    return result


@contextmanager
def run_filled_stack() -> Iterator[tuple[Stack, dict[str, Any]]]:
    """Run a web server with Redis as `make run` does, with the data of a company."""
    with (
        tempfile.TemporaryDirectory(prefix="timelines-bench-") as folder,
        Stack(Path(folder), demo=False, port=health.find_free_port(), engine=False) as stack,
    ):
        command, environment = [sys.executable, "-m", "benchmarks.crowd"], stack.layout.environment()
        answer = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True, text=True
        )
        yield stack, json.loads(answer.stdout.splitlines()[-1])


def measure_database(times: int) -> dict[str, Any]:
    """Measure the database that the environment names."""
    with run_filled_stack() as (stack, answer):
        web = psutil.Process(stack.pids()["web"])
        result = measure_lists(stack.url, answer.pop("tokens"), times, web)
    slow = {
        f"{name}, {reader}": ms
        for reader, by_name in result.items()
        for name, ms in by_name.items()
        if ms[1] > BUDGET_MS
    }
    print_progress(
        "all within the budget"
        if not slow
        else "\n".join(f"too slow: {item}: {ms}" for item, ms in slow.items())
    )
    by_figure = list(zip(*(ms for by_name in result.values() for ms in by_name.values()), strict=True))
    worst = dict(zip(("p50", "p95", "processor"), map(max, by_figure), strict=True))
    return answer | {"pages": len(by_figure[0]), "slowest_ms": worst, "over_budget": slow, "ms": result}


def measure_databases(names: str, times: int) -> Iterator[tuple[str, dict[str, Any]]]:
    if names in ("both", "sqlite"):
        print_progress("SQLite")
        os.environ.pop("DATABASE_URL", None)
        yield "sqlite", measure_database(times)
    if names in ("both", "postgresql"):
        print_progress("PostgreSQL")
        with run_server(options=()) as url:
            os.environ["DATABASE_URL"] = url
            yield "postgresql", measure_database(times)


def main() -> int:
    """Fill, measure and report; fail if a page is slower than its budget."""
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--database", choices=("both", "sqlite", "postgresql"), default="both")
    arguments = parser.parse_args()
    result = dict(measure_databases(arguments.database, arguments.times))
    print(json.dumps({"budget_ms_p95": BUDGET_MS, **result}))
    return 1 if any(item["over_budget"] for item in result.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
