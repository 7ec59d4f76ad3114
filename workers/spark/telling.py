"""What a host tells of its nodes: what changed; of a node that came from another query nothing that this one told.

The new host computes the node anew from the retained events. As long as it is behind what the other query had read,
it is silent. Where several sources pass that point one after the other, its timelines are not comparable with what was
told until all have passed: then the whole timelines of the touched keys are told, which is right in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import OPEN, Ints
from timeline_app.algebra.revisions import diff, restrict
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Program
from timeline_app.storage import feed

TakenOver = Mapping[str, Mapping[str, int]]
"""By digest of a node that came from another query, by source: the first number which that query had not read."""


class Mode(Enum):
    """How a node is told of."""

    SILENT = 0
    WHOLE = 1
    CHANGES = 2


def modes(taken: TakenOver, reached: Mapping[str, int], memory: dict[str, Any]) -> dict[str, Mode]:
    """By digest, how to tell of the nodes that were taken over, those left out that are settled.

    `reached` says by source the greatest number in this batch. A batch of a source lies on one side of each node's
    limit. `memory` (of the bucket) keeps which sources have passed.
    """
    passed: dict[str, list[str]] = memory.setdefault("passed", {})
    found = {}
    for digest, limits in taken.items():
        behind = [source for source, limit in limits.items() if limit > 0]
        before = set(passed.get(digest, ()))
        if before.issuperset(behind):
            continue
        early = any(number < limits.get(source, 0) for source, number in reached.items())
        now = before | {source for source, number in reached.items() if number >= limits.get(source, 0)}
        passed[digest] = sorted(now)
        if not now:
            found[digest] = Mode.SILENT
        elif early or not now.issuperset(behind):
            found[digest] = Mode.WHOLE
    return found


def tell(
    program: Program,
    how: Mapping[str, Mode],
    old: Mapping[str, Timelines],
    new: Mapping[str, Timelines],
    since: Ints,
) -> Iterator[pa.Table]:
    """The rows of all published nodes: timelines before and after by digest; whole ones from each key's `since` on."""
    for place, digest in enumerate(program.nodes):
        mode = how.get(digest, Mode.CHANGES)
        if digest in program.silent or mode is Mode.SILENT:
            continue
        if mode is Mode.CHANGES:
            revisions = diff(old[digest], new[digest])
        else:
            item = new[digest]
            revisions = restrict(item, since, np.full(item.size, OPEN))
        yield feed.told(feed.rows_of(revisions), place)


def marks(
    program: Program,
    taken: TakenOver,
    number: int,
    how_far: tuple[str, int, int],
    where: Mapping[str, int],
    counted: Mapping[str, int],
) -> Iterator[pa.Table]:
    """The marks of a batch of a source: one for all nodes, or one for each where some were taken over.

    `how_far` are source, until, seen; `where` says of which bucket it is. What a node's former query has counted is not
    counted again.
    """
    source = how_far[0]
    if not taken:
        yield feed.told(feed.mark(*how_far, **where, **counted))
        return
    for digest in program.published:
        if source not in program.streams_below[digest]:
            continue
        fresh = number >= taken.get(digest, {}).get(source, 0)
        mark = feed.mark(*how_far, **where, **{name: count * fresh for name, count in counted.items()})
        yield feed.told(mark, program.nodes.index(digest))
