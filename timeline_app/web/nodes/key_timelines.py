"""The timelines of many keys over one time range, thinned for a chart with one row per key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from timeline_app.algebra.fold import fold
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.thin import compute_buckets, thin_by_buckets
from timeline_app.web.models import Node
from timeline_app.web.nodes.freshness import read_known_until
from timeline_app.web.nodes.key_states import (
    TooManyChangePoints,
    group_revisions,
    load_key_log,
    load_newest_keys,
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KeyTimelinesQuestion:
    """Which keys, from when to when (microseconds), for how many pixels, and at most how many keys."""

    start: int
    end: int
    pixels: int
    search: str = ""
    limit: int = 200


def read_key_timelines(node: Node, question: KeyTimelinesQuestion) -> dict[str, Any]:
    """Return the timelines of the keys that were revised last; `complete` if nothing was left out."""
    kind = Kind(node.kind)
    keys_by_pk, total = load_newest_keys(node, question.search)
    keys = dict(list(keys_by_pk.items())[: question.limit])
    log = load_key_log(list(keys), question.start, question.end - 1, node.as_of)
    rows, is_whole = _read(kind, keys, log, question)
    return {
        "node": node.digest,
        "kind": kind.printed,
        "from": question.start,
        "to": question.end,
        "known": total,
        "complete": is_whole and len(keys) == total,
        "keys": rows,
        "final_until": node.final_until,
        "as_of": node.as_of,
        **read_known_until(node),
    }


def _read(
    kind: Kind,
    keys: dict[int, tuple[str, int]],
    log: Iterable[tuple[int, Any, Any, Any]],
    question: KeyTimelinesQuestion,
) -> tuple[list[Row], bool]:
    """Return a row for each key, and whether all of them could be read."""
    rows: list[Row] = []
    try:
        for pk, stretches in group_revisions(log):
            if points := fold(kind, stretches, question.start, question.end):
                thinned, left_out = thin_by_buckets(
                    kind, points, compute_buckets(points, question.pixels, question.start, question.end)
                )
                name, birth = keys[pk]
                rows.append({"key": name, "birth": birth, "points": thinned, "left_out": left_out})
    except TooManyChangePoints:
        return rows, False
    return rows, True
