"""Whether the parts that the web process needs answer."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import DatabaseError, connection
from redis import Redis
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


def database() -> str:
    """`ok`, or what is wrong."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM django_migrations LIMIT 1")
    except DatabaseError as why:
        log.error("the database does not answer: %s", why)
        return "away"
    return "ok"


def redis() -> str:
    """`ok`, or what is wrong."""
    try:
        with Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1) as client:
            client.ping()
    except (RedisError, OSError) as why:
        log.error("Redis does not answer: %s", why)
        return "away"
    return "ok"


def checks() -> dict[str, str]:
    """Each part and how it is."""
    return {"database": database(), "redis": redis()}
