"""How long after it happened the latest event arrived."""

import numpy as np

from timeline_app.algebra.events import ARRIVAL, Column, Events
from timeline_app.algebra.kinds import NO_LABELS, SECOND, Ints, Kind, Mask
from timeline_app.algebra.retention import select_last
from timeline_app.algebra.steps import order_by_value, track_latest
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Number
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.operators.words import format_length


def _explain(question: Question) -> Reason:
    result, ends = question.result, question.ends("ends with the next event", " with the next event")
    if result.value is None:
        return Reason(f"{question.head} because no event has arrived yet whose arrival is known", ends=ends)
    if result.since is None:
        return Reason(f"{question.head}, and has been for as long as events are kept", ends=ends)
    lag = round(result.value * SECOND)
    arrived, happened = question.clock(result.since + lag), question.clock(result.since)
    how = f"{format_length(lag)} later" if lag >= 0 else f"{format_length(-lag)} before its own time"
    sentence = f"{question.head} because the event of {happened} arrived at {arrived}, {how}"
    return Reason(sentence, events=(Boundary(result.since),), ends=ends)


_EXAMPLE = Example(
    "lag = event_lag(player)",
    "1 _arrived=1500000; 4 _arrived=7000000; 7 _arrived=7250000",
)


def _compute_lag(events: Events) -> Column:
    """Seconds; exact to the microsecond, as both times are whole numbers of them."""
    arrived = events.fields[ARRIVAL]
    return Column(Kind.NUMBER, np.asarray((arrived.value - events.time) / SECOND), NO_LABELS)


def _select_kept(events: Events, at: Ints) -> Mask:
    """Return the event that says the value."""
    return select_last(events, order_by_value(events, _compute_lag(events)), at)


@operator(
    "Event lag",
    category="stream",
    example=_EXAMPLE,
    why=_explain,
    keeps=_select_kept,
    by_arrival=True,
    synonyms=("lateness", "delay of events", "late events", "latency"),
)
def event_lag(events: Events) -> Number:
    """Seconds between the latest event's own time and its arrival; unknown before the first.

    The landing records when it accepts an event. So the answer depends on arrivals, not only on the events, but it
    is the same whenever the log is read again. The latest event is the one with the greatest event time; of two at
    that time the one with the greatest id, or without ids the longer lag. Of copies the first to arrive counts. The
    lag is negative if a sender's clock is ahead.

    An event may bring the field `_arrived` (microseconds since the epoch), which is believed then: so do files for
    `evaluate`. Where nobody says when an event arrived it changes nothing.
    """
    return track_latest(events, _compute_lag(events))
