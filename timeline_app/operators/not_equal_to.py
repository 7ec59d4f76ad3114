"""Inequality of a state with a value or another state."""

from timeline_app.algebra.logic import is_equal, is_equal_to_value, negate
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import make_equality_explainer
from timeline_app.operators.ports import Bool, SameState, State, Value

_EXAMPLE = Example(
    """
    chosen = latest_event_to_state(player.chosen)
    served = latest_event_to_state(player.served)
    wrong = chosen != served
    """,
    "1 chosen=A; 3 served=A; 5 chosen=B; 7.5 served=B",
)


@operator(
    "Does not equal",
    category="timelines",
    example=_EXAMPLE,
    why=make_equality_explainer(value_if_equal=False),
    one_of=("value", "other"),
    opposite="equal_to",
    mirror="not_equal_to",
    caption="≠ {value}",
    synonyms=("differs", "is not", "compare", "unequal"),
)
def not_equal_to(of: State, other: SameState | None = None, value: Value | None = None) -> Bool:
    """True while the state is not the value, or not the same as the other state.

    Takes texts, bools and steady numbers. Unknown while the state (or the other one) is unknown.
    """
    return negate(is_equal(of, other) if other is not None else is_equal_to_value(of, value))
