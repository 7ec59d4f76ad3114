"""The sum of a field over the events of the time just before."""

from timeline_app.algebra.event_windows import sum_window
from timeline_app.algebra.events import Events
from timeline_app.operators.base import operator
from timeline_app.operators.event_sum import derive_sum_facts
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import omit_defaults
from timeline_app.operators.ports import Bool, Duration, FieldOrExpression, Number, Side, Where
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.recent_events import (
    describe_values,
    explain_window,
    keep_recent,
    look_back,
    select_counting,
)
from timeline_app.predicates.expressions import select_column


def _explain(question: Question) -> Reason:
    return explain_window(question, f"{question.head}, the sum of {describe_values(question)}")


_EXAMPLE = Example(
    "spent = sum_within(card.amount, 4s)",
    "1 amount=20; 3 amount=10.5; 4 amount=5; 11 amount=1",
)


@operator(
    "Sum of events within",
    category="stream",
    example=_EXAMPLE,
    facts_of=derive_sum_facts,
    why=_explain,
    canonical=omit_defaults("side", "before"),
    keeps=keep_recent,
    lookback=look_back,
    synonyms=(
        "window",
        "last hour",
        "rolling",
        "sliding window",
        "rolling sum",
        "moving sum",
        "sum over time",
        "total of the last",
        "spend",
    ),
)
def sum_within(
    events: Events,
    field: FieldOrExpression,
    where: Where | None = None,
    *,
    duration: Duration,
    while_: Bool | None = None,
    side: Side = "before",
) -> Number:
    """The sum of a number over the matching events of the duration before.

    Of those in (t - duration, t]. An event without the field adds nothing. 0 where none came, unknown before birth.
    Exact: what leaves the window takes with it what it brought, and the sum is rounded once.

    With `while`, a bool, only events count at whose instant it is true: just before the event, or, with `side = at`,
    with all that the events of that instant have changed.
    """
    born, counts = select_counting(events, where, while_, side)
    return sum_window(born, select_column(events, field), counts, duration)
