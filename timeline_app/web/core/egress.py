"""Destinations that sources and sinks may reach: limited by their owner and TIMELINE_REACHES, never our own
services.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from functools import cache
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from timeline_app.connectors.egress.policy import Destination, Egress
from timeline_app.web.core.permissions import has_role
from timeline_app.web.models.people import Role

log = logging.getLogger(__name__)
SERVICES = "STACK_SERVICES"
"""Set by `make run` and by containers: more services of the product as host:port, separated by commas."""
_PORTS = {"redis": 6379, "rediss": 6379, "sc": 15002, "http": 80, "https": 443}
_POSTGRES_PORT = 5432


def build_egress(user: User | None, *, trying: bool = False) -> Egress:
    """Return what a source or sink of this user may reach; `trying`: the user sees the answer immediately."""
    private = may_reach_private(user)
    return Egress(
        reaches=settings.EGRESS_HOSTS,
        private=private,
        own=tuple(own_services()),
        own_database=own_database(),
        names_addresses=private and trying,
    )


def may_reach_private(user: User | None) -> bool:
    """Return whether this user's sources and sinks may reach private networks now."""
    return user is not None and user.is_active and has_role(user, Role.ADMIN)


def own_services() -> Iterator[Destination]:
    """Iterate over the addresses of our own services; one on a socket file has none."""
    urls = [
        settings.REDIS_URL,
        settings.SPARK_REMOTE,
        settings.AWS,
        *settings.ENV["TIMELINE_WEBHDFS"].split(","),
    ]
    urls += [f"//{part.strip()}" for part in os.environ.get(SERVICES, "").split(",") if part.strip()]
    for url in urls:
        address = urlsplit(url)
        port = address.port or _PORTS.get(address.scheme)
        if address.hostname and port:
            yield address.hostname, port
    database = settings.DATABASES["default"]
    if connection.vendor == "postgresql" and not str(database["HOST"]).startswith("/"):
        yield str(database["HOST"]) or "localhost", int(database["PORT"] or _POSTGRES_PORT)


def own_database() -> str:
    """Return the system identifier of our own PostgreSQL, or "" with SQLite.

    Return `?` if the server does not tell; then no server can be told apart from it.
    """
    if connection.vendor != "postgresql":
        return ""
    try:
        return _read_system_identifier()
    except DatabaseError as why:
        log.warning("the product's own PostgreSQL does not say its system_identifier: %s", why)
        return "?"


@cache
def _read_system_identifier() -> str:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT system_identifier FROM pg_control_system()")
        [identifier] = cursor.fetchone()
    return str(identifier)
