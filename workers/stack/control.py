"""Runs supervisord as a child, and talks to it over its socket."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
import xmlrpc.client  # nosec B411
from contextlib import closing
from typing import Any

from supervisor.xmlrpc import SupervisorTransport

from workers.stack.layout import ROOT, Layout


class Supervisord:
    """The supervisord process, which watches all others."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and with it the base processes."""
        configuration = self._layout.write()
        self._layout.socket.unlink(missing_ok=True)
        with (self._layout.logs / "supervisord.out").open("wb") as out:
            self._process = subprocess.Popen(  # nosec B603
                [sys.executable, "-m", "workers.stack.watcher", "-n", "-c", str(configuration)],
                cwd=ROOT,
                env=self._layout.environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,  # the terminal's Ctrl-C is for the runner alone
            )

    def lives(self) -> bool:
        """Return whether it runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """Return its process id while it runs."""
        return self._process.pid if self._process and self.lives() else None

    def answers(self) -> bool:
        """Return whether it answers over its socket."""
        try:
            self.processes()
        except (OSError, http.client.HTTPException):
            return False
        return True

    def processes(self) -> dict[str, dict[str, Any]]:
        """Return state, process id and last exit of each process, by name."""
        return {str(process["name"]): process for process in self._call("getAllProcessInfo")}

    def start_group(self, group: str) -> None:
        """Start the processes of a group without waiting for them."""
        self._call("startProcessGroup", group, False)

    def start_again(self, group: str, name: str) -> None:
        """Start a process that supervisord has given up."""
        self._call("startProcess", f"{group}:{name}", False)

    def stop(self, patience: float) -> None:
        """Stop everything, the app before the base, and wait for it up to `patience` seconds."""
        if self._process is None:
            return
        self._process.terminate()
        deadline = time.monotonic() + patience
        while self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _call(self, method: str, *arguments: object) -> Any:
        with closing(SupervisorTransport(None, None, f"unix://{self._layout.socket}")) as transport:
            server = xmlrpc.client.ServerProxy("http://stack", transport=transport)
            return getattr(server.supervisor, method)(*arguments)
