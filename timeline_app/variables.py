"""Parsers of environment variables: each raises `ValueError` that says what the value must be."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.utils import formataddr, parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from timeline_app.fs.paths import Place, is_address, place
from timeline_app.operators.parameters import parse_duration

SQLITE: dict[str, Any] = {
    "ENGINE": "django.db.backends.sqlite3",
    "OPTIONS": {
        "timeout": 30,
        # IMMEDIATE: a transaction that reads first and writes later never fails with "database is locked".
        "transaction_mode": "IMMEDIATE",
        # With its usual 2 MB SQLite writes a batch of revisions out and reads it back again while it adds to it. What
        # it has logged the publisher carries over when nobody waits, mostly long before there are so many pages.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA cache_size=-32000; PRAGMA wal_autocheckpoint=8000",
    },
}
TLS = ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl")
"""The options of a PostgreSQL address after its `?`, by libpq's names."""
TLS_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")

_DAY_MS = 86_400_000
_LOGIN = re.compile(r"(://[^:/@]*+:)(?:(?:[^/?#@]*+@)++|[^@]*+(?:@|\Z))")
"""A login and anything that may be its password; without an @, the rest of the text."""


def parse_flag(text: str) -> bool:
    """`0` or `1`."""
    if text not in ("0", "1"):
        raise ValueError("must be 0 or 1")
    return text == "1"


def parse_directory(text: str) -> Path:
    """Return a directory, relative to the working directory at the start; create it where missing."""
    if is_address(text):
        raise ValueError("must be a directory, not an address")
    if not text.strip():
        raise ValueError("must be a directory, and is empty; leave it out for the usual one")
    try:
        path = Path(text).expanduser().resolve()
    except RuntimeError as why:
        raise ValueError(f"must be a directory: {why}") from None
    if path.exists() and not path.is_dir():
        raise ValueError("must be a directory, and is a file")
    path.mkdir(parents=True, exist_ok=True)
    return path


def parse_data_place(text: str) -> Place:
    """Return a directory as `parse_directory` does, or an address of HDFS or S3."""
    if "#" in text and is_address(text):
        raise ValueError("must be an address without #")
    return place(text) if is_address(text) else parse_directory(text)


def parse_namenodes(text: str) -> str:
    """Parse comma-separated HTTP addresses of NameNodes or a gateway; empty: port 9870 of the data address."""
    addresses = [make_address_parser("http", "https")(item.strip()) for item in text.split(",") if text]
    return ",".join(addresses)


def parse_subdirectory(text: str) -> Path | None:
    """Return a directory as `parse_directory` does; None for an empty text: the default."""
    return parse_directory(text) if text else None


def parse_hosts(text: str) -> list[str]:
    """Host names, separated by commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    bad_names = [name for name in names if not re.fullmatch(r"\*|\.?[\w.-]+|\[[0-9a-fA-F:]+\]", name)]
    if bad_names or not names:
        raise ValueError(
            f"must be host names separated by commas{', without port or scheme' if bad_names else ''}"
        )
    return names


def make_address_parser(*schemes: str) -> Callable[[str], str]:
    """Return a parser of addresses with one of these schemes, a host and an optional valid port."""

    def parse(text: str) -> str:
        address = urlsplit(text)
        if address.scheme not in schemes or not (address.hostname or address.scheme == "unix"):
            raise ValueError(f"must look like {schemes[0]}://host:port")
        _ = address.port  # raises ValueError for an impossible one
        return text

    return parse


def parse_mail_server(text: str) -> dict[str, Any]:
    """`smtp://user:password@host:587` (encrypted by STARTTLS where a user is given) or `smtps://…`; empty: none.

    >>> parse_mail_server("smtps://mail.example.org")["EMAIL_PORT"]
    465
    """
    if not text:
        return {"EMAIL_HOST": ""}
    address = urlsplit(text)
    if (
        address.scheme not in ("smtp", "smtps")
        or not address.hostname
        or address.path.strip("/")
        or address.query
    ):
        raise ValueError("must look like smtp://user:password@host:587 or smtps://host")
    is_encrypted, user = address.scheme == "smtps", unquote(address.username or "")
    return {
        "EMAIL_HOST": address.hostname,
        "EMAIL_PORT": address.port or (465 if is_encrypted else 587 if user else 25),
        "EMAIL_HOST_USER": user,
        "EMAIL_HOST_PASSWORD": unquote(address.password or ""),
        "EMAIL_USE_SSL": is_encrypted,
        "EMAIL_USE_TLS": not is_encrypted and bool(user),
    }


def parse_mail_address(text: str) -> str:
    """Return an address such as `Timelines <timelines@example.org>`."""
    name, sender = parseaddr(text)
    if text and ("@" not in sender or any(character in text for character in "\r\n")):
        raise ValueError("must look like timelines@example.org, or Timelines <timelines@example.org>")
    return formataddr((name, sender)) if text else ""


def format_celery_broker(url: str) -> str:
    """Return the address of Redis in Celery's notation, which has another scheme for sockets."""
    return url.replace("unix://", "redis+socket://", 1) if url.startswith("unix://") else url


def parse_database(text: str) -> dict[str, Any]:
    """`sqlite:///absolute/path` or `postgres://user:password@host:port/name?sslmode=…`; empty: the default."""
    if not text:
        return {}
    address = urlsplit(text)
    path = unquote(address.path)
    if address.scheme == "sqlite" and not address.netloc and not address.query and len(path) > 1:
        return SQLITE | {"NAME": f"/{path.lstrip('/')}"}
    if address.scheme in ("postgres", "postgresql") and address.hostname and path.strip("/"):
        return {
            "ENGINE": "django.db.backends.postgresql",
            # Rights make long conditions: to compile one took 200 ms, where the answer takes 50.
            "OPTIONS": {"options": "-c jit=off", **_parse_tls(address.query)},
            "NAME": path.strip("/"),
            "USER": unquote(address.username or ""),
            "PASSWORD": unquote(address.password or ""),
            "HOST": address.hostname,
            "PORT": str(address.port or ""),
            "CONN_HEALTH_CHECKS": True,
        }
    raise ValueError("must be sqlite:///absolute/path or postgres://user:password@host:port/name")


def _parse_tls(query: str) -> dict[str, str]:
    """Return the TLS options after the `?`, by libpq's names."""
    options = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=True)) if query else {}
    if unknown := sorted(options.keys() - set(TLS)):
        raise ValueError(f"may say {', '.join(TLS)} behind the ?, and not {', '.join(unknown)}")
    if options.get("sslmode", TLS_MODES[0]) not in TLS_MODES:
        raise ValueError(f"has an sslmode that is none of {', '.join(TLS_MODES)}")
    return options


def parse_secret(text: str) -> str:
    """Return a secret of at least 32 characters; empty: created once and stored in TIMELINE_LOCAL."""
    if text and len(text) < 32:
        raise ValueError("must have at least 32 characters")
    return text


def parse_interval(text: str) -> str:
    """Return a time between two batches, such as 500ms or 2s, in Spark's notation."""
    milliseconds = max(parse_duration(text) // 1000, 1)
    if milliseconds > _DAY_MS:
        raise ValueError("must be a day at most")
    return f"{milliseconds} milliseconds"


def parse_window(text: str) -> int:
    """Return a time of at least a minute, such as 12h or 7d, in microseconds."""
    duration = parse_duration(text)
    if duration < 60_000_000:
        raise ValueError("must be at least 1min")
    return duration


def make_whole_parser(unit: int = 1, least: int = 0, most: int | None = None) -> Callable[[str], int]:
    """Return a parser of integers in multiples of a unit, from `least` to `most`."""
    if most is not None:
        description = f"a whole number from {least} to {most:,}"
    else:
        description = f"a whole number from {least} on" if least else "a whole number"

    def parse(text: str) -> int:
        number = int(text) if re.fullmatch(r"[0-9]{1,15}", text) else -1
        if number < least or (most is not None and number > most):
            raise ValueError(f"must be {description}")
        return number * unit

    return parse


def parse_buckets(text: str) -> int | None:
    """Return the number of buckets of a new query; None for an empty text: as many as its events need."""
    return make_whole_parser(least=1, most=1_000)(text) if text else None


def parse_token(text: str) -> str:
    """Return a token of at least 16 characters without spaces; empty: none."""
    if text and (len(text) < 16 or not re.fullmatch(r"[!-~]+", text)):
        raise ValueError("must have at least 16 printable characters, without spaces")
    return text


def parse_proxies(text: str) -> int | None:
    """Return the number of proxies in front; None for an empty text: one where TLS is used there, else none."""
    return make_whole_parser()(text) if text else None


def make_choice_parser(*words: str) -> Callable[[str], str]:
    """Return a parser of one of these words."""

    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(f"must be {' or '.join(words)}")
        return text

    return parse


def mask_value(text: str) -> str:
    """Return a value without the password or the token of an address."""
    without = _LOGIN.sub(lambda login: f"{login[1]}…@" if login[0].endswith("@") else login[0], text)
    return re.sub(r"(;token=)[^;]*", r"\1…", without)
