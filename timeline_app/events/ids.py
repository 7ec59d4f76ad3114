"""The order of ids: integers by value, then all others by code point."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Ints, Kind
from timeline_app.events.arrow_types import cast_texts
from timeline_app.events.validate import WHOLE_ID


def rank_ids(ids: pa.Array, kind: Kind) -> Ints:
    """Return the rank of each id; ids declared as numbers are ordered as numbers, exactly."""
    order = pc.sort_indices(_sort_keys(ids, kind), sort_keys=[(name, "ascending") for name in _KEYS])
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[order.to_numpy()] = np.arange(len(ids))
    return ranks


_WHOLE = re.compile(WHOLE_ID)


def order_key(spelled: str | None, kind: Kind) -> tuple[Any, ...]:
    """Return the sort key of an id of any stream, in the same order; a missing id comes first.

    >>> sorted(["b", "10", None, "9"], key=lambda spelled: order_key(spelled, Kind.TEXT))
    [None, '9', '10', 'b']
    """
    if spelled is None:
        return ()
    if kind is Kind.NUMBER:
        return 0, Fraction(spelled)
    return (0, int(spelled)) if _WHOLE.match(spelled) else (1, spelled)


_KEYS = ("number", "other", "size", "below", "text")


def _sort_keys(ids: pa.Array, kind: Kind) -> pa.Table:
    """Whole numbers need not be converted: of two, the longer one is the greater, or below zero the lesser."""
    is_whole, below = pc.match_substring_regex(ids, WHOLE_ID), pc.starts_with(ids, "-")
    length = pc.cast(pc.binary_length(ids), pa.int64())
    size = pc.if_else(is_whole, pc.if_else(below, pc.negate(length), length), 0)
    number = cast_texts(ids, kind) if kind is Kind.NUMBER else pa.nulls(len(ids), pa.float64())
    negative = pc.and_(is_whole, below)
    columns = [number, pc.invert(is_whole), size, _rank_ids(ids, negative), ids]
    return pa.table(columns, names=list(_KEYS))


def _rank_ids(ids: pa.Array, negative: pa.Array) -> Ints:
    """Negative numbers of one length stand in the opposite order of their texts."""
    places, negative_rows = np.zeros(len(ids), dtype=np.int64), np.flatnonzero(negative)
    order = pc.array_sort_indices(ids.take(pa.array(negative_rows)), order="descending").to_numpy()
    places[negative_rows[order]] = np.arange(len(negative_rows))
    return places
