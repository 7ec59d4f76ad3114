"""What workers have done, counted in Redis, where the web process finds it."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from redis import Redis

PLACE = "timelines:tasks"
WAITING = "celery"
Tallies = dict[tuple[str, str], tuple[int, float]]


@cache
def connect_counter_client() -> Redis:
    """A connection that waits for nobody."""
    return Redis.from_url(settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=0.5)


def count(task: str, outcome: str, seconds: float) -> None:
    """One more."""
    with connect_counter_client().pipeline(transaction=False) as pipe:
        pipe.hincrby(PLACE, f"{task} {outcome} count", 1)
        pipe.hincrbyfloat(PLACE, f"{task} {outcome} seconds", seconds)
        pipe.execute()


def read(redis: Redis) -> tuple[Tallies, int]:
    """Number and seconds by task and outcome; how many wait."""
    with redis.pipeline(transaction=False) as pipe:
        pipe.hgetall(PLACE)
        pipe.llen(WAITING)
        kept, waiting = pipe.execute()
    counts: dict[tuple[str, str], dict[str, Any]] = {}
    for name, value in kept.items():
        task, outcome, quantity = name.decode().split(" ")
        counts.setdefault((task, outcome), {})[quantity] = value
    return {
        item: (int(has.get("count", 0)), float(has.get("seconds", 0))) for item, has in counts.items()
    }, int(waiting)
