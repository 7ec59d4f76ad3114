"""PostgreSQL: a table of spans; rows and their batch number are written in one transaction."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, Literal

import psycopg
import pyarrow as pa
from psycopg import sql
from psycopg.abc import RV, PQGen
from psycopg.rows import TupleRow

from timeline_app.connectors.delivered_rows import MOMENT
from timeline_app.connectors.egress.policy import Destination, EgressRefused
from timeline_app.connectors.options import MAX_NAME_CHARS, Option
from timeline_app.connectors.postgres.connection import (
    SilentDatabase,
    describe_kind,
    isolate_settings,
    refuse_own_database,
)
from timeline_app.connectors.sink_contract import Delivery, IdempotentSink, Once, TargetUnavailable

CONNECT_TIMEOUT_S = 8
LOCK_TIMEOUT_S, STATEMENT_TIMEOUT_S = 30, 300
"""The server's own limits."""
SILENCE_TIMEOUT_S, CHECK_SILENCE_TIMEOUT_S = STATEMENT_TIMEOUT_S + 30.0, LOCK_TIMEOUT_S + 10.0
"""A server that is silent for longer hangs, and does not keep its own limits."""
LEDGER = "timelines_delivered"
"""The table beside the rows that records each delivery's table and last batch."""


class Patient(psycopg.Connection[TupleRow]):
    """A connection that waits for an answer for `patience` seconds, and then closes.

    TCP does not detect a hung server, since its machine answers.
    """

    patience = SILENCE_TIMEOUT_S

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for an answer."""
        started = time.monotonic()
        try:
            return super().wait(gen, interval, self.patience if timeout is None else timeout)
        except psycopg.OperationalError:
            if timeout is not None or time.monotonic() - started < self.patience:
                raise
            self.pgconn.finish()  # the answer may still come
            raise SilentDatabase(f"no answer for {self.patience:g} s") from None


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_HOST = re.compile(r"[A-Za-z0-9_.:%-]+")
_TYPES = {MOMENT: "timestamptz", pa.string(): "text", pa.bool_(): "boolean", pa.float64(): "double precision"}
_SURE: dict[type[psycopg.Error], str] = {
    psycopg.errors.InvalidPassword: "the server refuses the login: check user and password",
    psycopg.errors.InvalidCatalogName: "there is no such database: check database",
    psycopg.errors.InsufficientPrivilege: "the user may not do that: grant it CREATE on the schema, or make the tables",
    psycopg.errors.InvalidSchemaName: "there is no such schema: make it, or name another one in table",
    psycopg.errors.DiskFull: "the disk of the server is full",
    SilentDatabase: "the server hangs: look at its load and its log, or start it again",
    psycopg.errors.UndefinedColumn: "the table has other columns: choose another one",
}
_NO_HOST = "no host of that name is known: check host"
_REFUSED = {
    "password authentication failed": _SURE[psycopg.errors.InvalidPassword],
    'database "': _SURE[psycopg.errors.InvalidCatalogName],
    "starting up": "the server is starting",
    "not yet accepting": "the server is starting",
    "no password supplied": "the server asks for a password: fill it in",
    "Connection refused": "nothing listens there: check host and port, and whether the server runs",
    "server does not support SSL": "the server has no TLS: let tls be prefer or disable, or set it up there",
    "authentication method requirement": "the server asks for a login that is no password: let it ask for one",
    "certificate": "its certificate is not trusted: check host and tls",
    "SSL negotiation": "what listens there is no PostgreSQL: check host and port",
    "expected authentication request": "what listens there is no PostgreSQL: check host and port",
    "closed the connection": "what listens there hangs up: check host, port and tls, and whether it is a PostgreSQL",
    "timeout expired": "the server takes no connection: check host and port, and whether it hangs",
}


def check_host(text: str) -> str | None:
    """Say what is wrong with the name of a server, and what to do."""
    if _HOST.fullmatch(text):
        return None
    return f"{text!r} is no server; write one name or address (a socket of this machine is not for sinks)"


def check_table(text: str) -> str | None:
    """Say what is wrong with the name of a table, and what to do."""
    parts = text.split(".")
    if len(parts) > 2 or not all(_NAME.fullmatch(part) for part in parts) or parts[-1] == LEDGER:
        return f"{text!r} cannot be the table; write letters, digits and _, perhaps with a schema and a dot before it"
    return None


def check_port(value: int) -> str | None:
    """Say what is wrong with a port."""
    return None if 0 < value < 65_536 else "must be from 1 to 65535"


class Postgres(IdempotentSink):
    """A table in a database, created if missing."""

    title: ClassVar = "PostgreSQL"
    once: ClassVar = Once.EXACTLY
    place: ClassVar = ("host", "port", "database", "table")

    def __init__(
        self,
        *,
        host: Annotated[str, Option("The server", check_host)],
        database: Annotated[str, Option("The database", most=MAX_NAME_CHARS)],
        table: Annotated[str, Option("The table, perhaps with a schema: features.rebuffering", check_table)],
        user: Annotated[str, Option("The name of the login", most=MAX_NAME_CHARS)],
        password: Annotated[str, Option("Its password", secret=True)] = "",
        port: Annotated[int, Option("The port of the server", check_port)] = 5432,
        tls: Annotated[
            Literal["prefer", "require", "verify-full", "disable"],
            Option(
                "Whether the connection is encrypted; verify-full also checks whose server it is", guards=True
            ),
        ] = "prefer",
    ) -> None:
        """Connect in `open`."""
        self._where, self._server = f"{host}:{port}/{database}", (host, port)
        self._settings: dict[str, Any] = {
            "dbname": database, "user": user, "password": password, "sslmode": tls, "client_encoding": "utf8",
            "connect_timeout": CONNECT_TIMEOUT_S, "application_name": "timelines", "keepalives_idle": 10,
            "options": f"-c lock_timeout={LOCK_TIMEOUT_S}s -c statement_timeout={STATEMENT_TIMEOUT_S}s"
            f" -c idle_in_transaction_session_timeout={STATEMENT_TIMEOUT_S}s",
        }  # fmt: skip
        self._target = table
        *schema, _ = table.split(".")
        self._table = sql.Identifier(*table.split("."))
        self._ledger = sql.Identifier(*schema, LEDGER)
        self._delivery: Delivery | None = None
        self._connection: psycopg.Connection | None = None
        self._staged: dict[int, pa.Table] = {}

    def destinations(self) -> Iterable[Destination]:
        """Return the server."""
        return [self._server]

    def check(self, delivery: Delivery) -> None:
        """Do everything that `open` does, and roll back."""
        with self._trouble(), self._connect() as connection:
            connection.patience = CHECK_SILENCE_TIMEOUT_S
            self._claim(connection, delivery)
            connection.rollback()

    def open(self, delivery: Delivery) -> None:
        """Create the tables if missing, and claim the table for this delivery."""
        with self._trouble():
            self._connection, self._delivery = self._connect(), delivery
            self._claim(self._connection, delivery)
            self._connection.commit()

    def last(self) -> int | None:
        """Return the number in the ledger."""
        with self._trouble(), self._transaction() as (cursor, delivery):
            cursor.execute(
                sql.SQL("SELECT batch FROM {} WHERE delivery = %s").format(self._ledger), [delivery.identity]
            )
            [batch] = cursor.fetchone() or [-1]
            return int(batch)

    def stage(self, batch: int, rows: pa.Table) -> None:
        """Keep the rows in memory until the transaction of `publish`."""
        self._staged[batch] = rows

    def publish(self, batch: int) -> None:
        """Write rows and batch number in one transaction."""
        with self._trouble(), self._transaction() as (cursor, delivery):
            raised = sql.SQL("UPDATE {} SET batch = %s, at = now() WHERE delivery = %s AND batch < %s")
            cursor.execute(raised.format(self._ledger), [batch, delivery.identity, batch])
            if cursor.rowcount:
                self._insert(cursor, self._staged[batch])
        self._staged.pop(batch, None)

    def abort(self, batch: int) -> None:
        """Forget the rows, which were only in memory."""
        self._staged.pop(batch, None)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def _connect(self) -> Patient:
        """Connect to a reachable address; the certificate is checked against the host name."""
        host, port = self._server
        addresses = [address.address for address in self.egress.addresses(host, port)]
        where = {"host": [host] * len(addresses), "hostaddr": addresses, "port": [str(port)] * len(addresses)}
        settings = isolate_settings(self._settings) | {
            name: ",".join(values) for name, values in where.items()
        }
        connection = Patient.connect(**settings)
        try:
            refuse_own_database(connection, self.egress.own_database)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _transaction(self) -> Iterator[tuple[psycopg.Cursor, Delivery]]:
        assert self._connection is not None and self._delivery is not None, "open comes first"  # noqa: PT018
        with self._connection.transaction(), self._connection.cursor() as cursor:
            yield cursor, self._delivery

    def _claim(self, connection: psycopg.Connection, delivery: Delivery) -> None:
        """Create and claim the tables in the caller's transaction."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [LEDGER])  # serialises two processes
            cursor.execute(
                sql.SQL(
                    "CREATE TABLE IF NOT EXISTS {} (delivery text PRIMARY KEY, target text NOT NULL,"
                    " node text NOT NULL, batch bigint NOT NULL, at timestamptz NOT NULL)"
                ).format(self._ledger)
            )
            query = sql.SQL("SELECT delivery FROM {} WHERE target = %s").format(self._ledger)
            cursor.execute(query, [self._target])
            owners = [owner for (owner,) in cursor.fetchall()]
            if owners == [delivery.identity]:
                return
            if owners:
                raise TargetUnavailable(
                    f"the table {self._target} has what another sink delivered: choose another one"
                )
            cursor.execute("SELECT to_regclass(%s)", [self._table.as_string(connection)])
            if cursor.fetchone() != (None,):
                raise TargetUnavailable(
                    f"there is a table {self._target} that no sink has made: choose another one"
                )
            self._create(cursor, delivery)

    def _create(self, cursor: psycopg.Cursor, delivery: Delivery) -> None:
        columns = sql.SQL(", ").join(
            sql.SQL("{} {}{}").format(
                sql.Identifier(field.name),
                sql.SQL(_TYPES[field.type]),
                sql.SQL(" NOT NULL" if field.name == "key" or field.type == MOMENT else ""),
            )
            for field in delivery.schema
        )
        statement = sql.SQL("CREATE TABLE {} ({}, PRIMARY KEY (key, valid_from, known_at))")
        cursor.execute(statement.format(self._table, columns))
        cursor.execute(
            sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, -1, now())").format(self._ledger),
            [delivery.identity, self._target, delivery.node],
        )

    def _insert(self, cursor: psycopg.Cursor, rows: pa.Table) -> None:
        cursor.execute(
            sql.SQL("CREATE TEMPORARY TABLE arriving (LIKE {}) ON COMMIT DROP").format(self._table)
        )
        low, high = rows.column_names.index("valid_from"), rows.column_names.index("valid_to")
        with cursor.copy("COPY arriving FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in rows.columns), strict=True):
                cells = list(row)
                cells[low], cells[high] = row[low] or "-infinity", row[high] or "infinity"
                copy.write_row(cells)
        values = [name for name in rows.column_names if name not in ("key", "valid_from", "known_at")]
        names = sql.SQL(", ").join(map(sql.Identifier, rows.column_names))
        newer = sql.SQL(", ").join(
            sql.SQL("{0} = excluded.{0}").format(sql.Identifier(name)) for name in values
        )
        cursor.execute(
            sql.SQL(
                "INSERT INTO {} ({names}) SELECT {names} FROM arriving"
                " ON CONFLICT (key, valid_from, known_at) DO UPDATE SET {newer}"
            ).format(self._table, names=names, newer=newer)
        )

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """Raise errors of the server as `TargetUnavailable`."""
        try:
            yield
        except psycopg.Error as why:
            words = next((words for kind, words in _SURE.items() if isinstance(why, kind)), "")
            kind = describe_kind(why)
            if not words and self._connection is None:  # such an error has no code
                kind = next((part for part in _REFUSED if part in str(why)), kind)
                words = _REFUSED.get(kind, "")
            raise TargetUnavailable(
                f"{words or 'the database cannot be used'} ({self._where}: {kind})"
            ) from why
        except socket.gaierror:
            raise TargetUnavailable(f"{_NO_HOST} ({self._where})") from None
        except EgressRefused as why:
            raise TargetUnavailable(str(why)) from None
