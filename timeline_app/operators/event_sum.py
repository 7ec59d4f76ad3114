"""The running sum of a field."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import select_qualifying, share_births
from timeline_app.algebra.kinds import Ints, Kind
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.steps import compute_total, split_limbs, sum_running
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Facts, Memory, WrongInputs, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import (
    describe_counted,
    explain_while,
    omit_defaults,
    refuse_side_alone,
    select_matching,
)
from timeline_app.operators.ports import Before, Bool, FieldOrExpression, Number, Side, Where
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.operators.words import format_value
from timeline_app.predicates import Predicate
from timeline_app.predicates.expressions import find_field_kind, select_column


def derive_sum_facts(
    inputs: Mapping[str, Facts], params: Mapping[str, Any], kind: Callable[[str], Kind]
) -> Facts:
    """Refuses what has no sum."""
    refuse_side_alone(inputs, params)
    field = params["field"]
    field_kind = find_field_kind(field, kind)
    if field_kind is not Kind.NUMBER:
        hint = f"declare {field} as number in the stream, or choose a field that is one"
        raise WrongInputs("field", f"{field} is {field_kind.value}; only numbers have a sum", hint)
    return Facts(Kind.NUMBER, accumulates=True)


def _derive_facts(
    inputs: Mapping[str, Facts], params: Mapping[str, Any], kind: Callable[[str], Kind]
) -> Facts:
    return replace(derive_sum_facts(inputs, params, kind), accumulates=True)


def _explain(question: Question) -> Reason:
    result, field, where = question.result, question.params["field"], question.params.get("where")
    matching = f"with `{field}`" if where is None else f"with `{where.text()}` and `{field}`"
    matching += describe_counted(question)
    ends = question.ends(f"changes with the next event {matching}", f" with the next event {matching}")
    if result.since is None:
        if not result.value:
            return Reason(question.nothing(matching), ends=ends)
        return Reason(f"`{field}` came to {format_value(result.value)} before events were kept", ends=ends)
    before, value = format_value(result.before), format_value(result.value)
    while_words, because = explain_while(question, result.since)
    sentence = (
        f"at {question.clock(result.since)} the sum of `{field}` went from {before} to {value}{while_words}"
    )
    return Reason(sentence, because, (Boundary(result.since, where or field),), ends)


_EXAMPLE = Example(
    "bytes = event_sum(player.bytes)",
    "1 bytes=3; 3 bytes=1.5; 5 state=pause; 7 bytes=4",
)


def _read(
    events: Events,
    at: Ints,
    carried: Carried | None,
    field: FieldOrExpression,
    where: Predicate | None = None,
    while_: Timelines | None = None,
    side: str = "before",
) -> Ints:
    """Return the sum, before it is rounded."""
    column = select_column(events, field)
    counts = select_qualifying(events, select_matching(events, where) & column.present, while_, side)
    return compute_total(events, counts, split_limbs(column, counts), at, carried)


@operator(
    "Sum of events",
    category="stream",
    example=_EXAMPLE,
    facts_of=_derive_facts,
    why=_explain,
    canonical=omit_defaults("side", "before"),
    memory=Memory(_read, width=3),
    synonyms=("total", "sum", "amount", "accumulate events", "volume of events"),
)
def event_sum(
    events: Events,
    field: FieldOrExpression,
    where: Where | None = None,
    while_: Bool | None = None,
    side: Side = "before",
    carried: Before = None,
) -> Number:
    """The running sum of a number over the matching events, 0 before the first.

    An event without the field adds nothing. Exact: rounded once, whatever the order of arrival. With `while`, a bool,
    only events count at whose instant it is true: just before the event, or, with `side = at`, with all that the events
    of that instant have changed.
    """
    counts = select_qualifying(events, select_matching(events, where), while_, side)
    return share_births(sum_running(events, select_column(events, field), counts, carried), while_)
