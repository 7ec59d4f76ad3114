"""Whether a matching event has arrived in the time just before, by the wall clock."""

import numpy as np

from timeline_app.algebra.events import ARRIVAL, Events
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.order import order_of
from timeline_app.algebra.steps import cover_spans
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Bool, Duration, Where
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_length
from timeline_app.predicates import Predicate


def _explain(question: Question) -> Reason:
    result, duration = question.result, question.params["duration"]
    matching = f"with `{question.params['where'].text()}`"
    head = f"`{question.op}` {format_length(duration)}"
    if not result.value:
        ends = question.ends(f"ends when an event {matching} arrives", f" when an event {matching} arrived")
        if result.since is None:
            return Reason(f"No event {matching} has arrived yet for `{result.key}`.", ends=ends)
        last = question.clock(result.since - duration)
        sentence = f"{head} turned false at {question.clock(result.since)}"
        sentence += f" because the last event {matching} arrived at {last}"
        return Reason(sentence, ends=ends)
    start_words = "before events were kept" if result.since is None else f"at {question.clock(result.since)}"
    sentence = f"{head} turned true {start_words}, when an event {matching} arrived"
    after = f", {format_length(duration)} after the last event {matching} arrived"
    return Reason(sentence, ends=question.ends("never ends", after))


_EXAMPLE = Example(
    'heard = processing_time_within(player.action == "beat", 3s)',
    "1 action=beat _arrived=1500000; 4.5 action=beat _arrived=7000000; 9 action=beat _arrived=9250000",
)


def _select_arrived(events: Events, where: Predicate) -> tuple[Ints, Ints]:
    """Return the events that match and whose arrival is known, and when they arrived, not before they happened."""
    column = events.fields[ARRIVAL]
    rows = np.flatnonzero(where.matches(events) & column.present)
    return rows, np.maximum(np.rint(column.value[rows]).astype(np.int64), events.time[rows])


def _select_kept(events: Events, at: Ints, where: Predicate, duration: int) -> Mask:
    """Return the matching events that still count, whatever their event time."""
    rows, arrived = _select_arrived(events, where)
    mask = np.zeros(events.size, dtype=bool)
    mask[rows] = arrived + duration > at[events.key[rows]]
    return mask


@operator(
    "Arrived within",
    category="stream",
    example=_EXAMPLE,
    why=_explain,
    keeps=_select_kept,
    by_arrival=True,
    synonyms=("heartbeat", "arrival", "silence", "stale", "wall clock"),
)
def processing_time_within(events: Events, where: Where, duration: Duration) -> Bool:
    """True for the duration from each matching event's arrival on, by the wall clock, else false.

    For example, whether any event arrived in the last minute, with any event time. It is true on the union of [a, a
    + duration) over the arrivals a of matching events. If the event time is later than the arrival, because a
    sender's clock is ahead, the event counts from its event time on. The end may lie in the future; it stays until
    another event arrives.

    The landing records when it accepts an event. So the answer depends on arrivals, not only on the events, but it
    is the same whenever the log is read again. Of copies the first to arrive counts. A late event counts from its
    arrival on, so it revises nothing before.

    An event may bring the field `_arrived` (microseconds since the epoch), which is believed then: so do files for
    `evaluate`. Where nobody says when an event arrived it changes nothing.
    """
    rows, arrived = _select_arrived(events, where)
    key = events.key[rows]
    order = order_of(key, arrived)
    arrived = arrived[order]
    return cover_spans(events, key[order], arrived, arrived + duration)
