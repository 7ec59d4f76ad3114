"""Connects to a PostgreSQL that a user names, without using anything of the product's own account."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import pq

from timeline_app.connectors.sink_contract import TargetUnavailable

MISSING_FILE = "/dev/null/none"
"""A file that cannot exist; libpq skips it silently."""
_ISOLATED = {
    "passfile": MISSING_FILE,  # else ~/.pgpass
    "sslcert": MISSING_FILE,  # else ~/.postgresql/postgresql.crt
    "sslkey": MISSING_FILE,
    "sslcertmode": "disable",
    "sslcrl": MISSING_FILE,
    "sslcrldir": MISSING_FILE,
    "gssencmode": "disable",  # else tickets of Kerberos
    "require_auth": "password,md5,scram-sha-256,none",
    "min_protocol_version": "3.0",
    "max_protocol_version": "latest",
}
_SERVICE = "service"
"""It cannot be unset; a service file supplies only settings that are not given, and all relevant ones are."""
_IDENTIFIER = "SELECT system_identifier FROM pg_control_system()"


class SilentDatabase(psycopg.OperationalError):
    """The server does not answer."""


def isolate_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a connection, with overrides for all that libpq takes from environment and files."""
    usual = {
        default.keyword.decode(): (default.compiled or b"").decode()
        for default in pq.Conninfo.get_defaults()
        if default.envvar and default.keyword.decode() != _SERVICE
    }
    certificates = {"sslrootcert": "system" if settings["sslmode"] == "verify-full" else MISSING_FILE}
    return usual | _ISOLATED | certificates | dict(settings)


def refuse_own_database(connection: psycopg.Connection[Any], own_identifier: str) -> None:
    """Raise `SourceUnavailable` where a connection reaches the product's own server, or where that is uncertain.

    `own_identifier` is its system identifier; empty where the product has no PostgreSQL.
    """
    if not own_identifier:
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute(_IDENTIFIER)
            [server_identifier] = cursor.fetchone() or [""]
        connection.rollback()
    except (psycopg.errors.UndefinedFunction, psycopg.errors.InsufficientPrivilege):
        server_identifier = ""
    if not server_identifier or own_identifier == "?":
        raise TargetUnavailable(
            "it cannot be told from the PostgreSQL that the product itself works with: let both users read"
            " pg_control_system(), on both servers"
        )
    if str(server_identifier) == own_identifier:
        raise TargetUnavailable(
            "that is the PostgreSQL that the product itself works with: choose another server"
        )


def describe_kind(why: psycopg.Error) -> str:
    """Return the kind of an error; its text comes from a server of anybody, and is not repeated."""
    if isinstance(why, SilentDatabase):
        return str(why)
    code = why.sqlstate if why.sqlstate and is_known_code(why.sqlstate) else ""
    return f"{type(why).__name__} {code}".strip()


def is_known_code(code: str) -> bool:
    """Return whether PostgreSQL defines the error code."""
    try:
        return bool(psycopg.errors.lookup(code))
    except KeyError:
        return False
