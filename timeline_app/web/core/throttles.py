"""Limits on calls per person and minute, over all tokens: counted in Redis, for all processes together.

Without Redis nobody is refused: the limit only protects against too frequent calls.
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
MINUTE_S = 60
REDIS_RETRY_S = 5.0
"""A Redis that did not answer is not asked again during this time."""


@cache
def connect_counter_redis() -> Redis:
    return Redis.from_url(settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=0.5)


class Counting:
    """Calls of the current and the previous minute, by caller."""

    def __init__(self) -> None:
        self.away_until = 0.0

    def count(self, caller: str, now: float) -> float | None:
        """Count one call; return the approximate number in the last sixty seconds, or None without Redis."""
        if time.monotonic() < self.away_until:
            return None
        minute, into = divmod(now, MINUTE_S)
        present, last = f"timelines:calls:{caller}:{minute:.0f}", f"timelines:calls:{caller}:{minute - 1:.0f}"
        try:
            with connect_counter_redis().pipeline(transaction=False) as line:
                line.incr(present)
                line.expire(present, 2 * MINUTE_S)
                line.get(last)
                current, _, before = line.execute()
        except (RedisError, OSError) as why:
            self.away_until = time.monotonic() + REDIS_RETRY_S
            log.warning("calls are not counted, and nobody is refused: Redis does not answer (%s)", why)
            return None
        return float(current) + float(before or 0) * (1 - into / MINUTE_S)


counting = Counting()


class CallsOfWhoAsks(BaseThrottle):
    """Count all calls of a person together, and pushes of events separately."""

    wait_for = 1.0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Return whether this call is within the limit."""
        pushes = request.method == "POST" and Scope.EVENTS in select_required_scopes(view, "POST")
        limit = settings.MAX_EVENT_CALLS_PER_MINUTE if pushes else settings.MAX_CALLS_PER_MINUTE
        if not limit or not request.user.is_authenticated:
            return True
        now = time.time()
        count = counting.count(f"{'events' if pushes else 'calls'}:{identify_caller(request)}", now)
        if count is None or count <= limit:
            return True
        self.wait_for = max(1.0, min((count - limit) / limit * MINUTE_S, MINUTE_S - now % MINUTE_S))
        return False

    def wait(self) -> float:
        """Return the seconds until a retry may succeed."""
        return float(math.ceil(self.wait_for))


def identify_caller(request: Request) -> str:
    """Return the person: if each token counted separately, a hundred tokens would have a hundred limits."""
    return f"user-{request.user.pk}"
