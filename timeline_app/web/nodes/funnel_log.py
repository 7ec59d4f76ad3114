"""The revision log of a sequence's keys, read in columns: at most so many keys, and so many change points."""

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
"""Those that were revised last."""
MAX_FUNNEL_POINTS = 2_000_000
_CHUNK = 5_000
_UNKNOWN = -1

Row = tuple[int, int, int, list[list[Any]]]
"""The key's row in the database, from when, to when, and the pieces of a revision."""


class FunnelLog(NamedTuple):
    """The keys, by their rows in the database; their revisions; and whether these are all."""

    keys: Ints
    log: LogColumns
    is_complete: bool


def _column() -> array[int]:
    return array("q")


@dataclass(slots=True, eq=False)
class _LogReader:
    """Takes rows one by one: a million lists that wait for their column would occupy the garbage collector."""

    codes: dict[str, int]
    key: array[int] = field(default_factory=_column)
    start: array[int] = field(default_factory=_column)
    end: array[int] = field(default_factory=_column)
    size: array[int] = field(default_factory=_column)
    time: array[int] = field(default_factory=_column)
    code: array[int] = field(default_factory=_column)

    def take(self, rows: Iterable[Row]) -> bool:
        """Whether that was all; of the last key it may be a part, if it was not."""
        for key, start, end, pieces in rows:
            if len(self.time) + len(pieces) > MAX_FUNNEL_POINTS:
                self.drop(key)
                return False
            self.key.append(key)
            self.start.append(start)
            self.end.append(end)
            self.size.append(len(pieces))
            if pieces and pieces[0][0] is None:  # only the first can stand since ever
                pieces[0][0] = BEGINNING
            self.time.extend(map(itemgetter(0), pieces))
            self.code.extend(map(self.codes.get, map(itemgetter(1), pieces), repeat(_UNKNOWN)))
        return True

    def drop(self, key: int) -> None:
        """Leave out the key that came last, if it is this one: not all of its revisions can be read."""
        while self.key and self.key[-1] == key:
            del self.time[len(self.time) - self.size[-1] :], self.code[len(self.code) - self.size[-1] :]
            for column in (self.key, self.start, self.end, self.size):
                column.pop()

    def columns(self) -> tuple[Ints, LogColumns]:
        """The keys, and the log with their numbers."""
        owner, start, end, size, time, code = (
            np.array(column, dtype=np.int64)
            for column in (self.key, self.start, self.end, self.size, self.time, self.code)
        )
        keys, key = np.unique(owner, return_inverse=True)
        return keys, LogColumns(key, start, end, np.concatenate(([0], np.cumsum(size))), time, code)


def read_funnel_log(node: Node, words: Sequence[str], start: int, end: int) -> FunnelLog:
    """What the log says of the keys from `start` to `end`, in codes: the places of `words`.

    Of a batch that is being published nothing.
    """
    known, is_complete = _newest(node, end)
    until = OPEN if node.as_of is None else node.as_of
    rows = known.filter(known_at__lte=until, end__gt=start, start__lt=end).order_by(
        "node_key_id", "-known_at"
    )
    reader = _LogReader({word: code for code, word in enumerate(words)})
    columns = rows.values_list("node_key_id", "start", "end", "pieces")
    is_whole = reader.take(columns.iterator(chunk_size=_CHUNK))
    return FunnelLog(*reader.columns(), is_complete and is_whole)


def _newest(node: Node, end: int) -> tuple[QuerySet[Revision], bool]:
    """The revisions of the keys that were revised last, and whether these are all."""
    known: QuerySet[Revision] = Revision.objects.filter(node_key__node=node, node_key__birth__lt=end)
    newest_first = NodeKey.objects.filter(node=node, birth__lt=end).order_by("-version", "-pk")
    edge = newest_first.values_list("version", "pk")[MAX_FUNNEL_KEYS : MAX_FUNNEL_KEYS + 1].first()
    if edge is None:
        return known, True
    newer = Q(node_key__version__gt=edge[0]) | Q(node_key__version=edge[0], node_key__gt=edge[1])
    return known.filter(newer), False
