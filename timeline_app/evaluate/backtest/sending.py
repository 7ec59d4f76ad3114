"""Messages as the product would send them: the first at once, later ones together at the end of the window.

Which changes a message has depends on whether the message before it had news. Nearly all changes are news in any
message, so columns decide most messages; the others are decided one by one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from timeline_app.algebra.kinds import SECOND, Ints, Mask
from timeline_app.algebra.order import mark_firsts, mark_lasts
from timeline_app.evaluate.backtest.incidents import STATES
from timeline_app.evaluate.backtest.telling import (
    FLAPPING,
    GROUP_WINDOW_S,
    MAX_AGE_US,
    NOT_NOTIFIED,
    RESOLVED,
    RETRACTED,
    SETTLED,
    Told,
    choose_change,
)

CHANGES = (*STATES, "amended", "reopened", FLAPPING, SETTLED)
_FIRING, _RESOLVED, _RETRACTED, _AMENDED, _REOPENED = range(5)
_UNTOLD = NOT_NOTIFIED, 0, 0


@dataclass(frozen=True, slots=True, eq=False)
class NewsRecords:
    """Changes of incidents in the order of their instants `at`; `state` is a place in `STATES`.

    `known_at` and `key` are those of each incident.
    """

    at: Ints
    incident: Ints
    state: Ints
    start: Ints
    end: Ints
    known_at: Ints
    key: Ints

    def select(self, rows: Mask) -> NewsRecords:
        """Return the records of these rows."""
        columns = (self.at[rows], self.incident[rows], self.state[rows], self.start[rows], self.end[rows])
        return NewsRecords(*columns, self.known_at, self.key)


@dataclass(frozen=True, slots=True, eq=False)
class FlappingNews:
    """Keys that begin to flap, with the incident that stands for them, or settle, by ascending instant."""

    at: Ints
    key: Ints
    flaps: Mask
    carrier: Ints


@dataclass(frozen=True, slots=True, eq=False)
class SentNews:
    """News by incident: when each is sent, in which message, and the change (a place in `CHANGES`)."""

    at: Ints
    message: Ints
    incident: Ints
    change: Ints
    messages: int


def send_messages(
    records: NewsRecords, flapping: FlappingNews, window: int = GROUP_WINDOW_S * SECOND
) -> SentNews:
    """Return what receivers get of these changes."""
    return _Sending(records, flapping, window).run()


@dataclass(slots=True)
class _FlappingSender:
    """What receivers know of keys that flap at times, and what is due."""

    known_at: Ints
    key: Ints
    due: set[int] = field(default_factory=set)
    _now: dict[int, Told] = field(default_factory=dict)
    _told: dict[int, Told] = field(default_factory=dict)
    _carriers: dict[int, int] = field(default_factory=dict)
    _held: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    _released: set[int] = field(default_factory=set)

    def take(self, incident: int, now: Told) -> None:
        self._now[incident] = now
        self.due.add(incident)

    def begin_flapping(self, key: int, carrier: int) -> None:
        self._carriers[key] = carrier
        if carrier in self._now:
            self.due.add(carrier)

    def end_flapping(self, key: int) -> None:
        held_keys = self._held.pop(key, set())
        self._released |= held_keys
        self.due |= held_keys
        carrier = self._carriers.pop(key, -1)
        if carrier in self._now:
            self.due.add(carrier)

    def flush(self) -> list[tuple[int, int]]:
        """Return the due news as (incident, place in `CHANGES`)."""
        news = []
        for incident in self.due:
            carrier = self._carriers.get(int(self.key[incident]))
            if carrier is not None and carrier != incident:
                self._held[int(self.key[incident])].add(incident)
                continue
            now = self._now[incident] if carrier is None else (FLAPPING, 0, 0)
            if change := self._choose_change(incident, now):
                news.append((incident, CHANGES.index(change)))
                self._told[incident] = now
        self._released -= self.due
        self.due.clear()
        return news

    def _choose_change(self, incident: int, now: Told) -> str:
        was_sent = self._told.get(incident, _UNTOLD)
        if was_sent == _UNTOLD and incident in self._released and now[0] in (RESOLVED, RETRACTED):
            return ""
        return choose_change(was_sent, now, int(self.known_at[incident]))


class _Sending:
    """Composes the messages in turn."""

    def __init__(self, records: NewsRecords, flapping: FlappingNews, window: int) -> None:
        self._records, self._flapping, self._window = records, flapping, window
        self._sender = _FlappingSender(records.known_at, records.key)
        flaps = np.zeros(int(records.key.max(initial=-1)) + 1, dtype=bool)
        flaps[flapping.key] = True
        self._may_flap = flaps[records.key][records.incident]
        self._row = np.flatnonzero(~self._may_flap)
        self._order = np.lexsort((self._row, records.incident[self._row]))
        self._flush = np.full(len(records.at), -1, dtype=np.int64)
        self._previous = self._find_previous()

    def run(self) -> SentNews:
        """Process the instants; a message takes all up to the end of its window."""
        instants = np.union1d(self._records.at, self._flapping.at)
        starts = np.append(np.searchsorted(self._records.at, instants), len(self._records.at))
        marks = np.append(np.searchsorted(self._flapping.at, instants), len(self._flapping.at))
        times, rows, flaps = instants.tolist(), starts.tolist(), marks.tolist()
        sure = np.append(0, np.cumsum(self._mark_sure())).tolist()
        may_flap = np.append(0, np.cumsum(self._may_flap)).tolist()
        place, ready, at, sent, extra = 0, -(2**62), list[int](), list[bool](), list[tuple[int, int, int]]()
        while place < len(times):
            moment = max(times[place], ready)
            end = bisect_right(times, moment, place)
            first, last = rows[place], rows[end]
            self._flush[first:last] = len(at)
            news = []
            if may_flap[last] > may_flap[first] or flaps[end] > flaps[place] or self._sender.due:
                news = self._send_flapping(range(place, end), rows, flaps)
            extra += [(len(at), *change) for change in news]
            sent.append(bool(news) or sure[last] > sure[first] or self._has_news(first, last))
            at.append(moment)
            ready = moment + self._window if sent[-1] else ready
            place = end
        return self._gather(np.array(at, dtype=np.int64), np.array(sent, dtype=bool), extra)

    def _send_flapping(self, instants: range, rows: list[int], flaps: list[int]) -> list[tuple[int, int]]:
        records, flapping, sender = self._records, self._flapping, self._sender
        for row in range(rows[instants.start], rows[instants.stop]):
            if self._may_flap[row]:
                now = STATES[records.state[row]], int(records.start[row]), int(records.end[row])
                sender.take(int(records.incident[row]), now)
        for row in range(flaps[instants.start], flaps[instants.stop]):
            if flapping.flaps[row]:
                sender.begin_flapping(int(flapping.key[row]), int(flapping.carrier[row]))
            else:
                sender.end_flapping(int(flapping.key[row]))
        return sender.flush()

    def _find_previous(self) -> Ints:
        """Return for each row the row of the same incident before it; -1 for none."""
        previous = np.full(len(self._records.at), -1, dtype=np.int64)
        row = self._row[self._order]
        follows = ~mark_firsts(self._records.incident[row]) if len(row) else np.zeros(0, dtype=bool)
        previous[row[follows]] = row[np.flatnonzero(follows) - 1]
        return previous

    def _is_old(self, row: Ints) -> Mask:
        records = self._records
        known_at = records.known_at[records.incident[row]]
        return np.asarray((records.state[row] == _RESOLVED) & (known_at - records.end[row] > MAX_AGE_US))

    def _mark_sure(self) -> Mask:
        """Return which rows are news in any grouping: incidents that fire, end, and no more."""
        records, sure = self._records, np.zeros(len(self._records.at), dtype=bool)
        row = self._row[self._order]
        if not len(row):
            return sure
        first, last = mark_firsts(records.incident[row]), mark_lasts(records.incident[row])
        begins = first & (records.state[row] == _FIRING)
        ends = last & (records.state[row] == _RESOLVED) & ~self._is_old(row)
        follows = np.append(False, begins[:-1])
        leads = np.append(ends[1:], False)
        sure[row[(begins & (last | leads)) | (ends & (first | follows))]] = True
        return sure

    def _has_news(self, first: int, last: int) -> bool:
        """Return whether any of these rows, in one message, is news."""
        rows = {
            int(self._records.incident[row]): row for row in range(first, last) if not self._may_flap[row]
        }
        return any(self._is_news(row, first) for row in rows.values())

    def _is_news(self, row: int, first: int) -> bool:
        before = int(self._previous[row])
        while before >= first:
            before = int(self._previous[before])
        sent = self._describe(before) if self._was_told(before) else _UNTOLD
        known_at = self._records.known_at[self._records.incident[row]]
        return bool(choose_change(sent, self._describe(row), int(known_at)))

    def _was_told(self, row: int) -> bool:
        """Return whether a message had news of an incident; this is its last row in a message."""
        while row >= 0:
            if self._records.state[row] != _RETRACTED and not self._is_old(np.array([row]))[0]:
                return True
            flush, row = self._flush[row], int(self._previous[row])
            while row >= 0 and self._flush[row] == flush:
                row = int(self._previous[row])
        return False

    def _describe(self, row: int) -> Told:
        records = self._records
        return STATES[records.state[row]], int(records.start[row]), int(records.end[row])

    def _gather(self, at: Ints, sent: Mask, extra: list[tuple[int, int, int]]) -> SentNews:
        """Return the news of all messages, with those of flapping keys (message, incident, change)."""
        row, change = self._choose_changes()
        more = np.array(extra, dtype=np.int64).reshape(-1, 3)
        flush = np.concatenate((self._flush[row], more[:, 0]))
        incident = np.concatenate((self._records.incident[row], more[:, 1]))
        change = np.concatenate((change, more[:, 2]))
        order = np.lexsort((flush, incident))
        flush, number = flush[order], np.cumsum(sent, dtype=np.int64)
        return SentNews(at[flush], number[flush], incident[order], change[order], int(sent.sum()))

    def _choose_changes(self) -> tuple[Ints, Ints]:
        """Return the rows that are news, for keys that never flap, and their changes: `choose_change` in columns."""
        records, row = self._records, self._row[self._order]
        if not len(row):
            return row, row
        row = row[mark_lasts(records.incident[row], self._flush[row])]
        first = mark_firsts(records.incident[row])
        state, start, end = records.state[row], records.start[row], records.end[row]
        is_sent = (state != _RETRACTED) & ~self._is_old(row)
        was_sent = _count_before(is_sent, first) > 0
        was = np.append(-1, state[:-1])
        moved = np.append(
            False, (start[1:] != start[:-1]) | ((state[1:] == _RESOLVED) & (end[1:] != end[:-1]))
        )
        is_reopened = (state == _FIRING) & (was == _RESOLVED)
        change = np.where(
            was_sent & (was == state), _AMENDED, np.where(was_sent & is_reopened, _REOPENED, state)
        )
        news = np.where(was_sent, (was != state) | (moved & (state != _RETRACTED)), is_sent)
        return row[news], change[news]


def _count_before(marked: Mask, first: Mask) -> Ints:
    """Return how many rows before each one are marked since the latest first."""
    before: Ints = np.cumsum(marked, dtype=np.int64) - marked
    return np.asarray(before - np.maximum.accumulate(np.where(first, before, 0)))
