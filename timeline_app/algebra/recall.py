"""Operators' memory of one value per key: the bits of a number, a bool as stored, a text as text."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.align import recode
from timeline_app.algebra.kinds import Ints, Kind, Labels, Values
from timeline_app.algebra.retention import Carried, find_holding
from timeline_app.algebra.timelines import Timelines


def recall_amounts(item: Timelines, at: Ints) -> Ints:
    """Return the value of a bool or steady number at each key's instant, as a column of whole numbers."""
    value = item.value[find_holding(item, at)]
    amounts = value.view(np.int64) if item.kind is Kind.NUMBER else value.astype(np.int64)
    return np.asarray(amounts[:, np.newaxis])


def recall_texts(item: Timelines, at: Ints) -> Labels:
    """Return the text at each key's instant; None where it is unknown."""
    nothing: Labels = np.array([None], dtype=object)
    return np.concatenate((item.labels, nothing))[item.value[find_holding(item, at)]]


def recall_values(
    item: Timelines, carried: Carried | None, kind: Kind | None = None
) -> tuple[Labels, Values, Values]:
    """Return labels, the values of the pieces, and each key's remembered value, unknown where there is none.

    The memory has the kind of the timelines, or another `kind`.
    """
    kind = kind or item.kind
    value = np.full(item.size, kind.unknown, dtype=kind.dtype)
    if carried is None:
        return item.labels, item.value, value
    if kind is not Kind.TEXT:
        bits = np.ascontiguousarray(carried.amounts[:, 0])
        carried_values = bits.view(np.float64) if kind is Kind.NUMBER else bits
        return (
            item.labels,
            item.value,
            np.where(carried.folded, carried_values, kind.unknown).astype(kind.dtype),
        )
    rows = np.flatnonzero(carried.folded & np.asarray(carried.texts != None))  # noqa: E711  (of each of them)
    labels = np.unique(np.concatenate((item.labels, carried.texts[rows]))).astype(object)
    value[rows] = np.searchsorted(labels, carried.texts[rows])
    return labels, recode(item.value, item.labels, labels), value
