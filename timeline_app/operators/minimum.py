"""The lesser of two numbers."""

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
    lesser = minimum(waiting, limit)
    """,
    "1 waiting=true limit=3; 6 waiting=false; 8 limit=7",
)


@operator(
    "Minimum",
    category="timelines",
    example=_EXAMPLE,
    why=make_extreme_explainer("lesser"),
    one_of=("value", "other"),
    facts_of=derive_sum_facts,
    mirror="minimum",
    synonyms=("min", "smaller", "at most", "least", "cap", "clamp"),
)
def minimum(of: Number, other: Number | None = None, value: Amount | None = None) -> Number:
    """The lesser of the number and the value, or of two numbers.

    Where lines cross it changes over at the first microsecond at which the other one is the lesser. Unknown while
    either is unknown. Over time see `running_min` and `min_within`; a duration is a number of seconds.
    """
    return select_extreme(of, other if other is not None else value, greatest=False)
