"""A connection to a PostgreSQL that somebody named: nothing of the product's own account goes into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import pq

from timeline_app.connectors.sink_contract import TargetUnavailable

NOWHERE = "/dev/null/none"
"""A file that cannot be there: libpq passes over it without a word."""
_ISOLATED = {
    "passfile": NOWHERE,  # else ~/.pgpass
    "sslcert": NOWHERE,  # else ~/.postgresql/postgresql.crt
    "sslkey": NOWHERE,
    "sslcertmode": "disable",
    "sslcrl": NOWHERE,
    "sslcrldir": NOWHERE,
    "gssencmode": "disable",  # else tickets of Kerberos
    "require_auth": "password,md5,scram-sha-256,none",
    "min_protocol_version": "3.0",
    "max_protocol_version": "latest",
}
_SERVICE = "service"
"""Cannot be set to nothing; of a service only such settings count as are not given, and all that matter are."""
_IDENTIFIER = "SELECT system_identifier FROM pg_control_system()"


class SilentDatabase(psycopg.OperationalError):
    """The server does not answer."""


def isolate_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a connection with all that libpq would else take from its environment and from files."""
    usual = {
        default.keyword.decode(): (default.compiled or b"").decode()
        for default in pq.Conninfo.get_defaults()
        if default.envvar and default.keyword.decode() != _SERVICE
    }
    certificates = {"sslrootcert": "system" if given["sslmode"] == "verify-full" else NOWHERE}
    return usual | _ISOLATED | certificates | dict(given)


def refuse_own_database(connection: psycopg.Connection[Any], own: str) -> None:
    """Raises `SourceUnavailable` where a connection is to the product's own server, or where that cannot be told.

    `own`: its system identifier; empty: the product has no PostgreSQL.
    """
    if not own:
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute(_IDENTIFIER)
            [theirs] = cursor.fetchone() or [""]
        connection.rollback()
    except (psycopg.errors.UndefinedFunction, psycopg.errors.InsufficientPrivilege):
        theirs = ""
    if not theirs or own == "?":
        raise TargetUnavailable(
            "it cannot be told from the PostgreSQL that the product itself works with: let both users read"
            " pg_control_system(), on both servers"
        )
    if str(theirs) == own:
        raise TargetUnavailable(
            "that is the PostgreSQL that the product itself works with: choose another server"
        )


def describe_kind(why: psycopg.Error) -> str:
    """The kind of an error: its text is of the server, which may be anybody's, and is not repeated."""
    if isinstance(why, SilentDatabase):
        return str(why)
    code = why.sqlstate if why.sqlstate and is_known_code(why.sqlstate) else ""
    return f"{type(why).__name__} {code}".strip()


def is_known_code(code: str) -> bool:
    """Whether it is one of PostgreSQL's codes of errors."""
    try:
        return bool(psycopg.errors.lookup(code))
    except KeyError:
        return False
