"""The greater of two numbers."""

from timeline_app.algebra.functions import select_extreme
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_sum_facts
from timeline_app.operators.pointwise import make_extreme_explainer
from timeline_app.operators.ports import Amount, Number

_EXAMPLE = Example(
    """
    waiting = duration_where(latest_event_to_state(player.waiting))
    limit = latest_event_to_state(player.limit)
    greater = maximum(waiting, limit)
    """,
    "1 waiting=true limit=3; 6 waiting=false; 8 limit=7",
)


@operator(
    "Maximum",
    category="timelines",
    example=_EXAMPLE,
    why=make_extreme_explainer("greater"),
    one_of=("value", "other"),
    facts_of=derive_sum_facts,
    mirror="maximum",
    synonyms=("max", "larger", "at least", "greatest", "clamp"),
)
def maximum(of: Number, other: Number | None = None, value: Amount | None = None) -> Number:
    """The greater of the number and the value, or of two numbers.

    Where lines cross it changes over at the first microsecond at which the other one is the greater. Unknown while
    either is unknown. Over time see `running_max` and `max_within`; a duration is a number of seconds.
    """
    return select_extreme(of, other if other is not None else value, greatest=True)
