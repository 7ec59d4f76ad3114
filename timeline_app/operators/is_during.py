"""Whether a row with a start and an end holds."""

import numpy as np

from timeline_app.algebra.events import UNTIL, Events
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.order import mark_lasts
from timeline_app.algebra.steps import cover_rows
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import select_matching
from timeline_app.operators.ports import Bool, Where
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.predicates import Predicate


def _explain(question: Question) -> Reason:
    result, where = question.result, question.params.get("where")
    matching = "" if where is None else f"with `{where.text()}`"
    following = f"with the next row {matching}".rstrip()
    if not result.value:
        ends = question.ends(f"ends {following}", f" {following}")
        if result.since is None:
            return Reason(question.nothing(matching), ends=ends)
        sentence = (
            f"`{question.op}` turned false at {question.clock(result.since)}, when the last row {matching}"
        )
        return Reason(f"{sentence.rstrip()} ended", ends=ends)
    start_words = "before events were kept" if result.since is None else f"at {question.clock(result.since)}"
    sentence = f"`{question.op}` turned true {start_words}, when a row {matching}".rstrip() + " began"
    events = () if result.since is None else (Boundary(result.since, where),)
    still_open = "is open until a correction with the same id brings the end of the row"
    return Reason(sentence, events=events, ends=question.ends(still_open, ", when the last such row ends"))


_EXAMPLE = Example(
    "down = is_during(player)",
    "1 until=5 reason=tool; 2 until=4 reason=staff; 5 until=6 reason=tool; 8 until=9 reason=tool",
    until="until",
)


def _select_kept(events: Events, at: Ints, where: Predicate | None = None) -> Mask:
    """Of the rows that have begun and not ended, the one that ends last."""
    until, key = events.fields[UNTIL].value, events.key
    rows = np.flatnonzero(select_matching(events, where) & (events.time <= at[key]) & (until > at[key]))
    rows = rows[np.lexsort((until[rows], key[rows]))]
    keeps = np.zeros(events.size, dtype=bool)
    keeps[rows[mark_lasts(key[rows])] if len(rows) else rows] = True
    return keeps


@operator(
    "During an interval",
    category="stream",
    example=_EXAMPLE,
    why=_explain,
    keeps=_select_kept,
    reads_until=True,
    synonyms=(
        "interval",
        "window of maintenance",
        "overlap",
        "between start and end",
        "session",
        "booking",
        "join intervals",
    ),
)
def is_during(events: Events, where: Where | None = None) -> Bool:
    """True while a matching row holds, from its time until its end, else false.

    For a stream that declares `until`, the field with the end of a row: stops of a machine, maintenance windows,
    bookings. True on the union of `[time, until)` over the matching rows, which may overlap. Without a condition every
    row counts.

    A row without an end is open: true from its time on, until a correction with the same id brings the end. An end may
    lie in the future; it stands until a correction revises it. A row that ends no later than it begins is no event.
    """
    return cover_rows(events, select_matching(events, where), events.fields[UNTIL].value)
