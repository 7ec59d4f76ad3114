"""The stack that `make run`, the tests and the benchmarks start."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import xmlrpc.client  # nosec B411
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from timeline_app.private_files import close_folder, set_umask
from workers.stack import health
from workers.stack.control import Supervisord
from workers.stack.hold import Hold
from workers.stack.layout import ROOT, Layout
from workers.stack.processes import end_all
from workers.stack.silence import Silences

PREFERRED_WEB_PORT = 8000
CHOOSE = 'choose another one by make run ARGS="--port N"'
REPORT_EVERY_S = 5.0
START_TIMEOUT_S = 180.0
"""For each part."""
DEMO_REPORTED_FOR_S = 1200.0
"""After this long, the end of the demo's start is not reported any more."""
DEMO_CHECK_EVERY_S = 5.0
DEMO_REPORT_EVERY_S = 180.0
MIN_SUPERVISORD_LIFE_S = 300.0
"""Where supervisord ends again within this time, a restart does not help."""


class StackError(Exception):
    """The stack cannot start or go on. The message names the part, and shows the end of its log."""


class WatcherEnded(StackError):
    """Supervisord ended without being asked to."""


class NotReady(StackError):
    """Something did not become ready in time."""


class Stack:
    """Every process of the product on one machine, for one data directory.

    `tell` gets a line for everything that a person may want to follow. `spark` and `redis` are addresses of external
    services: then none is started.
    """

    def __init__(
        self,
        data: Path,
        demo: bool,
        port: int | None = None,
        tell: Callable[[str], None] = lambda _: None,
        *,
        engine: bool = True,
        spark: str = "",
        redis: str = "",
        shared: str = "",
    ) -> None:
        if set(str(data)) & set(";#%\n"):  # they mean something in supervisord's configuration
            raise StackError(f"the data directory {data} has a `;`, `#`, `%` or line break in its name")
        if port and health.find_free_port(port) != port:
            raise StackError(f"port {port} is taken by another program: {CHOOSE}, or leave it out")
        self._wanted_port = port
        web = port or health.find_free_port(PREFERRED_WEB_PORT)
        # Any port: two stacks that start at once would both find a preferred one free.
        spark_port = health.find_free_port()
        self.first_login: dict[str, str] = {}
        """The login of an administrator made by this start: shown once, and stored nowhere."""
        self.layout = Layout(data.resolve(), web, spark_port, demo, engine, spark, redis, shared)
        self._tell = tell
        self._hold = Hold(self.layout.home)
        self._supervisord = Supervisord(self.layout)
        self._seen: dict[str, int] = {}
        self._silences = Silences(self._questions(), signs=self._signs())
        self._began = time.monotonic()
        self._demo_is_late, self._demo_seen, self._demo_said = False, self._began, self._began
        self._killed: set[int] = set()
        self._died_at: float | None = None

    @property
    def url(self) -> str:
        """The address for the browser."""
        return self.layout.url

    def start(self, patience: float = START_TIMEOUT_S) -> None:
        """Start everything, and return when it is healthy. Raises AlreadyRunning or StackError."""
        set_umask()
        self.layout.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        for words in close_folder(self.layout.data):
            self._tell(f"  !  {words}")
        self._hold.take(self.url)
        self._began = time.monotonic()
        if self.layout.web_port != (self._wanted_port or PREFERRED_WEB_PORT):
            warning = f"port {PREFERRED_WEB_PORT} is taken by another program"
            self._tell(f"  !  {warning}; using {self.layout.web_port} ({CHOOSE})")
        self._bring_up(patience, "an earlier run had left")

    def _bring_up(self, patience: float, which: str) -> None:
        """End leftover processes (`which` describes them), and start everything."""
        try:
            if survivors := end_all(self.layout.identity):
                self._tell(f"  !  ended {survivors} processes that {which}")
            self._supervisord.start()
            self._prepare(patience)
            self._supervisord.start_group("app")
            if not self.layout.redis:
                self._wait("redis", lambda: health.is_redis_up(self.layout.redis_socket), patience)
            self._wait("web", lambda: health.is_web_up(self.url, self.layout.identity), patience)
            if self.layout.engine and not self.layout.spark:
                self._wait("spark", lambda: health.is_port_open(self.layout.spark_port), patience)
            self._seen = self.pids()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop everything, end what is left, and release the data directory. Without the lock, do nothing."""
        if not self._hold.held:
            return
        longest = sum(max(self._stop_seconds(group), default=0) for group in ("base", "app"))
        self._supervisord.stop(longest + 5.0)
        if survivors := end_all(self.layout.identity):
            self._tell(f"  !  ended {survivors} processes that did not stop by themselves")
        self._hold.give()

    def pids(self) -> dict[str, int]:
        """Return the id of each running process; empty when supervisord does not answer."""
        try:
            processes = self._supervisord.processes()
        except (OSError, http.client.HTTPException):
            return {}
        return {name: process["pid"] for name, process in processes.items() if process["pid"]}

    def kill(self, name: str) -> None:
        """Kill one process by SIGKILL, as a crash would."""
        os.kill(self.pids()[name], signal.SIGKILL)

    def tend(self) -> None:
        """Check once: report restarts, revive what was given up, kill what hangs. Raises StackError."""
        if not self._supervisord.lives():
            self._start_again()
            return
        try:
            processes = self._supervisord.processes()
        except (OSError, http.client.HTTPException):
            return
        for name, process in processes.items():
            if process["statename"] == "FATAL":
                self._tell(f"  !  {name} does not stay up (log: {self._log(name)}); trying again")
                self._revive(str(process["group"]), name)
            before, now = self._seen.get(name, 0), process["pid"]
            if now and before and now != before:
                self._tell(f"  !  {name} had ended and was restarted (process {before}, now {now})")
            self._seen[name] = now or before
        self._end_what_hangs({name: process["pid"] for name, process in processes.items()})
        self._tell_when_all_of_the_demo_runs()

    def _start_again(self) -> None:
        """Restart everything after supervisord was killed: its processes are orphans."""
        ended = f"supervisord ended by itself; its log: {self.layout.logs}/supervisord.log"
        if self._died_at is not None and time.monotonic() - self._died_at < MIN_SUPERVISORD_LIFE_S:
            raise StackError(
                f"{ended}; it was started again a moment ago: see what ends it (the system's log tells whether "
                "memory ran out), then `make run`"
            )
        self._died_at = time.monotonic()
        self._tell(f"  !  {ended}; starting all again")
        self._began = time.monotonic()
        self._bring_up(START_TIMEOUT_S, "it had watched")

    def wait_for_demo(self, patience: float = 120.0) -> bool:
        """Wait until a node of the demo plan runs; report it, and return whether one does."""
        demo = health.Demo(0, 0, "")

        def runs() -> bool:
            nonlocal demo
            demo = self._looks_at_demo()
            return demo.runs > 0

        try:
            self._wait("demo plan", runs, patience, lambda: demo.words, lambda: demo)
        except WatcherEnded:
            pass  # `tend` starts the stack again
        except NotReady:
            seconds, why = time.monotonic() - self._began, f" ({demo.words})" if demo.words else ""
            self._tell(f"  !  {seconds:.0f} s after the start the demo plan does not run yet{why}.")
            self._tell(
                "     It is tried again by itself, nothing is to be done; the product works meanwhile."
            )
            self._tell(f"     How it is: {self.url}nodes/   why: {self._log('worker')}, {self._log('spark')}")
        self._demo_is_late, self._demo_said = demo.runs == 0 or demo.runs < demo.of, time.monotonic()
        return demo.runs > 0

    def _tell_when_all_of_the_demo_runs(self) -> None:
        """Report when all of the demo runs; check only while somebody may wait for it."""
        now = time.monotonic()
        seconds = now - self._began
        if (
            not self._demo_is_late
            or seconds > DEMO_REPORTED_FOR_S
            or now - self._demo_seen < DEMO_CHECK_EVERY_S
        ):
            return
        self._demo_seen = now
        demo = self._looks_at_demo()
        if 0 < demo.runs == demo.of:
            self._demo_is_late = False
            self._tell(f"  ✓  demo plan, {demo.counted}, {seconds:.1f} s")
        elif now - self._demo_said >= DEMO_REPORT_EVERY_S:
            self._demo_said = now
            self._tell(f"  …  demo plan, {demo.counted}, {seconds:.0f} s  {demo.words}".rstrip())

    def _looks_at_demo(self) -> health.Demo:
        """Return how many nodes of the demo plan have made progress since the start, with a description."""
        token = health.read_login(self.layout.data).get("token", "")
        since = time.time() - (time.monotonic() - self._began)
        return health.inspect_demo(self.url, token, since)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _end_what_hangs(self, pids: Mapping[str, int]) -> None:
        """Kill what no longer answers, once each; report what is still starting."""
        for name, seconds in self._silences.hung(pids).items():
            if pids[name] not in self._killed and self.pids().get(name) == pids[name]:
                self._killed.add(pids[name])
                log = self._log(name)
                self._tell(f"  !  {name} has not answered for {seconds:.0f} s: killing it (log: {log})")
                with suppress(ProcessLookupError):
                    os.kill(pids[name], signal.SIGKILL)
        for name, seconds in self._silences.starting(pids).items():
            self._tell(f"  …  {name} is still starting, {seconds:.0f} s (log: {self._log(name)})")

    def _questions(self) -> dict[str, Callable[[], bool]]:
        """Return the check by which each process shows that it answers."""
        layout = self.layout
        greetings: dict[str, tuple[int | Path, bytes]] = {
            "redis": (layout.redis_socket, health.TO_REDIS),
            "web": (layout.web_port, health.TO_HTTP),
            "spark": (layout.spark_port, health.TO_HTTP2),
        }
        return {name: health.Line(*of) for name, of in greetings.items()}

    def _signs(self) -> dict[str, Callable[[], bool]]:
        """Return other signs of work: each request that the web server finishes adds a line to its log."""
        return {"web": health.Grown(self._log("web"))}

    def _prepare(self, patience: float) -> None:
        read, write = os.pipe()
        mode = ["--demo"] if self.layout.demo else ["--first", str(write)]
        command = [sys.executable, "-m", "workers.stack.prepare", *mode]
        with os.fdopen(read) as login_file, (self.layout.logs / "database.log").open("wb") as out:
            child = subprocess.Popen(  # nosec B603
                command,
                cwd=ROOT,
                env=self.layout.environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                pass_fds=(write,),
            )
            os.close(write)
            log = self._log("database")
            self._wait(
                "database", lambda: self._is_done(child), patience, lambda: health.describe_preparation(log)
            )
            self.first_login = json.loads(login_file.read() or "{}")
        while not self._supervisord.answers():
            if not self._supervisord.lives() or time.monotonic() - self._began > patience:
                raise StackError(f"supervisord did not start\n{self._tail('supervisord')}")
            time.sleep(0.05)

    def _is_done(self, preparation: subprocess.Popen[bytes]) -> bool:
        if preparation.poll():
            raise StackError(f"the database could not be prepared\n{self._tail('database')}")
        return preparation.returncode == 0

    def _wait(
        self,
        subject: str,
        ready: Callable[[], bool],
        patience: float,
        words: Callable[[], str] = lambda: "",
        find_end: Callable[[], health.Demo | None] = lambda: None,
    ) -> None:
        """Wait until `ready`.

        `words` describes the state meanwhile, `find_end` counts the demo's running nodes at the end.
        """
        started = last_message_at = time.monotonic()
        while not ready():
            now = time.monotonic()
            if not self._supervisord.lives():
                raise WatcherEnded(f"supervisord ended by itself\n{self._tail('supervisord')}")
            if now - started > patience:
                waited = f"{subject} is not ready {now - self._began:.0f} s after the start"
                raise NotReady(f"{waited}\n{self._tail(subject)}".rstrip())
            if now - last_message_at >= REPORT_EVERY_S:
                last_message_at = now
                detail = " ".join(words().split())
                self._tell(f"  …  {subject}, {now - self._began:.0f} s  {detail}".rstrip())
            time.sleep(0.1)
        demo, seconds = find_end(), time.monotonic() - self._began
        mark = "✓" if demo is None or demo.runs == demo.of else "…"
        counted = "" if demo is None else f", {demo.counted}"
        self._tell(f"  {mark}  {subject}{counted}, {seconds:.1f} s")

    def _revive(self, group: str, name: str) -> None:
        try:
            self._supervisord.start_again(group, name)
        except xmlrpc.client.Fault as fault:
            self._tell(f"  !  {name}: {fault.faultString}")

    def _stop_seconds(self, group: str) -> list[int]:
        return [program.stop_seconds for program in self.layout.programs() if program.group == group]

    def _log(self, name: str) -> Path:
        return self.layout.logs / f"{name}.log"

    def _tail(self, name: str) -> str:
        try:
            lines = self._log(name).read_text(errors="replace").splitlines()[-20:]
        except OSError:
            return ""
        return "\n".join(f"  | {line}" for line in lines)
