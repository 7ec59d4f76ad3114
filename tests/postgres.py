"""A PostgreSQL of one's own. `python -m tests.postgres ARGUMENTS` runs pytest on it."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import bootstrap
from tests.environment import ON
from workers.stack.health import find_free_port, is_port_open

TIMEOUT_S = 60.0
HASTY = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
"""For tests: what a power failure would lose is of no use to anybody."""


class NoServer(RuntimeError):
    """The server does not start: says why, and what to do."""


@contextmanager
def run_server(options: Sequence[str] = HASTY) -> Iterator[str]:
    """The address of a database on a server of its own, gone with its data afterwards; only reached from here.

    It sorts texts as people do in English, unlike SQLite, so that whoever relies on an order has to say which.
    """
    with Server(options) as new_server:
        yield new_server.url


class Server:
    """The same, to be killed and started again, on the same port with what it had."""

    def __init__(self, options: Sequence[str] = HASTY) -> None:
        """Nothing is started yet."""
        programs = bootstrap.postgres()
        if programs is None:
            hint = bootstrap.install_command("postgresql", "postgresql@17", "postgresql-server")
            raise NoServer(f"PostgreSQL {bootstrap.OLDEST_POSTGRES} or newer was not found; hint: {hint}")
        self._programs, self._options, self._account = programs, options, _choose_account()
        self._folder = Path(tempfile.mkdtemp(prefix="timelines-postgres-"))
        self.port, self.password = find_free_port(), secrets.token_hex(16)
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of its database."""
        return f"postgres://tests:{self.password}@127.0.0.1:{self.port}/postgres"

    def __enter__(self) -> Self:
        try:
            _make(self._programs, self._folder, self.password, self._account)
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start it, and wait until it listens."""
        settings = (
            f"port={self.port}",
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            *self._options,
        )
        command = [str(self._programs / "postgres"), "-D", str(self._folder / "data")]
        command += [part for setting in settings for part in ("-c", setting)]
        log = self._folder / "log"
        with log.open("ab") as sink:
            self._running = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
                **self._account,
            )
        _wait(self._running, self.port, log)
        programs = self._programs / "pg_isready"
        ready = [str(programs), "--quiet", "--host=127.0.0.1", f"--port={self.port}"]
        until = time.monotonic() + TIMEOUT_S
        while subprocess.run(ready, check=False).returncode:  # after a kill it first reads its log
            if time.monotonic() > until:
                raise NoServer(f"PostgreSQL is not ready:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End it by SIGKILL, with the processes that serve its connections."""
        if self._running is not None:
            group = self._running.pid
            os.killpg(group, signal.SIGKILL)
            self._end(signal.SIGKILL)
            until = time.monotonic() + TIMEOUT_S
            with suppress(ProcessLookupError):
                while True:  # as long as one of them is there, no other can start
                    os.killpg(group, 0)
                    if time.monotonic() > until:
                        raise NoServer(f"processes of the killed PostgreSQL ({group}) do not end")
                    time.sleep(0.05)

    def _end(self, how: signal.Signals) -> None:
        if self._running is not None:
            self._running.send_signal(how)
            self._running.wait()
            self._running = None


def _choose_account() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: who runs it then."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    name = "postgres" if "postgres" in names else "nobody"
    return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}


def _make(programs: Path, folder: Path, password: str, account: dict[str, Any]) -> None:
    """Make an empty server."""
    (folder / "password").write_text(password)
    (folder / "data").mkdir(mode=0o700)
    if account:
        for path in (folder, folder / "password", folder / "data"):
            shutil.chown(path, str(account["user"]))
    command = [
        str(programs / "initdb"),
        "-D",
        str(folder / "data"),
        "--username=tests",
        "--auth=scram-sha-256",
    ]
    command += [f"--pwfile={folder / 'password'}", "--no-sync", "--encoding=UTF8", "--locale=C"]
    command += ["--locale-provider=icu", "--icu-locale=en-GB"]
    made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, **account)
    if made.returncode:
        raise NoServer(f"initdb ended with {made.returncode}: {made.stderr[-2000:]}")


def _wait(running: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + TIMEOUT_S
    while not is_port_open(port):
        if running.poll() is not None or time.monotonic() > until:
            raise NoServer(f"PostgreSQL did not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with run_server() as url:
            command = [sys.executable, "-m", "pytest", *arguments]
            return subprocess.call(command, cwd=bootstrap.ROOT, env=os.environ | {ON: url})
    except NoServer as why:
        print(why, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
