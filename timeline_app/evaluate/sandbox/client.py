"""The side that asks: starts the fork server, sends work, reads a bounded answer."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from timeline_app.evaluate.sandbox.limits import LimitExceeded, Limits
from timeline_app.evaluate.sandbox.messages import JobMessage, Truncated

log = logging.getLogger(__name__)
CHECKED_EVERY_S = 0.1
GRACE_S = 5.0
"""The fork server keeps the wall clock; one that has not ended a child by so much later is not there any more."""
_CHUNK_BYTES = 1 << 20
_PASSED_VARIABLES = (
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "TIMELINE_OPERATORS",
)
"""The environment of a child: no secrets, no addresses."""
# One thread each, and the allocator of the system: the limit of memory counts address space, of which pools of threads
# and arenas take gigabytes without using them.
_LEAN = {
    "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
}  # fmt: skip


class Interrupted(Exception):
    """Another process killed the fork server or a child; the work can be sent again."""


class Cancelled(Exception):
    """The client no longer waits for the answer; the child was ended."""


class ChildFailed(RuntimeError):
    """A child ended by a fault of ours, which it wrote to the log."""


class _ServerLost(Exception):
    """The fork server is not there any more."""


class _ServerStuck(_ServerLost):
    """The fork server is there, and does not keep the wall clock."""


class Sandbox:
    """A fork server, `python -m MODULE`, and the work that is sent to it; used by many threads at once."""

    def __init__(self, module: str) -> None:
        self.module = module
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The process of the fork server, while there is one."""
        server = self._server
        return server.pid if server is not None and server.poll() is None else None

    def start(self) -> None:
        """Start the fork server, unless it runs: it takes a third of a second until it can work."""
        with self._lock:
            self._started()

    def run(
        self, job: str, message: JobMessage, limits: Limits, is_cancelled: Callable[[], bool] = lambda: False
    ) -> JobMessage:
        """Work in a child; raises `LimitExceeded`, `Cancelled`, `Interrupted`.

        Where the fork server was killed, the work is sent once more to a new one.
        """
        request = JobMessage([job, message.header], message.blobs).encode()
        for _ in range(2):
            try:
                return _Call(request, limits, is_cancelled).through(self._send)
            except _ServerLost as lost:
                log.warning("the fork server is gone, a new one is started")
                if isinstance(lost, _ServerStuck):
                    self.stop()
        raise Interrupted("the process that computes it was ended twice")

    def stop(self) -> None:
        """End the fork server and its children."""
        with self._lock:
            self._close()

    def _send(self, limits: Limits, handles: Sequence[int]) -> None:
        with self._lock:
            try:
                socket.send_fds(self._started(), [limits.pack()], handles)
            except OSError:  # it was killed a moment ago
                self._close()
                socket.send_fds(self._started(), [limits.pack()], handles)

    def _started(self) -> socket.socket:
        if self._control is not None and self.pid is not None:
            return self._control
        self._close()
        own_end, child_end = socket.socketpair()
        with child_end:
            self._server = subprocess.Popen(  # nosec B603 (a list, of our own words)
                [sys.executable, "-m", self.module, str(child_end.fileno())],
                pass_fds=[child_end.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_build_environment(),
                umask=0o077,
                start_new_session=True,
            )
        self._control = own_end
        return own_end

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._server.wait(GRACE_S)
            if self._server.poll() is None:
                self._server.kill()
                self._server.wait()
        self._control = self._server = None


class _Call:
    """One piece of work under way."""

    def __init__(self, request: list[bytes], limits: Limits, is_cancelled: Callable[[], bool]) -> None:
        self.limits, self.is_cancelled = limits, is_cancelled
        self._out = deque(memoryview(part) for part in request)
        self._in, self._verdict = bytearray(), bytearray()

    def through(self, send: Callable[[Limits, Sequence[int]], None]) -> JobMessage:
        """Send it, wait, read the answer."""
        data, their_data = socket.socketpair()
        watch, their_watch = socket.socketpair()
        with data, watch:
            with their_data, their_watch:
                send(self.limits, [their_data.fileno(), their_watch.fileno()])
            for side in (data, watch):
                side.setblocking(False)
            self._exchange(data, watch)
        return self._judge()

    def _exchange(self, data: socket.socket, watch: socket.socket) -> None:
        until, open_ones = time.monotonic() + self.limits.time + GRACE_S, {data, watch}
        while open_ones:
            writing = [data] if self._out and data in open_ones else []
            readable, writable = _select_ready(list(open_ones), writing)
            if self.is_cancelled():
                raise Cancelled
            if time.monotonic() > until:
                raise _ServerStuck
            if writable:
                self._write(data)
            for side in readable:
                if not self._read(side, self._in if side is data else self._verdict):
                    open_ones.discard(side)
            if len(self._in) > self.limits.answer + _CHUNK_BYTES:
                raise LimitExceeded("answer", self.limits)

    def _write(self, data: socket.socket) -> None:
        try:
            sent = data.send(self._out[0][:_CHUNK_BYTES])
        except BlockingIOError:
            return
        except OSError:
            self._out.clear()  # the child has ended; the verdict says why
            return
        self._out[0] = self._out[0][sent:]
        while self._out and not self._out[0]:
            self._out.popleft()
        if not self._out:
            with contextlib.suppress(OSError):
                data.shutdown(socket.SHUT_WR)

    def _read(self, side: socket.socket, into: bytearray) -> bool:
        try:
            chunk = side.recv(_CHUNK_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        into += chunk
        return bool(chunk)

    def _judge(self) -> JobMessage:
        """Return the answer, or the reason why there is none."""
        if not self._verdict:
            raise _ServerLost
        verdict: dict[str, Any] = json.loads(bytes(self._verdict))
        if verdict["limit"]:
            raise LimitExceeded(verdict["limit"], self.limits)
        if verdict["signal"]:
            raise Interrupted(f"the process that computes it was ended by signal {verdict['signal']}")
        try:
            answer = JobMessage.decode(bytes(self._in))
        except Truncated:
            raise ChildFailed(f"a child ended with code {verdict['code']} and no answer") from None
        if "limit" in answer.header:
            raise LimitExceeded(answer.header["limit"], self.limits)
        return JobMessage(answer.header["answer"], answer.blobs)


def _select_ready(
    reading: list[socket.socket], writing: list[socket.socket]
) -> tuple[list[socket.socket], list[socket.socket]]:
    """Return what can be read and what can be written, after a moment at most; handles may be larger than 1,024."""
    poll, by_handle = select.poll(), {side.fileno(): side for side in reading}
    for side in reading:
        poll.register(side, select.POLLIN | (select.POLLOUT if side in writing else 0))
    ready = [(by_handle[handle], event) for handle, event in poll.poll(CHECKED_EVERY_S * 1_000)]
    readable = [side for side, event in ready if event & ~select.POLLOUT]
    return readable, [side for side, event in ready if event & select.POLLOUT]


def _build_environment() -> dict[str, str]:
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED_VARIABLES or name.startswith(("LC_", "PYTHON"))
    }
    root = str(Path(__file__).parents[3])
    path = os.pathsep.join(dict.fromkeys([root, *filter(None, [passed.get("PYTHONPATH")])]))
    return {**passed, **_LEAN, "PYTHONPATH": path}
