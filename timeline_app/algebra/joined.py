"""Several texts as one: at each instant the JSON list of their values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import orjson

from timeline_app.algebra.align import align
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.timelines import Timelines, build_timelines


def join_texts(texts: Sequence[Timelines]) -> Timelines:
    """Return the canonical JSON list of the values, in the order of the inputs; unknown where any of them is."""
    together = align(*texts)
    codes = np.column_stack(
        [item.value[rows].astype(np.int64) for item, rows in zip(texts, together.rows, strict=True)]
    )
    known = (codes >= 0).all(axis=1)
    met, codes_found = np.unique(codes[known], axis=0, return_inverse=True)
    spelled = [
        orjson.dumps([item.labels[code] for item, code in zip(texts, row, strict=True)]).decode()
        for row in met.tolist()
    ]
    labels, order = np.unique(np.array(spelled, dtype=object), return_inverse=True)
    value = np.full(len(codes), Kind.TEXT.unknown, dtype=Kind.TEXT.dtype)
    value[known] = order[codes_found.ravel()]
    names = texts[0].names
    return build_timelines(
        Kind.TEXT, names, together.birth, together.key, together.time, value, labels=labels.astype(object)
    )
