"""A log as a plain list beside the one in the database: what was said of each key, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.algebra.revisions import Revisions
from timeline_app.web.models import Node
from timeline_app.web.nodes.revision_log import append

Said = tuple[str, int, int | None, int | None, list[Point]]
"""Key, birth, start, end and pieces of a revision."""


def build_revisions(kind: Kind, revisions: Sequence[Said]) -> Revisions:
    """Revisions of several keys, in columns."""
    rows = sorted(revisions)
    pieces = [point for row in rows for point in row[4]]
    texts = sorted({str(point[1]) for point in pieces if point[1] is not None})
    times = [BEGINNING if point[0] is None else point[0] for point in pieces]
    codes: dict[Kind, dict[Any, int]] = {
        Kind.BOOL: {False: 0, None: 1, True: 2},
        Kind.TEXT: {None: -1} | {v: n for n, v in enumerate(texts)},
    }
    values = [
        codes[kind][point[1]] if kind in codes else np.nan if point[1] is None else point[1]
        for point in pieces
    ]
    slopes = [point[2] if kind is Kind.NUMBER else 0.0 for point in pieces]
    return Revisions(
        kind,
        np.array([row[0] for row in rows], dtype=object),
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([BEGINNING if row[2] is None else row[2] for row in rows], dtype=np.int64),
        np.array([OPEN if row[3] is None else row[3] for row in rows], dtype=np.int64),
        np.cumsum([0, *(len(row[4]) for row in rows)]),
        np.array(times, dtype=np.int64),
        np.array(values, dtype=kind.dtype),
        np.array(slopes, dtype=np.float64),
        np.array(texts, dtype=object),
    )


@dataclass
class RevisedNode:
    """A node, and all that was ever said of its keys."""

    node: Node
    said: list[tuple[int, Said]] = field(default_factory=list)

    def say(self, known_at: int, *revisions: Said) -> None:
        """Publish the node's next version."""
        node = self.node
        node.version, node.as_of = node.version + 1, known_at
        append(node, node.version, known_at, build_revisions(Kind(node.kind), revisions))
        node.save(update_fields=["version", "as_of"])
        self.said += [(known_at, item) for item in revisions]

    def names(self) -> set[str]:
        """All keys that anything was said of."""
        return {item[0] for _, item in self.said}

    def points(
        self, key: str, known_at: int, start: int | None = None, end: int | None = None
    ) -> list[Point] | None:
        """What a key's timeline was then, as the whole log tells it; None where there was none."""
        log = [item for then, item in reversed(self.said) if item[0] == key and then <= known_at]
        if not log or log[0][1] == OPEN:
            return None
        return fold(Kind(self.node.kind), [Stretch(*item[2:]) for item in log], start, end)
