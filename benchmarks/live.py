"""`make bench-live`: measure the first result after Run, event to page, memory, CPU and peeks on the real stack."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections import defaultdict
from contextlib import suppress
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import websockets

from benchmarks.ending import exit_on_sigterm
from workers.stack.processes import list_marked
from workers.stack.stack import Stack

WARM_UP, PROBES, PEEKS, CPU_SECONDS = 45.0, 60, 200, 20.0
MAX_WAIT_S = 120.0


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


class Client:
    """REST and WebSocket with the demo user's token."""

    def __init__(self, url: str, login: dict[str, str]) -> None:
        """Connect to `url`, which ends with a slash."""
        self.url, self.login = url, login

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Call REST and return the response as JSON; for a list, its first page."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Token {self.login['token']}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}api/{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            document = json.loads(answer.read() or b"null")
        return document["results"] if isinstance(document, dict) and "results" in document else document

    def fetch_cookie(self) -> str:
        """Log in as a person does, and return the session cookie."""
        jar = CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        opener.open(f"{self.url}login/", timeout=30).read()
        token = next(item.value for item in jar if item.name == "csrftoken")
        form = {"username": self.login["username"], "password": self.login["password"]}
        body = urllib.parse.urlencode({**form, "csrfmiddlewaretoken": token or ""}).encode()
        opener.open(urllib.request.Request(f"{self.url}login/", body, {"Referer": self.url}), timeout=30)
        return "; ".join(f"{item.name}={item.value}" for item in jar)


def run(client: Client, plan: int, placement: str) -> tuple[float, float]:
    """Run the plan; return the seconds until the first and the last node have published something."""
    started, first, at = time.monotonic(), 0.0, time.time_ns() // 1000
    client.call("POST", f"plans/{plan}/run/", {"placement": placement})
    while time.monotonic() - started < MAX_WAIT_S:
        nodes = client.call("GET", f"nodes/?plan={plan}")
        done_count = sum((node["as_of"] or 0) > at for node in nodes)
        first = first or (time.monotonic() - started if done_count else 0.0)
        if nodes and done_count == len(nodes):
            return first, time.monotonic() - started
        time.sleep(0.2)
    raise SystemExit("not every node had a result in time")


async def measure_delays(client: Client, digest: str) -> list[float]:
    """Return the seconds from pushing an event of a new key to the message with its change, `PROBES` times."""
    address = f"{client.url.replace('http', 'ws', 1)}ws/live/"
    headers = {"Cookie": client.fetch_cookie(), "Origin": client.url.rstrip("/")}
    delays = []
    async with websockets.connect(address, additional_headers=headers) as socket:
        for number in range(PROBES):
            key = f"probe-{number}"
            await socket.send(
                json.dumps({"type": "subscribe", "id": key, "node": digest, "key": key, "from": None})
            )
            now = time.time()
            event = {"session_id": key, "t": int(now * 1000), "event_id": key, "player_state": "play"}
            await asyncio.to_thread(client.call, "POST", "streams/player/events/", [event])
            while True:
                async with asyncio.timeout(MAX_WAIT_S):
                    message = json.loads(await socket.recv())
                if message.get("id") == key and message["type"] == "revision":
                    break
            delays.append(time.time() - now)
            await socket.send(json.dumps({"type": "unsubscribe", "id": key}))
            await asyncio.sleep(0.37)
    return delays


def measure_peeks(client: Client, digest: str) -> list[float]:
    """Return the seconds for the whole timeline of a key over REST."""
    keys = [item["key"] for item in client.call("GET", f"nodes/{digest}/keys/?limit=50")]
    durations = []
    for number in range(PEEKS):
        started = time.perf_counter()
        client.call("GET", f"nodes/{digest}/timeline/?key={keys[number % len(keys)]}")
        durations.append(time.perf_counter() - started)
    return durations


PROGRAMS = {
    "redis": "redis-server",
    "web": "uvicorn",
    "worker": "-A workers worker",
    "beat": "-A workers beat",
    "publisher": "workers.engine.publisher",
    "intake": "workers.connectors.intake",
    "delivery": "workers.connectors.delivery",
    "simulator": "manage.py simulate",
    "spark_python": "pyspark",
    "spark": "SparkConnectServer",
    "supervisord": "workers.stack.watcher",
}
"""A word of the command line of each part; Spark's Python processes match none of those before."""


def identify_program(process: psutil.Process) -> str:
    """Return the part of the product that a process belongs to."""
    line = " ".join(process.cmdline())
    if "SparkConnectServer" in line:
        return "spark"
    return next((name for name, words in PROGRAMS.items() if words in line), "other")


def measure_usage(identity: str) -> dict[str, Any]:
    """Return the memory in MB (shared pages counted once) and the cores in use, of all processes and of each part."""
    processes = {process.pid: (identify_program(process), process) for process in list_marked(identity)}
    memory: defaultdict[str, float] = defaultdict(float)
    for name, process in processes.values():
        with suppress(psutil.NoSuchProcess):
            memory[name] += process.memory_full_info().pss / 1e6
    before = {pid: sum(process.cpu_times()[:2]) for pid, (_, process) in processes.items()}
    time.sleep(CPU_SECONDS)
    cores: defaultdict[str, float] = defaultdict(float)
    for process in list_marked(identity):
        with suppress(psutil.NoSuchProcess):
            spent = sum(process.cpu_times()[:2]) - before.get(process.pid, 0.0)
            cores[identify_program(process)] += spent / CPU_SECONDS
    usage = {name: {"mb": round(memory[name]), "cores": round(cores[name], 3)} for name in sorted(memory)}
    return {
        "memory_mb": round(sum(memory.values())),
        "cores_used": round(sum(cores.values()), 2),
        "parts": usage,
    }


def measure_at_rest(stack: Stack) -> dict[str, Any]:
    """Measure the same while no events come."""
    simulator = psutil.Process(stack.pids()["simulator"])
    simulator.suspend()
    try:
        time.sleep(20)
        return measure_usage(stack.layout.identity)
    finally:
        simulator.resume()


def format_quantiles(name: str, seconds: list[float]) -> dict[str, float]:
    """Return p50 and p95 in milliseconds."""
    return {f"{name}_p{q}_ms": round(float(np.percentile(seconds, q)) * 1000, 1) for q in (50, 95)}


def build_changed_plan(document: Any, placement: str) -> Any:
    """Return a plan of the same shape that shares only the two latest states with the given one."""
    text = json.dumps(document)
    seconds, play, buffer = {"isolated": ("7s", "pause", "play"), "together": ("8s", "stop", "pause")}[
        placement
    ]
    for old, new in (("5s", seconds), ('== \\"play', f'== \\"{play}'), ("buffer", buffer)):
        text = text.replace(old, new)
    return json.loads(text)


def measure_start(client: Client, plan: dict[str, Any], placement: str) -> dict[str, float]:
    """Run another plan of nine nodes, two of which run already, and stop it again."""
    other = client.call(
        "POST", "plans/", {"name": placement, "document": build_changed_plan(plan["document"], placement)}
    )
    client.call("POST", f"plans/{plan['id']}/stop/")
    time.sleep(8)
    first, last = run(client, other["id"], placement)
    client.call("DELETE", f"plans/{other['id']}/")
    print_progress(f"{placement}: first result after {first:.1f} s, all after {last:.1f} s")
    return {"first_result_s": round(first, 1), "all_results_s": round(last, 1)}


def measure_steady(client: Client, stack: Stack, plan: int) -> dict[str, Any]:
    """Measure a running plan: event to page, peek, memory, CPU."""
    time.sleep(WARM_UP)
    digest = {item["name"]: item["digest"] for item in client.call("GET", f"plans/{plan}/")["nodes"]}
    page = format_quantiles("event_to_page", asyncio.run(measure_delays(client, digest["played"])))
    print_progress(f"event to page {page}")
    figures = {
        **page,
        **format_quantiles("peek", measure_peeks(client, digest["cirr"])),
        **measure_usage(stack.layout.identity),
    }
    print_progress(f"{figures['cores_used']} cores, {figures['memory_mb']} MB")
    idle = measure_at_rest(stack)
    print_progress(f"without events {idle['cores_used']} cores")
    return {**figures, "idle": idle}


def measure(stack: Stack, data: Path) -> dict[str, Any]:
    """Measure all placements while the demo streams."""
    client = Client(stack.url, json.loads((data / "demo-login").read_text()))
    plan = client.call("GET", "plans/")[0]
    while any(not node["counters"]["revisions"] for node in client.call("GET", f"nodes/?plan={plan['id']}")):
        time.sleep(0.5)
    client.call("POST", f"plans/{plan['id']}/stop/")
    time.sleep(15)
    figures: dict[str, Any] = {"nothing_runs": measure_at_rest(stack)}
    print_progress(f"nothing runs: {figures['nothing_runs']['cores_used']} cores")
    run(client, plan["id"], "isolated")
    for placement in ("isolated", "together"):
        figures[placement] = measure_start(client, plan, placement)
        first, last = run(client, plan["id"], placement)
        print_progress(
            f"{placement}: the demo is back, first result after {first:.1f} s, all after {last:.1f} s"
        )
        figures[placement] |= measure_steady(client, stack, plan["id"])
    print_progress("switching while it runs")
    client.call("POST", f"plans/{plan['id']}/run/", {"placement": "isolated"})
    time.sleep(WARM_UP)
    _, figures["switch_s"] = run(client, plan["id"], "together")
    return figures


def main() -> None:
    exit_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        data = Path(folder)
        stack = Stack(data, demo=True)
        started = time.monotonic()
        stack.start()
        try:
            up = time.monotonic() - started
            print_progress(f"up after {up:.1f} s")
            figures = {"up_s": round(up, 1), **measure(stack, data)}
        finally:
            stack.stop()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
