"""What the values of events in the time just before come to."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from timeline_app.algebra.event_windows import summarize_window
from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Kind
from timeline_app.operators.base import Facts, WrongInputs, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import omit_defaults, refuse_side_alone
from timeline_app.operators.parameters import ParameterType
from timeline_app.operators.ports import Bool, Duration, FieldOrExpression, Number, Side, Where
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.recent_events import (
    describe_matching,
    describe_values,
    explain_window,
    keep_recent,
    look_back,
    select_counting,
)
from timeline_app.operators.words import format_length
from timeline_app.predicates.expressions import find_field_kind, select_column

OF_NUMBERS = {
    "mean": "the mean of",
    "min": "the least of",
    "max": "the greatest of",
    "deviation": "the standard deviation of",
}
"""What only numbers have."""
OF_ANY = {"distinct": "the number of different values of", "first": "the first", "last": "the last"}
FUNCTIONS = {**OF_NUMBERS, **OF_ANY}
WindowFunction = Annotated[str, ParameterType("choice", "mean", tuple(FUNCTIONS))]


def _derive_facts(
    inputs: Mapping[str, Facts], params: Mapping[str, Any], kind_of: Callable[[str], Kind]
) -> Facts:
    refuse_side_alone(inputs, params)
    field, function = params["field"], params.get("function")
    kind = find_field_kind(field, kind_of)
    if function in OF_NUMBERS and kind is not Kind.NUMBER:
        hint = f"declare {field} as number in the stream, or take {', '.join(OF_ANY)}"
        raise WrongInputs("function", f"{field} is {kind.value}; only numbers have a {function}", hint)
    return Facts(kind if function in ("first", "last") else Kind.NUMBER)


def _explain(question: Question) -> Reason:
    function = question.params["function"]
    if question.result.value is None:
        event_words = "fewer than two events" if function == "deviation" else "no event"
        before = (
            f"{describe_matching(question)} came in the {format_length(question.params['duration'])} before"
        )
        return explain_window(question, f"{question.head} because {event_words} {before}")
    return explain_window(question, f"{question.head}, {FUNCTIONS[function]} {describe_values(question)}")


_EXAMPLE = Example(
    "cards = values_within(tap.card, 4s, distinct)",
    "1 card=A; 2 card=B; 3 card=A; 5 gate=1; 8 card=C",
)


@operator(
    "Values of a field within",
    category="stream",
    example=_EXAMPLE,
    facts_of=_derive_facts,
    why=_explain,
    canonical=omit_defaults("side", "before"),
    keeps=keep_recent,
    lookback=look_back,
    keeps_kind=("first", "last"),
    synonyms=(
        "window",
        "last hour",
        "rolling",
        "sliding window",
        "mean of the last events",
        "standard deviation",
        "stddev",
        "count distinct",
        "unique",
        "different",
        "first value",
        "last value",
        "z-score",
        "outlier",
    ),
)
def values_within(
    events: Events,
    field: FieldOrExpression,
    where: Where | None = None,
    *,
    duration: Duration,
    function: WindowFunction,
    while_: Bool | None = None,
    side: Side = "before",
) -> Number:
    """A function of the values of matching events in the duration before: mean, number of different values, and so on.

    Each of the events in (t - duration, t] that have the field counts once, however long its value held; by time see
    `mean_within`, `min_within`, `max_within`. `mean`, `min`, `max` and `deviation` (the standard deviation of the
    population) take numbers; `distinct` (how many different values), `first` and `last` take all values. Of events of
    one instant the one with the greatest id is the last, with no ids the one with the greatest value.

    It is unknown where no event came, `deviation` where fewer than two came; `distinct` is 0 there. It is unknown
    before birth. `mean` and `deviation` are found from exact sums and rounded once.

    With `while`, a bool, only events count at whose instant it is true: just before the event, or, with `side = at`,
    with all that the events of that instant have changed.
    """
    born, counts = select_counting(events, where, while_, side)
    return summarize_window(born, select_column(events, field), counts, duration, function)
