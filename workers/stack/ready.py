"""`python -m workers.stack.ready [--redis] [--database]` checks whether the stack can start, before anything starts.

The settings must be valid, and the external services that they name must answer; else it ends with one sentence.
"""

from __future__ import annotations

import argparse
import os

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from timeline_app.starting import REFUSAL, exit_with_sentence
from timeline_app.variables import mask_value

TIMEOUT_S = 5
"""For each service."""


def require_redis(url: str) -> None:
    """Raise ImproperlyConfigured unless Redis answers there."""
    try:
        with Redis.from_url(
            url, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 0)
        ) as client:
            client.ping()
    except (RedisError, OSError, ValueError) as why:
        hint = "start it, or leave REDIS_URL out: then one is started here"
        raise ImproperlyConfigured(
            f"{REFUSAL}REDIS_URL={mask_value(url)!r}: no answer ({why}); {hint}."
        ) from None


def require_database(url: str) -> None:
    """Raise ImproperlyConfigured unless the database accepts connections."""
    django.setup()
    os.environ.setdefault("PGCONNECT_TIMEOUT", str(TIMEOUT_S))
    try:
        connection.ensure_connection()
    except DatabaseError as why:
        words = " ".join(str(why).split())
        hint = "start it or mend the address, or leave DATABASE_URL out: then it is a file in TIMELINE_LOCAL"
        raise ImproperlyConfigured(f"{REFUSAL}DATABASE_URL={mask_value(url)!r}: {words}; {hint}.") from None


def main(redis: bool, database: bool) -> None:
    """Read the settings, and check the services."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
    url: str = settings.REDIS_URL
    if redis:
        require_redis(url)
    if database:
        require_database(os.environ["DATABASE_URL"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--redis", action="store_true")
    parser.add_argument("--database", action="store_true")
    arguments = parser.parse_args()
    with exit_with_sentence():
        main(arguments.redis, arguments.database)
