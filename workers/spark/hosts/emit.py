"""Emits the revisions of a host's nodes; after a handover, nothing that the former query has emitted.

The new host computes the node from the retained events, and is silent until it reaches the former query's position.
Several sources may pass that position one after the other. Until all have, its timelines are not comparable with what
was emitted; then the whole timelines of the touched keys are emitted, which is always right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import OPEN, Ints
from timeline_app.algebra.revisions import diff, restrict
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Program
from timeline_app.feed import feed_rows
from workers.spark.budget import check_budget

SourceLimits = Mapping[str, Sequence[int]]
"""By source, two numbers: batches before the first were emitted, those from the second on were not."""
HandoverLimits = Mapping[str, SourceLimits]
"""By digest of a node handed over, how far its former query had read; mostly the two numbers are equal."""


BOTH_LIMITS = 2
NO_LIMITS = (0, 0)
"""The limits of a source of which nothing was emitted."""


class EmitMode(Enum):
    """How much of a node is emitted."""

    SUPPRESSED = 0
    FULL = 1
    DELTA = 2


def select_modes(
    handover: HandoverLimits, reached: Mapping[str, int], memory: dict[str, Any]
) -> dict[str, EmitMode]:
    """Return the modes of handed-over nodes by digest, without nodes that have passed all limits.

    `reached` is the greatest number of each source in this batch. A batch of a source lies on one side of each node's
    limits. `memory` (of the bucket) keeps how many of its limits each source has passed.
    """
    stages: dict[str, dict[str, int]] = memory.setdefault("stages", {})
    modes = {}
    for digest, limits in handover.items():
        stages_of_node = stages.setdefault(digest, {})
        behind = {source for source, (_, end) in limits.items() if end > 0}
        if _have_all_passed(stages_of_node, behind):
            continue
        for source in limits.keys() & reached.keys():
            stages_of_node[source] = max(
                stages_of_node.get(source, 0), sum(reached[source] >= limit for limit in limits[source])
            )
        early = any(reached[source] < limits[source][0] for source in limits.keys() & reached.keys())
        if not any(stages_of_node.values()):
            modes[digest] = EmitMode.SUPPRESSED
        elif early or not _have_all_passed(stages_of_node, behind):
            modes[digest] = EmitMode.FULL
    return modes


def _have_all_passed(stages: Mapping[str, int], behind: Iterable[str]) -> bool:
    """Return whether all sources have passed both of their limits."""
    return all(stages.get(source) == BOTH_LIMITS for source in behind)


def emit(
    program: Program,
    modes: Mapping[str, EmitMode],
    old: Mapping[str, Timelines],
    new: Mapping[str, Timelines],
    since: Ints,
) -> Iterator[pa.Table]:
    """Yield the rows of all published nodes from their timelines before and after.

    Full output starts at each key's `since`.
    """
    for index, digest in enumerate(program.nodes):
        mode = modes.get(digest, EmitMode.DELTA)
        if digest in program.silent or mode is EmitMode.SUPPRESSED:
            continue
        if mode is EmitMode.DELTA:
            if old[digest] is new[digest]:
                continue
            revisions = check_budget(digest, diff(old[digest], new[digest]))
        else:
            item = new[digest]
            revisions = restrict(item, since, np.full(item.size, OPEN))
        yield feed_rows.select_node_rows(feed_rows.build_rows(revisions), index)


def emit_progress(
    program: Program,
    handover: HandoverLimits,
    number: int,
    how_far: tuple[str, int, int, int],
    where: Mapping[str, int],
    counted: Mapping[str, int],
) -> Iterator[pa.Table]:
    """Yield a source's progress with a batch: one row for all nodes, or one for each after a handover.

    `how_far` is source, until, seen, frontier; `where` identifies the bucket. What a node's former query has counted
    is not counted again.
    """
    source = how_far[0]
    if not handover:
        yield feed_rows.select_node_rows(feed_rows.build_progress_row(*how_far, **where, **counted))
        return
    for digest in program.published:
        if source not in program.streams_below[digest]:
            continue
        fresh = number >= handover.get(digest, {}).get(source, NO_LIMITS)[0]
        mark = feed_rows.build_progress_row(
            *how_far, **where, **{name: count * fresh for name, count in counted.items()}
        )
        yield feed_rows.select_node_rows(mark, program.nodes.index(digest))
