"""Whether a number is less than or equal to another."""

from timeline_app.algebra.comparison import is_less
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_comparison_facts
from timeline_app.operators.pointwise import make_comparison_explainer
from timeline_app.operators.ports import Amount, AnyNumber, Bool, Number

_EXAMPLE = Example(
    """
    played = duration_where(latest_event_to_state(player.playing))
    loaded = latest_event_to_state(player.loaded)
    in_time = played <= loaded
    """,
    "1 loaded=2; 2 playing=true; 6 loaded=5; 9 playing=false",
)


@operator(
    "Less or equal",
    category="timelines",
    example=_EXAMPLE,
    why=make_comparison_explainer("less than or equal to"),
    one_of=("value", "other"),
    facts_of=derive_comparison_facts,
    opposite="greater_than",
    mirror="greater_or_equal",
    caption="≤ {value}",
    synonyms=("threshold", "limit", "at most", "compare"),
)
def less_or_equal(of: AnyNumber, other: Number | None = None, value: Amount | None = None) -> Bool:
    """True while the number is less than or equal to the value, or the other number.

    On a slope it flips at the first microsecond at which the comparison holds, or no longer holds. Unknown while
    either is unknown. A ratio is compared with a value only; a duration is a number of seconds.
    """
    return is_less(of, other if other is not None else value, strict=False)
