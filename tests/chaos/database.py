"""The database of the product under test: SQLite, or a PostgreSQL with a synchronous standby that takes over."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Protocol, Self

import psycopg

from tests.postgres import NoServer, Server
from workers.stack.health import find_free_port

STREAMING_S = 60.0
DURABLE = ("max_connections=200",)
Rows = list[tuple[Any, ...]]


class Database(Protocol):
    """What the arena asks of a database."""

    @property
    def url(self) -> str:
        """The value of `DATABASE_URL`; empty for SQLite in the data directory."""
        ...

    def query(self, statement: str) -> Rows:
        """Run a query."""
        ...


class SQLite:
    """The product's own file."""

    url = ""

    def __init__(self, data: Path) -> None:
        self.file = data / "timelines.sqlite3"

    def query(self, statement: str) -> Rows:
        """Run a query in its own connection."""
        link = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=30)
        try:
            return link.execute(statement).fetchall()
        finally:
            link.close()


class Standby(Server):
    """A copy of a primary that follows it until it is promoted."""

    def __init__(self, primary: Server) -> None:
        super().__init__(DURABLE)
        self.password, self._primary = primary.password, primary

    def __enter__(self) -> Self:
        try:
            self._copy()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _copy(self) -> None:
        data, account = self._folder / "data", self._account
        if account:
            shutil.chown(self._folder, str(account["user"]))
        source = f"host=127.0.0.1 port={self._primary.port} user=tests application_name=standby"
        command = [str(self._programs / "pg_basebackup"), "-D", str(data), "-d", source, "-R", "-c", "fast"]
        environment = os.environ | {"PGPASSWORD": self.password}
        process = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=self._folder, env=environment, **account
        )
        if process.returncode:
            raise NoServer(f"pg_basebackup ended with {process.returncode}: {process.stderr[-2000:]}")


class Relay:
    """A port that leads to whichever server is the primary, as a virtual address does."""

    def __init__(self, target: int) -> None:
        """Forward to this port of 127.0.0.1."""
        self.target = target
        self._lines: set[socket.socket] = set()
        self._server = socket.create_server(("127.0.0.1", find_free_port()))
        self.port = int(self._server.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def lead_to(self, target: int) -> None:
        """Forward elsewhere from now on, and end all connections."""
        self.target = target
        for line in list(self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Stop forwarding."""
        self._server.close()
        self.lead_to(0)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._server.accept()
                threading.Thread(target=self._connect, args=(line,), daemon=True).start()

    def _connect(self, line: socket.socket) -> None:
        try:
            other = socket.create_connection(("127.0.0.1", self.target), timeout=5)
        except OSError:
            line.close()
            return
        other.settimeout(None)
        self._lines |= {line, other}
        back = threading.Thread(target=self._copy, args=(other, line), daemon=True)
        back.start()
        self._copy(line, other)
        back.join()
        for end in (line, other):
            self._lines.discard(end)
            end.close()

    @staticmethod
    def _copy(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65_536):
                sink.sendall(chunk)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Postgres:
    """A primary, a synchronous standby, and a relay in front of them."""

    def __init__(self) -> None:
        self._ends = ExitStack()

    def __enter__(self) -> Self:
        try:
            self.primary: Server = self._ends.enter_context(Server(DURABLE))
            self.relay = Relay(self.primary.port)
            self._ends.callback(self.relay.close)
            self._follow()
        except BaseException:
            self._ends.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    @property
    def url(self) -> str:
        """The address of the relay."""
        return f"postgres://tests:{self.primary.password}@127.0.0.1:{self.relay.port}/postgres"

    def query(self, statement: str) -> Rows:
        """Query the primary; wait while there is none."""
        until = time.monotonic() + STREAMING_S
        while True:
            try:
                with psycopg.connect(self.primary.url, connect_timeout=5) as link:
                    return link.execute(statement).fetchall()
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)

    def restart(self) -> None:
        """Kill the primary, and start it again."""
        self.primary.kill()
        self.primary.start()

    def fail_over(self) -> None:
        """Kill the primary for good: the standby takes over, and gets a standby of its own."""
        lost, self.primary = self.primary, self.standby
        lost.kill()
        with psycopg.connect(self.primary.url, autocommit=True) as link:
            link.execute("SELECT pg_promote(true, 60)")
            link.execute("ALTER SYSTEM RESET synchronous_standby_names")
            link.execute("SELECT pg_reload_conf()")
        self.relay.lead_to(self.primary.port)
        lost.__exit__()
        self._follow()

    def _follow(self) -> None:
        """Start a standby; once it has caught up, commits wait for it."""
        self.standby = self._ends.enter_context(Standby(self.primary))
        until = time.monotonic() + STREAMING_S
        state = "SELECT state FROM pg_stat_replication"
        while self.query(state) != [("streaming",)]:
            if time.monotonic() > until:
                raise NoServer(f"the standby does not follow: {self.query(state)}")
            time.sleep(0.2)
        with psycopg.connect(self.primary.url, autocommit=True) as link:
            link.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            link.execute("SELECT pg_reload_conf()")
