"""The sum of two numbers."""

from timeline_app.algebra.arithmetic import add_timelines
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_sum_facts
from timeline_app.operators.pointwise import make_arithmetic_explainer
from timeline_app.operators.ports import Amount, Number

_EXAMPLE = Example(
    """
    waiting = duration_where(latest_event_to_state(player.waiting))
    seeks = event_count(player.action == "seek")
    cost = waiting + seeks
    """,
    "1 waiting=true; 3 action=seek; 5 waiting=false; 7 action=seek",
)


@operator(
    "Add",
    category="timelines",
    example=_EXAMPLE,
    why=make_arithmetic_explainer("+"),
    one_of=("value", "other"),
    facts_of=derive_sum_facts,
    mirror="add",
    caption="+ {value}",
    synonyms=("plus", "sum of two", "total"),
)
def add(of: Number, other: Number | None = None, value: Amount | None = None) -> Number:
    """The number plus the value, or plus the other number.

    Unknown while either is unknown. A duration is a number of seconds.
    """
    return add_timelines(of, other if other is not None else value)
