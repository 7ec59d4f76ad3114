"""The report of a back-test: incidents by key, their durations, late changes, and the messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Mask
from timeline_app.algebra.order import mark_firsts
from timeline_app.evaluate.backtest.back_test import BackTest
from timeline_app.evaluate.backtest.incidents import STATES, list_changes_of_final
from timeline_app.evaluate.backtest.sending import (
    CHANGES,
    FlappingNews,
    NewsRecords,
    SentNews,
    send_messages,
)
from timeline_app.evaluate.backtest.telling import RETRACTED

POLICIES = ("early", "final")
MAX_KEYS = 200
MAX_INCIDENTS_PER_KEY = 200
MAX_NEWS_PER_INCIDENT = 50
Document = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class IncidentColumns:
    """The final state of each incident and its history; `fired` is a step."""

    key: Ints
    start: Ints
    end: Ints
    state: Ints
    fired: Ints
    amended: Mask

    @classmethod
    def from_test(cls, test: BackTest) -> IncidentColumns:
        """Return the columns of a back-test."""
        changes, last = test.changes, test.changes.is_last
        first = np.append(True, last[:-1])[: len(last)]
        amended = np.zeros(len(changes.key), dtype=bool)
        amended[changes.incident[changes.corrected & ~first & (changes.state != STATES.index(RETRACTED))]] = (
            True
        )
        columns = (changes.start[last], changes.end[last], changes.state[last], changes.step[first], amended)
        return cls(changes.key, *columns)

    def select_between(self, start: int, end: int) -> Ints:
        """Return the incidents that overlap a stretch of event time."""
        return np.flatnonzero((self.start < end) & (self.end > start))


def describe_back_test(test: BackTest, start: int = BEGINNING, end: int = OPEN) -> Document:
    """Return what a back-test found between two event times; keys with the most incidents come first."""
    columns = IncidentColumns.from_test(test)
    chosen = columns.select_between(start, end)
    sent = {policy: _send(test, chosen, policy) for policy in POLICIES}
    newest = int(test.clock.newest[-1]) if test.clock.size else BEGINNING
    lasted = _measure(columns, chosen, start, min(end, newest))
    return {
        "events": test.events,
        "resolution": test.resolution,
        "newest": None if newest == BEGINNING else newest,
        "start": None if start == BEGINNING else start,
        "end": None if min(end, newest) == BEGINNING else min(end, newest),
        "key_count": len(test.names),
        "totals": _count(columns, chosen, lasted)
        | {"flapping": int(test.flapping.flaps.sum())}
        | {"messages": {policy: news.messages for policy, news in sent.items()}},
        "keys": list(_describe_keys(test, columns, chosen, lasted, sent)),
    }


def _measure(columns: IncidentColumns, chosen: Ints, start: int, end: int) -> Ints:
    """Return the duration of each incident within a stretch; 0 for retracted ones."""
    least = np.maximum(columns.start[chosen], start)
    most = np.minimum(columns.end[chosen], end)
    has_time = (least != BEGINNING) & (columns.state[chosen] != STATES.index(RETRACTED))
    return np.where(has_time & (most > least), most - np.where(has_time, least, 0), 0)


def _count(columns: IncidentColumns, chosen: Ints, lasted: Ints) -> Document:
    states = np.bincount(columns.state[chosen], minlength=len(STATES))
    return {
        "incidents": len(chosen) - int(states[STATES.index(RETRACTED)]),
        "keys": len(np.unique(columns.key[chosen])),
        **dict(zip(STATES, states.tolist(), strict=True)),
        "amended": int(columns.amended[chosen].sum()),
        "duration": int(lasted.sum()),
        "longest": int(lasted.max(initial=0)),
    }


def list_news(test: BackTest, policy: str) -> NewsRecords:
    """Return the changes that receivers may be notified of under a policy, on the clock of arrival."""
    changes, clock = test.changes, test.clock
    row = np.arange(len(changes.incident))
    incident, step, state = changes.incident, changes.step, changes.state
    if policy == "final":
        row, incident, step, state = list_changes_of_final(changes, clock)
    order = np.lexsort((row, step))
    row, incident, step, state = (item[order] for item in (row, incident, step, state))
    known_at = clock.arrived[changes.step[mark_firsts(changes.incident)]]
    return NewsRecords(
        clock.arrived[step], incident, state, changes.start[row], changes.end[row], known_at, changes.key
    )


def list_flapping(test: BackTest) -> FlappingNews:
    """Return when keys begin to flap and settle, on the clock of arrival."""
    flapping = test.flapping
    order = np.argsort(flapping.step, kind="stable")
    return FlappingNews(
        test.clock.arrived[flapping.step[order]],
        flapping.key[order],
        flapping.flaps[order],
        flapping.carrier[order],
    )


def _send(test: BackTest, chosen: Ints, policy: str) -> SentNews:
    """Return what would be sent of the chosen incidents."""
    meant = np.zeros(len(test.changes.key), dtype=bool)
    meant[chosen] = True
    records = list_news(test, policy)
    return send_messages(records.select(meant[records.incident]), list_flapping(test))


def _describe_keys(
    test: BackTest,
    columns: IncidentColumns,
    chosen: Ints,
    lasted: Ints,
    news: dict[str, SentNews],
) -> Iterator[Document]:
    key = columns.key[chosen]
    counts = np.bincount(key, minlength=len(test.names))
    flapping = np.bincount(test.flapping.key[test.flapping.flaps], minlength=len(test.names))
    for place in np.argsort(-counts, kind="stable")[:MAX_KEYS].tolist():
        rows_of_key = np.flatnonzero(key == place)
        order = rows_of_key[np.argsort(columns.start[chosen[rows_of_key]], kind="stable")]
        yield {
            "key": test.names[place],
            **_count(columns, chosen[rows_of_key], lasted[rows_of_key]),
            "flapping": int(flapping[place]),
            "spans": [
                _describe_incident(test, columns, number, news)
                for number in chosen[order[-MAX_INCIDENTS_PER_KEY:]].tolist()
            ],
        }


def _describe_incident(
    test: BackTest, columns: IncidentColumns, number: int, news: dict[str, SentNews]
) -> Document:
    start, end = int(columns.start[number]), int(columns.end[number])
    return {
        "start": None if start == BEGINNING else start,
        "end": None if end == OPEN else end,
        "state": STATES[columns.state[number]],
        "amended": bool(columns.amended[number]),
        "known_at": int(test.clock.arrived[columns.fired[number]]),
        "sent": {policy: list(_iterate_news(sent, number)) for policy, sent in news.items()},
    }


def _iterate_news(sent: SentNews, incident: int) -> Iterator[Document]:
    first, last = np.searchsorted(sent.incident, [incident, incident + 1])
    for row in range(first, min(last, first + MAX_NEWS_PER_INCIDENT)):
        change = CHANGES[sent.change[row]]
        yield {"at": int(sent.at[row]), "change": change, "message": int(sent.message[row])}
