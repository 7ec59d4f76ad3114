"""The archive: older rows of long keys, in segments by time that are read only when a late event needs them.

A segment holds the rows between two cuts and the summary of its key as of the earlier one, so that a late event is
applied from its segment on. An index lists the segments of a key as rows of (number, until, rows); `until` is that of
the summary at the segment's beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints
from workers.spark.state.pages import Pages, StateKey
from workers.spark.state.rows import KeyRows, KeySummaries, pack, unpack

SEGMENT_ROWS = 4_096
"""Rows of one instant are never split between segments."""
_INDEX = -1


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive of a bucket's keys; rows up to `reach` before a cut still decide values after it."""

    pages: Pages
    reach: int

    def append(self, before: KeyRows, rows: pa.Table, name: str, until: int) -> int:
        """Append rows of a key up to a cut; `before` are its rows and summary before them. Return its first cut."""
        index = self._index(name)
        if len(index) and index[-1, 2] + len(rows) <= SEGMENT_ROWS:
            segment_key = _build_segment_key(name, int(index[-1, 0]))
            key_rows = unpack(self.pages.read(segment_key))
            key_rows = KeyRows(pa.concat_tables([key_rows.rows, rows]), key_rows.summaries)
            count = int(index[-1, 2]) + len(rows)
            index = index[:-1]
        else:
            segment_key = _build_segment_key(name, int(index[-1, 0]) + 1 if len(index) else 0)
            key_rows, count = KeyRows(pa.concat_tables([before.rows, rows]), before.summaries), len(rows)
        self.pages.write(segment_key, pack(key_rows))
        begins = key_rows.summaries["until"][0].as_py() if len(key_rows.summaries) else BEGINNING
        index = np.concatenate((index, [[segment_key[2], begins, count]]))
        self._write_index(name, index)
        return _find_first_cut(index, until)

    def restore(self, name: str, since: int) -> KeyRows:
        """Take back a key as of the last cut up to `since`, with all later rows, which leave the archive."""
        index = self._index(name)
        first = max(int(np.searchsorted(index[:, 1], since, side="right")) - 1, 0)
        segments = [
            unpack(self.pages.read(_build_segment_key(name, int(number)))) for number in index[first:, 0]
        ]
        rows_after = [
            item.rows.filter(pc.greater(item.rows["time"], int(until) - 1 - self.reach))
            for item, until in zip(segments[1:], index[first + 1 :, 1], strict=True)
        ]
        earlier, summaries = index[:first], segments[0].summaries
        self._remove(name, index[first:])
        self._write_index(name, earlier)
        if len(summaries):
            tail = pa.array([_find_first_cut(earlier, summaries["until"][0].as_py()) if first else OPEN])
            summaries = summaries.set_column(summaries.column_names.index("tail"), "tail", tail)
        return KeyRows(pa.concat_tables([segments[0].rows, *rows_after]), summaries)

    def drop_before(self, name: str, until: int, horizon: int) -> int:
        """Drop a key's segments that end before the horizon; `until` is that of its summary. Return its first cut."""
        index = self._index(name)
        over = np.append(index[1:, 1], until) <= horizon
        self._remove(name, index[over])
        self._write_index(name, index[~over])
        return _find_first_cut(index[~over], until) if (~over).any() else OPEN

    def _index(self, name: str) -> Ints:
        blob = self.pages.read(_build_segment_key(name, _INDEX))
        return np.frombuffer(blob or b"", dtype=np.int64).reshape(-1, 3)

    def _write_index(self, name: str, index: Ints) -> None:
        if len(index):
            self.pages.write(_build_segment_key(name, _INDEX), index.astype(np.int64).tobytes())
        else:
            self.pages.drop(_build_segment_key(name, _INDEX))

    def _remove(self, name: str, index: Ints) -> None:
        for number in index[:, 0].tolist():
            self.pages.drop(_build_segment_key(name, number))


def restore_rows(
    archive: Archive, key_rows: KeyRows, names: pa.Array, since: Ints
) -> tuple[pa.Table, KeySummaries]:
    """Return rows and summaries of keys that are exact from each key's `since` on.

    Archived rows are marked `ARCHIVED`.
    """
    summaries = KeySummaries.from_rows(key_rows.summaries, names)
    keys = np.flatnonzero((summaries.archived_from != OPEN) & (since < summaries.until))
    if not len(keys):
        return key_rows.rows, summaries
    restored_rows = [archive.restore(str(names[int(key)]), int(since[key])) for key in keys]
    chosen = names.take(pa.array(keys))
    restored = pc.is_in(key_rows.rows["key"], value_set=chosen)
    reachable_rows = _select_rows_after(
        key_rows.rows.filter(restored), chosen, summaries.until[keys] - 1 - archive.reach
    )
    older = pa.concat_tables([item.rows for item in restored_rows])
    summaries.update(
        keys, KeySummaries.from_rows(pa.concat_tables([item.summaries for item in restored_rows]), chosen)
    )
    older = older.append_column(ARCHIVED, pa.array(np.ones(len(older), dtype=bool)))
    return pa.concat_tables(
        [key_rows.rows.filter(pc.invert(restored)), older, reachable_rows], promote_options="default"
    ), summaries


def drop_expired(archive: Archive, names: pa.Array, summaries: KeySummaries, horizon: int) -> list[str]:
    """Drop archived rows before the horizon. Return the keys whose archive is empty now."""
    emptied = []
    for index in np.flatnonzero(summaries.archived_from <= horizon).tolist():
        name = str(names[index])
        summaries.archived_from[index] = archive.drop_before(name, int(summaries.until[index]), horizon)
        if summaries.archived_from[index] == OPEN:
            emptied.append(name)
    return emptied


ARCHIVED = "archived"
"""The column that marks rows from the archive; null in all others."""


def _select_rows_after(rows: pa.Table, names: pa.Array, at: Ints) -> pa.Table:
    """Return the rows after each key's instant."""
    limits = pa.array(at).take(pc.index_in(rows["key"], value_set=names).combine_chunks())
    return rows.filter(pc.greater(rows["time"], limits))


def _find_first_cut(index: Ints, until: int) -> int:
    """Return where the first segment ends."""
    return int(index[1, 1]) if len(index) > 1 else until


def _build_segment_key(name: str, number: int) -> StateKey:
    return ("tail", name, number)
