"""Quick health checks of each part of a running stack."""

from __future__ import annotations

import json
import re
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

from timeline_app.demos import load_demos

TIMEOUT_S = 2.0
OWNER = "demo"
"""The user who owns the demo plans."""
URGENCY = ("failed", "retrying", "starting", "stopping", "stopped")
TO_HTTP, TO_HTTP2, TO_REDIS = (
    b"HEAD / HTTP/1.0\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
    b"PING\r\n",
)
"""Greetings: of HTTP, of HTTP/2 (RFC 9113, 3.4: the preface and an empty SETTINGS frame), of Redis."""


def find_free_port(preferred: int = 0) -> int:
    """Return the preferred port of 127.0.0.1 when it is free, else any free one."""
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind(("127.0.0.1", preferred))
        except OSError:
            door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def is_port_open(port: int) -> bool:
    """Return whether something listens on a port of 127.0.0.1."""
    try:
        with socket.create_connection(("127.0.0.1", port), TIMEOUT_S):
            return True
    except OSError:
        return False


def connect(door: int | Path) -> socket.socket:
    """Connect to a port of 127.0.0.1 or to a Unix socket."""
    if isinstance(door, int):
        return socket.create_connection(("127.0.0.1", door), TIMEOUT_S)
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(TIMEOUT_S)
    try:
        line.connect(str(door))
    except OSError:
        line.close()
        raise
    return line


class Line:
    """Checks that a process answers a greeting; an open port alone only shows that the kernel accepts.

    A late answer is not asked for again: the next call checks whether it has come. So a slow process answers late,
    and only a hung one never does.
    """

    def __init__(self, door: int | Path, greeting: bytes) -> None:
        self._door, self._greeting = door, greeting
        self._open: socket.socket | None = None

    def __call__(self) -> bool:
        """Return whether an answer has come, within `TIMEOUT_S`."""
        try:
            if self._open is None:
                self._open = connect(self._door)
                self._open.sendall(self._greeting)
            answered = bool(self._open.recv(1))
        except TimeoutError:
            return False
        except OSError:
            answered = False
        if self._open is not None:
            self._open.close()
            self._open = None
        return answered


class Grown:
    """Checks whether a file has changed its length since the last call."""

    def __init__(self, path: Path) -> None:
        self._path, self._bytes = path, -1

    def __call__(self) -> bool:
        """Return whether it has; False at the first call."""
        try:
            now = self._path.stat().st_size
        except OSError:
            return False
        before, self._bytes = self._bytes, now
        return before not in (-1, now)


def is_redis_up(door: int | Path) -> bool:
    """Return whether Redis answers a PING."""
    try:
        with connect(door) as line:
            line.sendall(b"PING\r\n")
            return line.recv(64).startswith(b"+PONG")
    except OSError:
        return False


def is_web_up(url: str, identity: str = "") -> bool:
    """Return whether the web server, its database and its Redis are healthy.

    With `identity`, they must also belong to this stack.
    """
    answer = _get(f"{url}readyz?only=database,migrations,redis")
    if not isinstance(answer, dict) or answer.get("status") != "ready":
        return False
    return not identity or answer.get("stack") == identity


def read_login(data: Path) -> dict[str, str]:
    """Read the demo login; empty when there is none."""
    try:
        login = json.loads((data / "demo-login").read_text())
    except (OSError, ValueError):
        return {}
    return {str(name): str(value) for name, value in login.items()}


def load_statuses(url: str, token: str) -> list[dict[str, Any]]:
    """Return the status of every node of the running demo plan; none when the web server does not answer.

    That is the plan of that name; where it was renamed, the oldest plan that the demo user runs.
    """
    names = {plan["name"] for demo in load_demos().values() if demo.runs for plan in demo.plans.values()}
    plans = _load_results(f"{url}api/plans/?owner={OWNER}", token)
    running = sorted((plan["name"] not in names, plan["id"]) for plan in plans if plan["running"])
    nodes = _load_results(f"{url}api/nodes/?plan={running[0][1]}", token) if running else []
    return [node["status"] for node in nodes]


class Demo(NamedTuple):
    """The numbers of nodes that have made progress and that should run, and a description."""

    runs: int
    of: int
    words: str

    @property
    def counted(self) -> str:
        """Describe how many nodes run, of how many."""
        if self.runs == self.of:
            return f"{self.of} node{'' if self.of == 1 else 's'} run{'s' if self.of == 1 else ''}"
        return f"{self.runs} of {self.of} nodes run{'s' if self.runs == 1 else ''}"


def inspect_demo(url: str, token: str, since: float) -> Demo:
    """Count the demo's nodes that run and have made progress since `since` (epoch seconds); describe the state."""
    statuses = load_statuses(url, token)
    running = [
        status for status in statuses if status["desired"] == "running" and status["observed"] != "failed"
    ]
    runs = [
        status
        for status in running
        if status["observed"] == "running" and (status["last_progress"] or 0) > since * 1e6
    ]
    # As on the pages: what keeps it from running comes first.
    described = sorted(
        (status for status in statuses if status["words"]),
        key=lambda status: _rank_urgency(status["observed"]),
    )
    return Demo(len(runs), len(running), described[0]["words"] if described else "")


def _rank_urgency(observed: str) -> int:
    return URGENCY.index(observed) if observed in URGENCY else len(URGENCY)


def describe_preparation(log: Path) -> str:
    """Describe the current step, from the last line that the database preparation printed."""
    try:
        lines = log.read_text(errors="replace").split("\n")
    except OSError:
        return ""
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    migration = re.match(r"Applying (\S+?)\.\.\.", last)
    return f"making tables: {migration[1]}" if migration else last


def _load_results(url: str, token: str) -> list[dict[str, Any]]:
    """Return the first page of a list, which is enough for the demo; empty without an answer."""
    answer = _get(url, token)
    return list(answer.get("results", [])) if isinstance(answer, dict) else []


def _get(url: str, token: str | None = None) -> Any:
    headers = {"Authorization": f"Token {token}"} if token else {}
    request = urllib.request.Request(url, headers={"Accept": "application/json", **headers})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310  # nosec B310
            return json.load(answer)
    except (OSError, ValueError, urllib.error.URLError):
        return None
