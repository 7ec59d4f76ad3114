"""The product from outside: its REST door, its users, its Spark queries, and what is true of events."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browser.shell import run_in_django
from timeline_app.evaluate.engine import iterate_answers
from timeline_app.evaluate.request import read_events, read_plan
from workers.stack import Stack
from workers.stack.layout import ROOT

Event = dict[str, Any]
Document = dict[str, Any]
Rows = list[list[Any]]
Truth = dict[str, dict[str, Rows]]

PASSWORD = "a pass phrase for tests"
STREAM: Document = {
    "key": "session_id",
    "time": "t",
    "unit": "ms",
    "id": "event_id",
    "fields": {"player_state": "text", "user_action": "text", "cdn": "text"},
    "allowed_lateness": "30s",
    "retention": "7d",
}


def build_leaf(op: str, stream: str, **params: str) -> Document:
    return {"op": op, "stream": stream, "params": params}


def build_rebuffering(stream: str) -> Document:
    """Connection-induced rebuffering, summed by network: nine nodes."""
    cirr = {"op": "duration_where", "inputs": {"of": "induced"}}
    by_cdn = {"op": "aggregate", "inputs": {"of": "cirr", "by": "cdn"}, "params": {"function": "sum"}}
    nodes = {
        "played": build_leaf("has_existed", stream, where='player_state == "play"'),
        "seeking": build_leaf("has_existed_within", stream, where='user_action == "seek"', duration="5s"),
        "state": build_leaf("latest_event_to_state", stream, field="player_state"),
        "cdn": build_leaf("latest_event_to_state", stream, field="cdn"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
        "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
        "induced": {"op": "and", "inputs": {"of": ["played", "calm", "buffering"]}},
        "cirr": cirr,
        "cirr_by_cdn": by_cdn,
    }
    return {"version": 1, "name": "Rebuffering", "nodes": nodes, "results": ["cirr_by_cdn"]}


@dataclass(frozen=True)
class Api:
    """The REST door, for one user."""

    url: str
    token: str

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call; an answer that is no success raises `urllib.error.HTTPError`."""
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}api/{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def get(self, path: str, **query: Any) -> Any:
        """What is there; of a list its first page."""
        answer = self.call("GET", f"{path}?{urllib.parse.urlencode(query)}" if query else path)
        return answer["results"] if isinstance(answer, dict) and "results" in answer else answer

    def declare(self, stream: str) -> None:
        self.call("POST", "streams/", {"name": stream, **STREAM})

    def push(self, stream: str, events: Sequence[Event]) -> None:
        assert self.call("POST", f"streams/{stream}/events/", events)["taken"] == len(events)

    def add_plan(self, document: Document) -> Any:
        return self.call("POST", "plans/", {"name": document["name"], "document": document})

    def run(self, plan: int) -> Any:
        return self.call("POST", f"plans/{plan}/run/", {"placement": "isolated"})

    def stop(self, plan: int) -> Any:
        return self.call("POST", f"plans/{plan}/stop/", {})

    def digests(self, plan: int) -> dict[str, str]:
        """The digests of a running plan's nodes by name."""
        return {node["name"]: node["digest"] for node in self.get(f"plans/{plan}/")["nodes"]}

    def observed(self, digest: str) -> str:
        return str(self.get(f"nodes/{digest}/")["status"]["observed"])

    def keys(self, digest: str) -> set[str]:
        return {item["key"] for item in self.get(f"nodes/{digest}/keys/", limit=1000)}

    def timeline(self, digest: str, key: str) -> Rows:
        return build_rows(self.get(f"nodes/{digest}/timeline/", key=key)["points"])


def add_user(stack: Stack, name: str, staff: bool = False, streams: Sequence[str] = ()) -> Api:
    """A user, as an administrator would add one; and that user's own token; it declares these streams."""
    make = "create_superuser" if staff else "create_user"
    scopes = "admin" if staff else "read,write,events,operate"
    code = (
        "from django.contrib.auth.models import User\n"
        "from django.core.management import call_command\n"
        f"User.objects.{make}({name!r}, password={PASSWORD!r})\n"
        f"call_command('token', {name!r}, 'tests', '--scopes', {scopes!r})\n"
    )
    output = run_in_django(stack, code)
    user = Api(stack.url, output.split()[-1])
    for stream in streams:
        user.declare(stream)
    return user


def ask_patiently(ask: Callable[[], bool]) -> bool:
    """The answer, or no, while nobody answers."""
    try:
        return ask()
    except urllib.error.HTTPError as answer:
        if answer.code not in (404, 500, 502, 503):
            raise
        return False
    except OSError:
        return False


def list_spark_queries(stack: Stack) -> list[tuple[str, str, str]]:
    """The queries that Spark itself says it runs: name, query id, run id."""
    remote, owner = f"sc://127.0.0.1:{stack.layout.spark_port}", str(stack.layout.data)
    code = (
        "import json\n"
        "from workers.spark.connect.session import get_session\n"
        f"spark = get_session({remote!r}, {owner!r})\n"
        "print(json.dumps([(q.name, str(q.id), str(q.runId)) for q in spark.streams.active]))\n"
    )
    return sorted((name, query, run) for name, query, run in json.loads(run_python(stack, "-c", code)))


def run_python(stack: Stack, *arguments: str) -> str:
    command, environment = [sys.executable, *arguments], stack.layout.environment()
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr[-2000:]
    return process.stdout


def evaluate_truth(document: Document, streams: Mapping[str, Sequence[Event]], folder: Path) -> Truth:
    """What `manage.py evaluate` answers for these events: rows of points by node and key."""
    plan = folder / "plan.json"
    plan.write_text(json.dumps({**document, "streams": dict.fromkeys(streams, STREAM)}))
    compiled = read_plan(str(plan))
    files = {name: folder / f"{name}.jsonl" for name in streams}
    for name, events in streams.items():
        files[name].write_text("".join(json.dumps(event) + "\n" for event in events))
    truth: Truth = {}
    batches = read_events(compiled, [f"{name}={file}" for name, file in files.items()])
    for answer in iterate_answers(compiled, batches, [], [], None):
        truth.setdefault(answer["node"], {})[answer["key"]] = build_rows(answer["points"])
    return truth


def build_rows(points: Iterable[Mapping[str, Any]]) -> Rows:
    """Points as rows: `[t, value]`, for numbers `[t, value, slope]`."""
    return [[point[name] for name in ("t", "value", "slope") if name in point] for point in points]


def is_alike(left: Any, right: Any) -> bool:
    """Equal, but for the last bits of a number that the page has moved along its slope."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(is_alike(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, float) or isinstance(right, float):
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        return numbers and math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return type(left) is type(right) and bool(left == right)


def wait_until(
    true: Callable[[], object],
    seconds: float,
    pause: Callable[[float], object] = time.sleep,
    words: Callable[[], object] = lambda: "it did not come true",
) -> None:
    """Look until it is true; `words` say what is wrong when it does not become so."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"after {seconds:.0f} s: {words()}"
        pause(0.2)
