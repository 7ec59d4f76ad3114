"""The incidents of eras, and every visible change of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.order import mark_lasts
from timeline_app.evaluate.backtest.clock import ArrivalClock
from timeline_app.evaluate.backtest.eras import Eras
from timeline_app.evaluate.backtest.incident_matching import Span, apply_spans, match_spans
from timeline_app.evaluate.backtest.telling import FIRING, RESOLVED, RETRACTED

STATES = (FIRING, RESOLVED, RETRACTED)
_FIRING, _RESOLVED, _RETRACTED = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class IncidentChanges:
    """Changes of incidents by incident and step: the state (a place in `STATES`) and span from that step on.

    `corrected` marks changes by late events; `key` is the key of each incident.
    """

    key: Ints
    incident: Ints
    step: Ints
    state: Ints
    start: Ints
    end: Ints
    corrected: Mask

    @property
    def is_last(self) -> Mask:
        """Marks the last change of each incident."""
        return mark_lasts(self.incident) if len(self.incident) else np.zeros(0, dtype=bool)


def find_incidents(eras: Eras, clock: ArrivalClock) -> IncidentChanges:
    """Return the incidents of all keys that fired."""
    counts = np.bincount(eras.key, minlength=len(eras.names))
    alone = counts[eras.key] == 1
    key, rows = _list_uncorrected(eras, alone, clock)
    keys, more = [key], [rows]
    number = len(key)
    starts = np.flatnonzero(~alone & np.append(True, eras.key[1:] != eras.key[:-1])[: len(eras.key)])
    bounds = np.searchsorted(eras.spans.owner, np.arange(len(eras.key) + 1))
    for first in starts.tolist():
        history = _KeyHistory(eras, clock, bounds, number)
        history.run(range(first, first + int(counts[eras.key[first]])))
        keys.append(np.full(history.number - number, eras.key[first], dtype=np.int64))
        more.append(np.array(history.rows, dtype=np.int64).reshape(-1, 6))
        number = history.number
    return _build(np.concatenate(keys), np.concatenate(more))


def _build(key: Ints, rows: Ints) -> IncidentChanges:
    order = np.lexsort((np.arange(len(rows)), rows[:, 1], rows[:, 0]))
    incident, step, state, start, end, corrected = rows[order].T
    return IncidentChanges(key, incident, step, state, start, end, corrected.astype(bool))


def _list_uncorrected(eras: Eras, alone: Mask, clock: ArrivalClock) -> tuple[Ints, Ints]:
    """Return the incidents of keys without corrections: each span is one once time reaches it."""
    spans = eras.spans.filter(alone[eras.spans.owner])
    newest = clock.newest[-1] if clock.size else 0
    spans = spans.filter(spans.start <= newest)
    fires = np.maximum(np.searchsorted(clock.newest, spans.start), eras.step[spans.owner])
    ends = np.maximum(np.searchsorted(clock.newest, spans.end), eras.step[spans.owner])
    number, no = np.arange(len(fires)), np.zeros(len(fires), dtype=np.int64)
    over = np.where(ends <= fires, _RESOLVED, _FIRING)
    begins = np.stack((number, fires, over, spans.start, spans.end, no), axis=1)
    ended = np.stack((number, ends, no + _RESOLVED, spans.start, spans.end, no), axis=1)
    return eras.key[spans.owner], np.concatenate((begins, ended[(ends > fires) & (ends < clock.size)]))


@dataclass(slots=True)
class _Incident:
    number: int
    start: int
    end: int
    state: int = _FIRING
    fired: bool = True


class _KeyHistory:
    """The incidents of one key, era by era, by the product's rules."""

    def __init__(self, eras: Eras, clock: ArrivalClock, bounds: Ints, number: int) -> None:
        self._eras, self._clock, self._bounds = eras, clock, bounds
        self._standing: list[_Incident] = []
        self.number = number
        self.rows: list[tuple[int, int, int, int, int, int]] = []

    def run(self, eras: range) -> None:
        """Process successive eras."""
        for era in eras:
            era_rows = slice(int(self._bounds[era]), int(self._bounds[era + 1]))
            spans = zip(
                self._eras.spans.start[era_rows].tolist(),
                self._eras.spans.end[era_rows].tolist(),
                strict=True,
            )
            self._take_era(era, list(spans), is_first=era == eras.start)

    def _take_era(self, era: int, spans: list[Span], *, is_first: bool) -> None:
        step, until, since = (
            int(item[era]) for item in (self._eras.step, self._eras.until, self._eras.since)
        )
        newest, last = int(self._clock.newest[step]), int(self._clock.newest[until - 1])
        touched = [] if is_first else [incident for incident in self._standing if incident.end >= since]
        after = apply_spans(touched, (since, 2**63 - 1), spans)
        matching = match_spans(touched, [span for span in after if span[0] <= newest], newest)
        for incident, span in matching.kept:
            self._move(incident, step, span, newest)
        for incident, _ in matching.gone:
            incident.state = _RETRACTED
            self._write(incident, step, corrected=True)
            self._standing.remove(incident)
        for span in matching.new:
            self._begin(step, span, newest, corrected=not is_first)
        for span in after:
            if newest < span[0] <= last:
                self._begin(int(np.searchsorted(self._clock.newest, span[0])), span, None, corrected=False)
        for incident in self._standing:
            if incident.state == _FIRING and incident.end <= last:
                incident.state = _RESOLVED
                self._write(incident, int(np.searchsorted(self._clock.newest, incident.end)), corrected=False)

    def _begin(self, step: int, span: Span, newest: int | None, *, corrected: bool) -> None:
        incident = _Incident(self.number, *span)
        self.number += 1
        reached = int(self._clock.newest[step]) if newest is None else newest
        incident.state = _RESOLVED if span[1] <= reached else _FIRING
        self._standing.append(incident)
        self._write(incident, step, corrected=corrected)

    def _move(self, incident: _Incident, step: int, span: Span, newest: int) -> None:
        state = _RESOLVED if span[1] <= newest else _FIRING
        moved = incident.start != span[0] or (state == _RESOLVED and incident.end != span[1])
        changed = state != incident.state or moved
        corrected = incident.start != span[0] or incident.state == _RESOLVED
        incident.start, incident.end = span
        if changed:
            incident.state = state
            self._write(incident, step, corrected=corrected)

    def _write(self, incident: _Incident, step: int, *, corrected: bool) -> None:
        self.rows.append(
            (incident.number, step, incident.state, incident.start, incident.end, int(corrected))
        )


def list_changes_of_final(changes: IncidentChanges, clock: ArrivalClock) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the changes known under the policy `final`: (row of the change, incident, step, state), unordered."""
    rows = np.arange(len(changes.incident))
    until = np.where(changes.is_last, clock.size, np.append(changes.step[1:], 0)[: len(rows)])
    lost = changes.state == _RETRACTED
    begins = np.maximum(np.searchsorted(clock.final, changes.start, side="right"), changes.step)
    over = np.maximum(np.searchsorted(clock.final, changes.end), changes.step)
    is_sent, ends = ~lost & (begins < until), ~lost & (begins < over) & (over < until)
    parts = [
        (rows[lost], changes.step[lost], np.full(int(lost.sum()), _RETRACTED)),
        (rows[is_sent], begins[is_sent], np.where(over <= begins, _RESOLVED, _FIRING)[is_sent]),
        (rows[ends], over[ends], np.full(int(ends.sum()), _RESOLVED)),
    ]
    row, step, state = (np.concatenate(column) for column in zip(*parts, strict=True))
    return row, changes.incident[row], step, state
