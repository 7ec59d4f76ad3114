"""What to do when two transactions wait for each other."""

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
TRIES = 10
VICTIM = ("40P01", "40001")
"""PostgreSQL's codes of a deadlock and of a transaction that cannot be put in an order with others."""


def retry_on_deadlock(service: Callable[P, R]) -> Callable[P, R]:
    """A service whose one transaction is tried again when the database ended it so that others could go on."""

    @functools.wraps(service)
    def run(*args: P.args, **options: P.kwargs) -> R:
        for turn in range(1, TRIES):
            try:
                return service(*args, **options)
            except OperationalError as why:
                if connection.in_atomic_block or not is_deadlock(why):
                    raise
                time.sleep(random.uniform(0.0, 0.02 * turn))  # noqa: S311  # nosec B311
        return service(*args, **options)

    return run


@contextmanager
def refuse_taken_name(words: str) -> Iterator[None]:
    """What is written under a name that only one may have: who is second is told so in these words."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as why:
        raise Conflict(words, code="taken") from why


def is_deadlock(why: OperationalError) -> bool:
    """Whether nothing was wrong with the transaction but its company."""
    return getattr(why.__cause__, "sqlstate", None) in VICTIM
