"""Whether a number is greater than or equal to another."""

from timeline_app.algebra.comparison import is_greater
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_comparison_facts
from timeline_app.operators.pointwise import make_comparison_explainer
from timeline_app.operators.ports import Amount, AnyNumber, Bool, Number

_EXAMPLE = Example(
    """
    seeks = event_count(player.action == "seek")
    restless = seeks >= 3
    """,
    "1 action=seek; 3 action=play; 5 action=seek; 7 action=seek",
)


@operator(
    "Greater or equal",
    category="timelines",
    example=_EXAMPLE,
    why=make_comparison_explainer("greater than or equal to"),
    one_of=("value", "other"),
    facts_of=derive_comparison_facts,
    opposite="less_than",
    mirror="less_or_equal",
    caption="≥ {value}",
    synonyms=("threshold", "limit", "at least", "compare"),
)
def greater_or_equal(of: AnyNumber, other: Number | None = None, value: Amount | None = None) -> Bool:
    """True while the number is greater than or equal to the value, or the other number.

    On a slope it flips at the first microsecond at which the comparison holds, or no longer holds. Unknown while
    either is unknown. A ratio is compared with a value only; a duration is a number of seconds.
    """
    return is_greater(of, other if other is not None else value, strict=False)
