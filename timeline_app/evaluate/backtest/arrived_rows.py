"""The rows of all streams by key, in the order of arrival, as the algebra takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from timeline_app.algebra.events import Events, Rows, Texts, collect, sort_events
from timeline_app.algebra.kinds import Ints, Labels, Mask
from timeline_app.algebra.order import mark_firsts
from timeline_app.compiler import Program
from timeline_app.evaluate.backtest.clock import StreamArrivals
from timeline_app.events.columns import build_rows, sort_names, to_labels


@dataclass(frozen=True, slots=True, eq=False)
class StreamRows:
    """The rows of one stream; `copied` marks copies of another row with the same key and id."""

    name: str
    rows: Rows
    texts: Texts
    copied: Mask

    def texts_of(self, places: Ints) -> Texts:
        """Return the texts of these rows."""
        return lambda rows: self.texts(places[rows])


@dataclass(frozen=True, slots=True, eq=False)
class ArrivedRows:
    """The rows of all streams by key and arrival. `since` is the earliest time that a row can change."""

    names: Labels
    streams: tuple[StreamRows, ...]
    key: Ints
    step: Ints
    since: Ints
    stream: Ints
    place: Ints

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.key)

    def select_events(
        self, rows: Ints, owner: Ints, names: Labels
    ) -> tuple[dict[str, Events], dict[str, Ints]]:
        """Return some rows as events of other keys, by stream, and the row of each event.

        `owner` is the place among `names` of the key of each row.
        """
        events, places = {}, {}
        for number, stream in enumerate(self.streams):
            owners = np.arange(len(rows)) if len(self.streams) == 1 else self._mine(rows, number)
            chosen = self.place[rows[owners]]
            selected = replace(stream.rows.take(chosen), key=owner[owners])
            if stream.copied[chosen].any():
                collected_rows = collect(selected, stream.texts_of(chosen)).rows
                selected, owners = selected.take(collected_rows), owners[collected_rows]
            events[stream.name], order = sort_events(selected, names)
            places[stream.name] = rows[owners[order]]
        return events, places

    def _mine(self, rows: Ints, number: int) -> Ints:
        return np.flatnonzero(self.stream[rows] == number)


def arrange_rows(
    program: Program, streams: Mapping[str, StreamArrivals], steps: Mapping[str, Ints]
) -> ArrivedRows:
    """Return the rows that a program reads; `steps` has the step of each row by stream."""
    chosen = {name: streams[name] for name in program.streams}
    names = sort_names(*(item.table.table["key"] for item in chosen.values()))
    parts = []
    for name, item in chosen.items():
        table = item.table
        rows = build_rows(table.table, table.declaration, table.fields, names, texts=table.texts)
        parts.append(StreamRows(name, rows, table.texts, _mark_copies(rows)))
    key = np.concatenate([part.rows.key.astype(np.int64) for part in parts])
    step = np.concatenate([steps[part.name] for part in parts])
    since = np.concatenate([_compute_since(part) for part in parts])
    counts = [len(part.rows.key) for part in parts]
    stream = np.repeat(np.arange(len(parts)), counts)
    row_number = np.concatenate([np.arange(count) for count in counts])
    order = np.lexsort((step, key)) if len(parts) > 1 else np.argsort(key, kind="stable")
    return ArrivedRows(
        to_labels(names), tuple(parts), *(item[order] for item in (key, step, since, stream, row_number))
    )


def _mark_copies(rows: Rows) -> Mask:
    copied = np.zeros(len(rows.key), dtype=bool)
    if rows.ids is not None:
        named = np.flatnonzero(rows.ids.present)
        code, key = rows.ids.code[named], rows.key[named]
        order = np.lexsort((code, key))
        first = mark_firsts(key[order], code[order]) if len(order) else np.zeros(0, dtype=bool)
        alone = first & np.append(first[1:], True)
        copied[named[order[~alone]]] = True
    return copied


def _compute_since(part: StreamRows) -> Ints:
    """Return the time of each row; of duplicates the least, since one replaces the other."""
    since = part.rows.time.copy()
    rows = np.flatnonzero(part.copied)
    if len(rows) and part.rows.ids is not None:
        key, code = part.rows.key[rows], part.rows.ids.code[rows]
        order = np.lexsort((since[rows], code, key))
        first = mark_firsts(key[order], code[order])
        least = since[rows[order[first]]]
        since[rows[order]] = least[np.cumsum(first) - 1]
    return since
