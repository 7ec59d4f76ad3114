"""Equality of a state with a value or another state."""

from timeline_app.algebra.logic import is_equal, is_equal_to_value
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import make_equality_explainer
from timeline_app.operators.ports import Bool, SameState, State, Value

_EXAMPLE = Example(
    """
    state = latest_event_to_state(player.state)
    buffering = state == "buffer"
    """,
    "1 state=play; 3 state=buffer; 6 state=play; 8 state=buffer",
)


@operator(
    "Equals",
    category="timelines",
    example=_EXAMPLE,
    why=make_equality_explainer(value_if_equal=True),
    one_of=("value", "other"),
    opposite="not_equal_to",
    mirror="equal_to",
    caption="= {value}",
    synonyms=("is", "matches", "compare", "filter", "in state"),
)
def equal_to(of: State, other: SameState | None = None, value: Value | None = None) -> Bool:
    """True while the state is the value, or the same as the other state.

    Takes texts, bools and steady numbers. Unknown while the state (or the other one) is unknown.
    """
    return is_equal(of, other) if other is not None else is_equal_to_value(of, value)
