"""Deadlocks and unique names in transactions."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, OperationalError, connection, transaction

from timeline_app.web.core.errors import Conflict

P = ParamSpec("P")
R = TypeVar("R")
MAX_TRIES = 10
DEADLOCK_CODES = ("40P01", "40001")
"""PostgreSQL's codes of a deadlock and of a serialization failure."""


def retry_on_deadlock(service: Callable[P, R]) -> Callable[P, R]:
    """Retry a service with a single transaction when the database aborts it in favour of another."""

    @functools.wraps(service)
    def run(*args: P.args, **options: P.kwargs) -> R:
        for turn in range(1, MAX_TRIES):
            try:
                return service(*args, **options)
            except OperationalError as why:
                if connection.in_atomic_block or not is_deadlock(why):
                    raise
                time.sleep(random.uniform(0.0, 0.02 * turn))  # noqa: S311  # nosec B311
        return service(*args, **options)

    return run


@contextmanager
def refuse_taken_name(message: str) -> Iterator[None]:
    """Turn a violated unique name within the block into a `Conflict` with this message."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as why:
        raise Conflict(message, code="taken") from why


def is_deadlock(why: OperationalError) -> bool:
    """Return whether only a concurrent transaction was to blame."""
    return getattr(why.__cause__, "sqlstate", None) in DEADLOCK_CODES
