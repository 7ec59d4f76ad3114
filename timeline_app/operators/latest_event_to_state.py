"""The latest value of a field."""

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.retention import select_last
from timeline_app.algebra.steps import order_by_value, track_latest
from timeline_app.operators.base import Facts, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import FieldOrExpression, State
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.operators.words import format_value
from timeline_app.predicates.expressions import find_field_kind, select_column


def _explain(question: Question) -> Reason:
    result, field = question.result, question.params["field"]
    if result.value is None:
        ends = question.ends(
            f"ends with the first event with `{field}`", f" with the first event with `{field}`"
        )
        return Reason(question.nothing(f"with `{field}`"), ends=ends)
    if result.since is None:
        sentence = f"`{field}` has been {format_value(result.value)} for as long as events are kept"
        return Reason(sentence, ends=question.ends(f"ends with the next event with another `{field}`"))
    became = f"became {format_value(result.value)} at {question.clock(result.since)}"
    sentence = f"`{field}` {became}, with the event of that time"
    ends = question.ends(
        f"ends with the next event with another `{field}`",
        f" with an event that says {format_value(result.after)}",
    )
    return Reason(sentence, events=(Boundary(result.since, field, by_rank=True),), ends=ends)


_EXAMPLE = Example(
    "state = latest_event_to_state(player.state)",
    "1 state=play; 3.5 state=buffer; 5 bitrate=3; 6.5 state=play; 8 state=play",
)


def _select_kept(events: Events, at: Ints, field: FieldOrExpression) -> Mask:
    """Return the event that says the value."""
    return select_last(events, order_by_value(events, select_column(events, field)), at)


@operator(
    "Latest value",
    category="stream",
    example=_EXAMPLE,
    why=_explain,
    keeps=_select_kept,
    facts_of=lambda _, params, kind: Facts(find_field_kind(params["field"], kind)),
    synonyms=("last value", "gauge", "current", "latest event", "state", "field", "value", "as of", "lookup"),
)
def latest_event_to_state(events: Events, field: FieldOrExpression) -> State:
    """The field's latest value; unknown before the first.

    An event without the field changes nothing. Where two events of one key at the same time both have it, the one
    with the greatest id wins; with no ids, the greatest value.
    """
    return track_latest(events, select_column(events, field))
