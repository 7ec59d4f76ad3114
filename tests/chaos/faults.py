"""The kinds of faults; each ends when its cause is over, and the product must recover unaided."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from tests.browser.product import ask_patiently
from tests.chaos.arena import SUPERVISORD_EVERY_S, TIMEOUT_S, Arena, NotRecovered
from tests.chaos.client import build_poisons
from tests.chaos.database import Postgres
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from workers.spark.checkpoint import find_newest

PROCESSES = ("spark", "worker", "beat", "publisher", "redis", "web", "intake", "delivery")
SLOW_WRITE_MICROS, HANGING = 50_000, -1
JUMPS = (-7_200, -3_600, -60, 60, 3_600, 7_200)
Fault = Callable[[Arena], str]
"""Injects the fault, and returns what was done, in a few words."""


def build_kill(name: str) -> Fault:
    """Return `kill -9` of a process."""

    def fault(arena: Arena) -> str:
        arena.kill(name)
        return f"killed {name}"

    return fault


def stop(arena: Arena) -> str:
    """Stop a process for a while."""
    name = arena.dice.choice(PROCESSES)
    process = arena.process(name)
    process.send_signal(signal.SIGSTOP)
    time.sleep(arena.pause)
    process.send_signal(signal.SIGCONT)
    return f"stopped {name} for {arena.pause:.0f} s"


def fill_disk(arena: Arena) -> str:
    """Fill the disk for a while."""
    with arena.disk.full():
        time.sleep(arena.pause / 2)
    return f"the disk was full for {arena.pause / 2:.0f} s"


def corrupt(arena: Arena) -> str:
    """Truncate the newest file of a checkpoint while Spark is down."""
    names = arena.queries()
    arena.kill("spark")
    name, part = arena.dice.choice(names), arena.dice.choice(("offsets", "commits", "manifest", "metadata"))
    how = arena.dice.choice(("empty", "zeroed", "cut"))
    file = _find_newest_file(Places(arena.data), name, part)
    if file is None:
        return f"killed spark, {part} has no file to tear"
    content = file.read_bytes()
    torn = {"empty": b"", "zeroed": b"\0" * len(content), "cut": content[: len(content) // 2]}
    file.write_bytes(torn[how])
    node = next((node for node, digest in arena.digests.items() if digest == name), name[:8])
    return f"killed spark, {part}/{file.name} of {node} is {how}"


def _find_newest_file(places: Places, name: str, part: str) -> Path | None:
    if part == "metadata":
        return require_path(places.checkpoint(name)) / part
    folder = places.feed(name) / "_spark_metadata" if part == "manifest" else places.checkpoint(name) / part
    number = find_newest(folder)
    return None if number is None else require_path(folder) / str(number)


def send_poison(arena: Arena) -> str:
    """Push an event, or something similar, that is rejected or harmless."""
    body = arena.dice.choice(build_poisons())
    status = arena.pusher.push(body, tries=50)
    if status == 202:
        arena.pusher.keep(body)
    if not 200 <= status < 500:
        raise NotRecovered(f"poison {body[:50]!r} is answered with {status} again and again")
    return f"poison {body[:50]!r}… was answered with {status}"


def lock(arena: Arena) -> str:
    """Lock the database for a while."""
    arena.lock_database(arena.pause / 3)
    return f"the database was locked for {arena.pause / 3:.0f} s"


def turn_clock(arena: Arena) -> str:
    """Move the clock of all processes for good."""
    seconds = arena.dice.choice(JUMPS)
    arena.clock.jump(seconds)
    return f"the clock is {seconds:+d} s off"


def kill_supervisord(arena: Arena) -> str:
    """`kill -9` supervisord, which starts all processes again; the supervising test starts it again."""
    pid = int((arena.stack.layout.home / "supervisord.pid").read_text())
    os.kill(pid, signal.SIGKILL)
    arena.supervisord_killed_at = time.monotonic()
    return "killed supervisord"


def clear_redis(arena: Arena) -> str:
    """Remove all tasks, groups and locks from Redis."""
    url = arena.stack.layout.environment()["REDIS_URL"]
    try:
        with Redis.from_url(url, socket_timeout=10) as client:
            client.flushall()
        return "emptied redis"
    except RedisError as refusal:  # the account of the product may not: empty it as a lost disk would
        arena.kill("redis")
        for file in (arena.data / "redis").rglob("*"):
            if file.is_file():
                file.unlink()
        arena.kill("redis")
        return f"killed redis and removed its files ({refusal})"


def slow_down_disk(arena: Arena) -> str:
    """Delay each write for a while."""
    with arena.pace.slow(SLOW_WRITE_MICROS):
        time.sleep(arena.pause)
    return f"each write took {SLOW_WRITE_MICROS // 1_000} ms for {arena.pause:.0f} s"


def hang_disk(arena: Arena) -> str:
    """Block each write for a while."""
    with arena.pace.slow(HANGING):
        time.sleep(arena.pause / 2)
    return f"no write came back for {arena.pause / 2:.0f} s"


def restart_database(arena: Arena) -> str:
    """Kill PostgreSQL, and start it again."""
    assert isinstance(arena.database, Postgres)
    arena.database.restart()
    return "killed PostgreSQL and started it again"


def fail_over_database(arena: Arena) -> str:
    """Lose PostgreSQL; its standby takes over."""
    assert isinstance(arena.database, Postgres)
    arena.database.fail_over()
    return f"lost PostgreSQL, its standby took over at port {arena.database.primary.port}"


def run_out_of_memory(victim: str, arena: Arena) -> str:
    """Run a plan that runs out of memory whenever it computes: it must fail alone."""
    arena.hungry += 1
    node = {"op": "hungry", "stream": "player", "params": {"field": victim}}
    counted = {"op": "changed_to", "inputs": {"of": "eaten"}, "params": {"value": f"{victim}-{arena.hungry}"}}
    name = f"Hungry {arena.hungry}"
    nodes = {"eaten": node, "count": counted}
    plan_id = arena.api.add_plan({"version": 1, "name": name, "nodes": nodes, "results": ["count"]})["id"]
    arena.api.call("POST", f"plans/{plan_id}/run/", {"placement": "together"})
    digest = arena.api.digests(plan_id)["count"]
    started = time.monotonic()
    # A query whose Python worker died is tried 20 times, which takes longer than we wait; meanwhile others must go on.
    enough = ("failed", "retrying") if victim == "worker" else ("failed",)
    while not ask_patiently(lambda: arena.api.observed(digest) in enough):
        if time.monotonic() - started > TIMEOUT_S:
            raise NotRecovered(
                f"after {TIMEOUT_S:.0f} s the node without memory has not failed: "
                f"it is {_describe_status(arena, digest)}"
            )
        arena.tend()
        time.sleep(0.5)
    seconds, alone = time.monotonic() - started, arena.probe(f"beside-hungry-{arena.hungry}")
    words = _describe_status(arena, digest)
    arena.api.stop(plan_id)
    return f"{victim} out of memory after {seconds:.0f} s, others answered in {alone:.1f} s: {words[:200]}"


def _describe_status(arena: Arena, digest: str) -> str:
    return str(arena.api.get(f"nodes/{digest}/")["status"])


FAULTS: Mapping[str, Fault] = {
    **{f"kill {name}": build_kill(name) for name in PROCESSES},
    "stop": stop,
    "full disk": fill_disk,
    "corrupt checkpoint": corrupt,
    "poison event": send_poison,
    "locked database": lock,
    "clock jump": turn_clock,
    "kill supervisord": kill_supervisord,
    "empty redis": clear_redis,
    "slow disk": slow_down_disk,
    "hanging disk": hang_disk,
    "restart database": restart_database,
    "fail over database": fail_over_database,
    "worker out of memory": partial(run_out_of_memory, "worker"),
    "server out of memory": partial(run_out_of_memory, "server"),
}


def list_possible(arena: Arena) -> list[str]:
    """Return the kinds that are possible here and now."""
    on_postgres = isinstance(arena.database, Postgres)
    cannot = {"locked database"} if on_postgres else {"restart database", "fail over database"}
    cannot |= {"full disk"} if not arena.disk.small else set()
    cannot |= {"clock jump"} if arena.clock.library is None else set()
    cannot |= {"slow disk", "hanging disk"} if arena.pace.library is None else set()
    if time.monotonic() - arena.supervisord_killed_at < SUPERVISORD_EVERY_S:
        cannot.add("kill supervisord")
    return [name for name in FAULTS if name not in cannot]
