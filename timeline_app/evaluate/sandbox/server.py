"""The fork server: one thread, which forks a child for each piece of work, and watches over the children."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass

from timeline_app.evaluate.sandbox.child import run_child
from timeline_app.evaluate.sandbox.limits import LIMITS_SIZE, Limits, limit_met
from timeline_app.evaluate.sandbox.messages import Job


@dataclass(slots=True)
class Child:
    """A working child. The client closes `watch` when it no longer wants the answer."""

    pid: int
    handle: int
    watch: socket.socket
    limits: Limits
    until: float
    killed_for: str = ""


class ForkServer:
    """Serves the process at the other end of `control`, and ends with it."""

    def __init__(self, jobs: Mapping[str, Job], control: socket.socket) -> None:
        self.jobs, self.control = jobs, control
        self.selector = selectors.DefaultSelector()
        self.children: dict[int, Child] = {}
        self.selector.register(control, selectors.EVENT_READ, None)

    def serve(self) -> None:
        """Serve until no client can send requests; then end the remaining children."""
        # Ctrl-C must not stop a server that others use; it ends with the process that started it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.collect()
        gc.freeze()
        while self._step():
            pass
        for child in self.children.values():
            self._kill(child, "gone")

    def _step(self) -> bool:
        soonest = min((child.until for child in self._alive()), default=None)
        wait = None if soonest is None else max(0.0, soonest - time.monotonic())
        for key, _ in self.selector.select(wait):
            child: Child | None = key.data
            if child is None:
                if not self._accept():
                    return False
            elif key.fileobj == child.handle:
                self._bury(child)
            elif child.pid in self.children:
                # The client has gone.
                self._kill(child, "gone")
                self.selector.unregister(child.watch)
        for child in self._alive():
            if child.until <= time.monotonic():
                self._kill(child, "time")
        return True

    def _alive(self) -> list[Child]:
        """Return the children that have not been killed."""
        return [child for child in self.children.values() if not child.killed_for]

    def _accept(self) -> bool:
        """Fork a child for a request; return False where no further request can come."""
        data, handles, _, _ = socket.recv_fds(self.control, LIMITS_SIZE, 2)
        if len(data) < LIMITS_SIZE or len(handles) != 2:
            return False
        request, watch = (socket.socket(fileno=handle) for handle in handles)
        limits, server = Limits.unpack(data), os.getpid()
        pid = os.fork()
        if pid == 0:
            _keep_only(request.fileno())
            run_child(self.jobs, request, limits, server)
        request.close()
        child = Child(pid, os.pidfd_open(pid), watch, limits, time.monotonic() + limits.time)
        self.children[pid] = child
        self.selector.register(child.handle, selectors.EVENT_READ, child)
        self.selector.register(watch, selectors.EVENT_READ, child)
        return True

    def _kill(self, child: Child, why: str) -> None:
        child.killed_for = child.killed_for or why
        signal.pidfd_send_signal(child.handle, signal.SIGKILL)

    def _bury(self, child: Child) -> None:
        """Take the exit status of a child, and tell it to who asked."""
        _, status, usage = os.wait4(child.pid, 0)
        died_of = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        processor = usage.ru_utime + usage.ru_stime
        verdict = {
            "limit": limit_met(died_of, processor, child.limits, child.killed_for),
            "signal": died_of,
            "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        }
        del self.children[child.pid]
        self.selector.unregister(child.handle)
        os.close(child.handle)
        if child.watch in self.selector.get_map():
            self.selector.unregister(child.watch)
        with contextlib.suppress(OSError):  # the client may have gone
            child.watch.sendall(json.dumps(verdict).encode())
        child.watch.close()


def _keep_only(handle: int) -> None:
    """Close every other file but the standard ones: a child sees neither the server's sockets nor its siblings'."""
    os.closerange(3, handle)
    os.closerange(handle + 1, os.sysconf("SC_OPEN_MAX"))
