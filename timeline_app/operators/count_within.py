"""How many events came in the time just before."""

from timeline_app.algebra.event_windows import count_of_window
from timeline_app.algebra.events import Events
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import omit_defaults
from timeline_app.operators.ports import Bool, Duration, Number, Side, Where
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.recent_events import (
    derive_window_facts,
    describe_matching,
    explain_window,
    keep_recent,
    look_back,
    select_counting,
)
from timeline_app.operators.words import format_length, format_value


def _explain(question: Question) -> Reason:
    value, matching = question.result.value, describe_matching(question)
    number = f"{format_value(value)} events" if value else "no event"
    count_words = f"{'1 event' if value == 1 else number} {matching}".rstrip()
    return explain_window(
        question,
        f"{question.head}: {count_words} came in the {format_length(question.params['duration'])} before",
    )


_EXAMPLE = Example(
    'failures = count_within(login.result == "failed", 4s)',
    "1 result=failed; 2 result=failed; 3 result=ok; 4 result=failed; 10 result=ok",
)


@operator(
    "Count of events within",
    category="stream",
    example=_EXAMPLE,
    why=_explain,
    facts_of=derive_window_facts,
    canonical=omit_defaults("side", "before"),
    keeps=keep_recent,
    lookback=look_back,
    synonyms=(
        "window",
        "last hour",
        "rolling",
        "sliding window",
        "rolling count",
        "count over time",
        "rate limit",
        "velocity",
        "how many in the last",
        "frequency",
    ),
)
def count_within(
    events: Events,
    where: Where | None = None,
    *,
    duration: Duration,
    while_: Bool | None = None,
    side: Side = "before",
) -> Number:
    """How many matching events came in the duration before.

    Those in (t - duration, t]: an event counts from its time on, for the duration. Without a condition every event
    counts. Events of one instant all count; copies with one id count once. It is 0 where none came, and unknown before
    birth. That an event leaves the window lies in the future, and stands until another one revises it.

    With `while`, a bool, only events count at whose instant it is true: just before the event, or, with `side = at`,
    with all that the events of that instant have changed.
    """
    return count_of_window(*select_counting(events, where, while_, side), duration)
