"""Limits the output of a node per batch. Over a limit, its query ends before any of the batch is published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from timeline_app.algebra.limits import TooFine
from timeline_app.algebra.revisions import Revisions

MAX_POINTS_PER_KEY = 1_000_000
"""A late event among half a million counted ones revises this many."""
MAX_POINTS_PER_BATCH = 4_000_000
"""Summed over all keys of a bucket."""
_OVER_BUDGET = re.compile(r"OverBudget: node ([0-9a-f]{64}): (.*)")


class OverBudget(ValueError):
    """A node's output of one batch is too large. The message names node, figure, limit and remedy."""

    def __init__(self, digest: str, words: str) -> None:
        super().__init__(f"node {digest}: {words}")


@contextmanager
def enforce_budget(digest: str) -> Iterator[None]:
    """Report what is too fine to be computed at once as `OverBudget` of a node."""
    try:
        yield
    except TooFine as why:
        raise OverBudget(digest, str(why)) from None


def check_budget(digest: str, revisions: Revisions) -> Revisions:
    """Return the revisions, or raise `OverBudget`."""
    most = int(np.diff(revisions.offsets).max(initial=0))
    for count, limit, extent in (
        (most, MAX_POINTS_PER_KEY, "of one key"),
        (len(revisions.time), MAX_POINTS_PER_BATCH, "of all keys"),
    ):
        if count > limit:
            raise OverBudget(
                digest,
                f"one batch makes {count:,} points {extent}, and at most {limit:,} are published; choose a greater"
                " `every` where the plan has one, a shorter retention of its streams, or fewer changes a key",
            )
    return revisions


def find_over_budget(text: str) -> tuple[str, str] | None:
    """Return digest and message where a Spark error reports an exceeded budget; None for other errors."""
    match_ = _OVER_BUDGET.search(text)
    return None if match_ is None else (match_[1], match_[2].strip()[:500])
