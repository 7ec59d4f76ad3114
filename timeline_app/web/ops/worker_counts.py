"""Counts of finished tasks in Redis, where the web process reads them."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from redis import Redis

COUNTS_KEY = "timelines:tasks"
QUEUE_KEY = "celery"
Tallies = dict[tuple[str, str], tuple[int, float]]


@cache
def connect_counter_client() -> Redis:
    """Return a client with short time-outs."""
    return Redis.from_url(settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=0.5)


def count(task: str, outcome: str, seconds: float) -> None:
    """Count a task."""
    with connect_counter_client().pipeline(transaction=False) as pipe:
        pipe.hincrby(COUNTS_KEY, f"{task} {outcome} count", 1)
        pipe.hincrbyfloat(COUNTS_KEY, f"{task} {outcome} seconds", seconds)
        pipe.execute()


def read(redis: Redis) -> tuple[Tallies, int]:
    """Return number and seconds by task and outcome, and how many tasks wait."""
    with redis.pipeline(transaction=False) as pipe:
        pipe.hgetall(COUNTS_KEY)
        pipe.llen(QUEUE_KEY)
        stored, waiting = pipe.execute()
    counts: dict[tuple[str, str], dict[str, Any]] = {}
    for name, value in stored.items():
        task, outcome, quantity = name.decode().split(" ")
        counts.setdefault((task, outcome), {})[quantity] = value
    return {
        item: (int(has.get("count", 0)), float(has.get("seconds", 0))) for item, has in counts.items()
    }, int(waiting)
