"""Whether a number is greater than another."""

from timeline_app.algebra.comparison import is_greater
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_comparison_facts
from timeline_app.operators.pointwise import make_comparison_explainer
from timeline_app.operators.ports import Amount, AnyNumber, Bool, Number

_EXAMPLE = Example(
    """
    waited = duration_where(latest_event_to_state(player.waiting))
    too_long = waited > 3s
    """,
    "1 waiting=true; 3 waiting=false; 6 waiting=true; 9 waiting=false",
)


@operator(
    "Greater than",
    category="timelines",
    example=_EXAMPLE,
    why=make_comparison_explainer("greater than"),
    one_of=("value", "other"),
    facts_of=derive_comparison_facts,
    opposite="less_or_equal",
    mirror="less_than",
    caption="> {value}",
    synonyms=("threshold", "limit", "above", "over", "exceeds", "alert", "compare", "more than"),
)
def greater_than(of: AnyNumber, other: Number | None = None, value: Amount | None = None) -> Bool:
    """True while the number is greater than the value, or the other number.

    On a slope it flips at the first microsecond at which the comparison holds, or no longer holds. Unknown while
    either is unknown. A ratio is compared with a value only; a duration is a number of seconds.
    """
    return is_greater(of, other if other is not None else value, strict=True)
