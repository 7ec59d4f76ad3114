"""Known names that are spelled like one that is not, found within a budget: `difflib` takes minutes on long ones."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Collection
from functools import lru_cache

MAX_COMPARED_LETTERS = 40
"""Names are compared by their beginnings."""
MAX_KNOWN_NAMES = 200
"""Beyond this, only names with the same first letter are compared, and at most this many."""
MAX_CLOSE_NAMES = 3
MAX_COMPARED_NAMES = 10
"""Only the names that share most pairs of letters are compared closely."""


def close_names(name: str, candidates: Collection[str], cutoff: float = 0.5) -> list[str]:
    """At most three of the known names, the closest first; capitals count as small letters.

    >>> close_names("duration_were", ["duration_where", "event_count"])
    ['duration_where']
    """
    name = _fold(name)
    if len(candidates) > MAX_KNOWN_NAMES:
        candidates = [candidate for candidate in candidates if _fold(candidate[:1]) == name[:1]][
            :MAX_KNOWN_NAMES
        ]
    if len(candidates) > MAX_COMPARED_NAMES:
        pairs = _split_pairs(name)
        candidates = heapq.nsmallest(
            MAX_COMPARED_NAMES, candidates, key=lambda candidate: -_compute_overlap(pairs, candidate)
        )
    beginnings = dict[str, list[str]]()
    for candidate in candidates:
        beginnings.setdefault(_fold(candidate), []).append(candidate)
    close = difflib.get_close_matches(name, beginnings, n=MAX_CLOSE_NAMES, cutoff=cutoff)
    return [candidate for beginning in close for candidate in beginnings[beginning]][:MAX_CLOSE_NAMES]


def list_digits(name: str) -> str:
    """Return the digits of a name: `axis1` is no slip for `axis2`."""
    return "".join(filter(str.isdigit, name))


def _fold(name: str) -> str:
    return name[:MAX_COMPARED_LETTERS].lower()


@lru_cache(maxsize=4_096)
def _split_pairs(name: str) -> frozenset[str]:
    padded = f" {_fold(name)} "
    return frozenset(padded[at : at + 2] for at in range(len(padded) - 1))


def _compute_overlap(pairs: frozenset[str], other: str) -> float:
    """Return the share of pairs of letters that two names have in common, from 0 to 1."""
    other_pairs = _split_pairs(other)
    return 2 * len(pairs & other_pairs) / (len(pairs) + len(other_pairs))
