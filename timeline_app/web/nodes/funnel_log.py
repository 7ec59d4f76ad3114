"""The revision log of a sequence's keys, read into columns within limits."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Q, QuerySet

from timeline_app.algebra.fold_columns import LogColumns
from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints
from timeline_app.web.models import Node, NodeKey, Revision

MAX_FUNNEL_KEYS = 100_000
"""The keys that were revised last."""
MAX_FUNNEL_POINTS = 2_000_000
_ROWS_PER_CHUNK = 5_000
_UNKNOWN = -1

Row = tuple[int, int, int, list[list[Any]]]
"""The key's database row, start and end of a revision, and its pieces."""


class FunnelLog(NamedTuple):
    """The database rows of the keys, their revisions, and whether these are complete."""

    keys: Ints
    log: LogColumns
    is_complete: bool


def _column() -> array[int]:
    return array("q")


@dataclass(slots=True, eq=False)
class _LogReader:
    """Reads row by row: a million lists waiting for their column would occupy the garbage collector."""

    codes: dict[str, int]
    key: array[int] = field(default_factory=_column)
    start: array[int] = field(default_factory=_column)
    end: array[int] = field(default_factory=_column)
    size: array[int] = field(default_factory=_column)
    time: array[int] = field(default_factory=_column)
    code: array[int] = field(default_factory=_column)

    def take(self, rows: Iterable[Row]) -> bool:
        """Return whether everything was read; if not, the last key may be incomplete."""
        for key, start, end, pieces in rows:
            if len(self.time) + len(pieces) > MAX_FUNNEL_POINTS:
                self.drop(key)
                return False
            self.key.append(key)
            self.start.append(start)
            self.end.append(end)
            self.size.append(len(pieces))
            if pieces and pieces[0][0] is None:  # only the first can be unbounded
                pieces[0][0] = BEGINNING
            self.time.extend(map(itemgetter(0), pieces))
            self.code.extend(map(self.codes.get, map(itemgetter(1), pieces), repeat(_UNKNOWN)))
        return True

    def drop(self, key: int) -> None:
        """Remove the last key if it is this one, because not all of its revisions can be read."""
        while self.key and self.key[-1] == key:
            del self.time[len(self.time) - self.size[-1] :], self.code[len(self.code) - self.size[-1] :]
            for column in (self.key, self.start, self.end, self.size):
                column.pop()

    def columns(self) -> tuple[Ints, LogColumns]:
        """Return the keys, and the log with their indices."""
        owner, start, end, size, time, code = (
            np.array(column, dtype=np.int64)
            for column in (self.key, self.start, self.end, self.size, self.time, self.code)
        )
        keys, key = np.unique(owner, return_inverse=True)
        return keys, LogColumns(key, start, end, np.concatenate(([0], np.cumsum(size))), time, code)


def read_funnel_log(node: Node, words: Sequence[str], start: int, end: int) -> FunnelLog:
    """Return the keys' log from `start` to `end`, with values as indices into `words`.

    A batch that is being published is left out.
    """
    newest, is_complete = _select_newest(node, end)
    until = OPEN if node.as_of is None else node.as_of
    rows = newest.filter(known_at__lte=until, end__gt=start, start__lt=end).order_by(
        "node_key_id", "-known_at"
    )
    reader = _LogReader({word: code for code, word in enumerate(words)})
    columns = rows.values_list("node_key_id", "start", "end", "pieces")
    is_whole = reader.take(columns.iterator(chunk_size=_ROWS_PER_CHUNK))
    return FunnelLog(*reader.columns(), is_complete and is_whole)


def _select_newest(node: Node, end: int) -> tuple[QuerySet[Revision], bool]:
    """Return the revisions of the keys that were revised last, and whether that is all."""
    newest: QuerySet[Revision] = Revision.objects.filter(node_key__node=node, node_key__birth__lt=end)
    newest_first = NodeKey.objects.filter(node=node, birth__lt=end).order_by("-version", "-pk")
    edge = newest_first.values_list("version", "pk")[MAX_FUNNEL_KEYS : MAX_FUNNEL_KEYS + 1].first()
    if edge is None:
        return newest, True
    newer = Q(node_key__version__gt=edge[0]) | Q(node_key__version=edge[0], node_key__gt=edge[1])
    return newest.filter(newer), False
