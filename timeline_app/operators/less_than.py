"""Whether a number is less than another."""

from timeline_app.algebra.comparison import is_less
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_comparison_facts
from timeline_app.operators.pointwise import make_comparison_explainer
from timeline_app.operators.ports import Amount, AnyNumber, Bool, Number

_EXAMPLE = Example(
    """
    buffer = latest_event_to_state(player.buffer)
    buffer_low = buffer < 2
    """,
    "1 buffer=1; 3 buffer=4; 5 buffer=2; 7 buffer=1.5",
)


@operator(
    "Less than",
    category="timelines",
    example=_EXAMPLE,
    why=make_comparison_explainer("less than"),
    one_of=("value", "other"),
    facts_of=derive_comparison_facts,
    opposite="greater_or_equal",
    mirror="greater_than",
    caption="< {value}",
    synonyms=("threshold", "limit", "below", "under", "alert", "compare", "fewer"),
)
def less_than(of: AnyNumber, other: Number | None = None, value: Amount | None = None) -> Bool:
    """True while the number is less than the value, or the other number.

    On a slope it flips at the first microsecond at which the comparison holds, or no longer holds. Unknown while
    either is unknown. A ratio is compared with a value only; a duration is a number of seconds.
    """
    return is_less(of, other if other is not None else value, strict=True)
