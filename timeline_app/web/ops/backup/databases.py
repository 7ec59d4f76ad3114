"""The database of a backup: SQLite by its online copy, PostgreSQL by pg_dump and pg_restore."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess  # nosec B404
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import connection, connections

from timeline_app.variables import TLS
from timeline_app.web.core.trigrams import NAME, index_audit
from timeline_app.web.ops.backup.archive import Refused, copy, measure_file

FILES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
PREPARED, REPLACED = ".restoring", ".replaced"
"""Suffixes of a file of SQLite: the prepared one, and the one that it replaces."""


def dump(folder: Path) -> Path:
    """Write the database as of one instant; return the file."""
    path = folder / FILES[connection.vendor]
    if connection.vendor == "sqlite":
        _copy_sqlite(Path(connection.settings_dict["NAME"]), path)
    else:
        options = ["--format=custom", "--no-owner", "--no-privileges", "--file", str(path)]
        _run("pg_dump", [*options, str(connection.settings_dict["NAME"])])
    return path


def prepare(folder: Path) -> None:
    """Copy the database of a backup beside ours if it is a file; nothing can be prepared for a server."""
    if connection.vendor == "sqlite":
        own_file = get_sqlite_file()
        copy(folder / FILES["sqlite"], own_file.with_name(own_file.name + PREPARED))


def load(folder: Path, read_restore_mark: str) -> None:
    """Replace our database by that of a backup with a mark, in one transaction; SQLite files are moved elsewhere."""
    connections.close_all()
    if connection.vendor == "sqlite":
        return
    path = folder / FILES["postgresql"]
    with tempfile.NamedTemporaryFile("w", suffix=".list") as list_file:
        list_file.write(_omit_extensions(_run("pg_restore", ["--list", str(path)])))
        list_file.flush()
        options = [
            "--no-owner",
            "--no-privileges",
            "--exit-on-error",
            "--use-list",
            list_file.name,
            "--file",
            "-",
        ]
        _run_in_transaction(
            ["pg_restore", *options, str(path)], f"COMMENT ON SCHEMA public IS '{read_restore_mark}';"
        )


def finish_restore() -> None:
    """Create what a backup does not hold, and remove the mark."""
    index_audit(connection)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("COMMENT ON SCHEMA public IS NULL")
    connections.close_all()


def read_restore_mark() -> str:
    """Return the mark that the last restore left in PostgreSQL, or ""."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT obj_description(to_regnamespace('public'), 'pg_namespace')")
        return str(cursor.fetchone()[0] or "")


def get_sqlite_file() -> Path:
    """Return the path of the database."""
    return Path(connection.settings_dict["NAME"])


def _run_in_transaction(script: list[str], last: str) -> None:
    """Run the SQL that a program writes, and a last statement, on an emptied schema: all or nothing.

    Without the final `COMMIT`, which only a complete script gets, PostgreSQL rolls everything back.
    """
    connected = [
        "--no-psqlrc",
        "--quiet",
        "--set=ON_ERROR_STOP=1",
        "--dbname",
        str(connection.settings_dict["NAME"]),
    ]
    command, environment = (
        [_find_program("psql"), "--no-password", *connected],
        os.environ | _build_connection_options(),
    )
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(  # nosec B603
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors
        ) as client,
    ):
        written = 0
        try:
            assert client.stdin is not None
            client.stdin.write(b"BEGIN; DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n")
            client.stdin.flush()
            with subprocess.Popen(
                [_find_program(script[0]), *script[1:]], stdout=client.stdin, stderr=errors
            ) as writer:  # nosec B603
                written = writer.wait()
            if not written:
                client.stdin.write(f"\n{last}\nCOMMIT;\n".encode())
            client.stdin.close()
        except BrokenPipeError:
            pass  # psql's error output, read below, says why
        exit_code = client.wait()
        if written or exit_code:
            errors.seek(0)
            message = errors.read().decode(errors="replace").strip()[-1000:]
            raise Refused(f"the database was not loaded, and is as it was: {message}")


def _omit_extensions(contents: str) -> str:
    """Return a backup's table of contents without what needs an extension, which only some may create."""
    return "".join(
        line for line in contents.splitlines(keepends=True) if " EXTENSION " not in line and NAME not in line
    )


def is_empty() -> bool:
    """Return whether the database of this installation is empty."""
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        return True
    return not connection.introspection.table_names()


def _copy_sqlite(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True, timeout=30)) as own_database,
        closing(sqlite3.connect(target)) as copied,
    ):
        own_database.backup(copied)
        copied.execute("PRAGMA journal_mode=DELETE")
        (verdict,) = copied.execute("PRAGMA quick_check").fetchone()
    if verdict != "ok":
        raise Refused(f"the copy of the database is damaged: {verdict}")


def _find_program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise Refused(
            f"{name} was not found: install PostgreSQL's client programs, of the server's version or newer"
        )
    return path


def _run(name: str, arguments: list[str]) -> str:
    """Run a PostgreSQL program on our database; return its output, or raise `Refused` with its errors."""
    command = [_find_program(name), "--no-password", *arguments]
    finished = subprocess.run(  # nosec B603
        command, env=os.environ | _build_connection_options(), capture_output=True, text=True, check=False
    )
    if finished.returncode:
        raise Refused(f"{name} ended with {finished.returncode}: {finished.stderr.strip()[-1000:]}")
    return finished.stdout


def _build_connection_options() -> dict[str, str]:
    """Return the connection settings as environment variables: others can read a command line."""
    connection_settings: dict[str, Any] = connection.settings_dict
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD"}  # nosec B105
    options = connection_settings.get("OPTIONS", {})
    tls = {f"PG{name.upper()}": str(options[name]) for name in TLS if name in options}
    return tls | {
        name: str(connection_settings[key]) for name, key in names.items() if connection_settings.get(key)
    }


def measure_database(path: Path) -> tuple[int, str]:
    """Return the size and checksum of the written file."""
    return measure_file(path)
