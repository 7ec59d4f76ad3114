"""How many calls a person, with all tokens, may make in a minute: counted in Redis, for all processes together.

When Redis is away nobody is refused: the limit is there against what is asked too often, not against what is asked.
"""

from __future__ import annotations

import logging
import math
import time
from functools import cache
from typing import Any

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from timeline_app.web.core.scopes import select_required_scopes
from timeline_app.web.models.tokens import Scope

log = logging.getLogger(__name__)
MINUTE = 60
PAUSE = 5.0
"""For so many seconds a Redis that did not answer is not asked again."""


@cache
def connect_counter_redis() -> Redis:
    """The Redis of this process."""
    return Redis.from_url(settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=0.5)


class Counting:
    """Calls of the present and the last minute, by whom."""

    def __init__(self) -> None:
        self.away_until = 0.0

    def count(self, caller: str, now: float) -> float | None:
        """One more; how many in the last sixty seconds, about. None where nobody knows."""
        if time.monotonic() < self.away_until:
            return None
        minute, into = divmod(now, MINUTE)
        present, last = f"timelines:calls:{caller}:{minute:.0f}", f"timelines:calls:{caller}:{minute - 1:.0f}"
        try:
            with connect_counter_redis().pipeline(transaction=False) as line:
                line.incr(present)
                line.expire(present, 2 * MINUTE)
                line.get(last)
                mine, _, before = line.execute()
        except (RedisError, OSError) as why:
            self.away_until = time.monotonic() + PAUSE
            log.warning("calls are not counted, and nobody is refused: Redis does not answer (%s)", why)
            return None
        return float(mine) + float(before or 0) * (1 - into / MINUTE)


counting = Counting()


class CallsOfWhoAsks(BaseThrottle):
    """All calls of a person count together; pushing events is counted apart from everything else."""

    wait_for = 1.0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Whether this call is within the limit."""
        pushes = request.method == "POST" and Scope.EVENTS in select_required_scopes(view, "POST")
        limit = settings.EVENT_CALLS if pushes else settings.CALLS
        if not limit or not request.user.is_authenticated:
            return True
        now = time.time()
        count = counting.count(f"{'events' if pushes else 'calls'}:{identify_caller(request)}", now)
        if count is None or count <= limit:
            return True
        self.wait_for = max(1.0, min((count - limit) / limit * MINUTE, MINUTE - now % MINUTE))
        return False

    def wait(self) -> float:
        """Seconds until it is worth trying again."""
        return float(math.ceil(self.wait_for))


def identify_caller(request: Request) -> str:
    """The person: were each token counted apart, a hundred tokens would be a hundred limits."""
    return f"user-{request.user.pk}"
