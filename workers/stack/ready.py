"""`python -m workers.stack.ready [--redis] [--database]`: before anything is started, whether it can start at all.

The settings must be right, and what they name that runs elsewhere must answer; else it ends with one sentence.
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

PATIENCE = 5
"""Seconds in which each of them must answer."""


def require_redis(url: str) -> None:
    """Redis answers there, or the sentence says that it does not."""
    try:
        with Redis.from_url(
            url, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE, retry=Retry(NoBackoff(), 0)
        ) as asked:
            asked.ping()
    except (RedisError, OSError, ValueError) as why:
        cure = "start it, or leave REDIS_URL out: then one is started here"
        raise ImproperlyConfigured(
            f"{REFUSAL}REDIS_URL={mask_value(url)!r}: no answer ({why}); {cure}."
        ) from None


def require_database(url: str) -> None:
    """The database can be connected to, or the sentence says why not."""
    django.setup()
    os.environ.setdefault("PGCONNECT_TIMEOUT", str(PATIENCE))
    try:
        connection.ensure_connection()
    except DatabaseError as why:
        words = " ".join(str(why).split())
        cure = "start it or mend the address, or leave DATABASE_URL out: then it is a file in TIMELINE_LOCAL"
        raise ImproperlyConfigured(f"{REFUSAL}DATABASE_URL={mask_value(url)!r}: {words}; {cure}.") from None


def main(redis: bool, database: bool) -> None:
    """Read the settings, and ask."""
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
    wanted = parser.parse_args()
    with exit_with_sentence():
        main(wanted.redis, wanted.database)
