"""The product of two numbers."""

from timeline_app.algebra.arithmetic import multiply_timelines
from timeline_app.algebra.kinds import Kind
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_product_facts
from timeline_app.operators.pointwise import make_arithmetic_explainer
from timeline_app.operators.ports import Amount, AnyNumber, Number

_EXAMPLE = Example(
    """
    playing = duration_where(latest_event_to_state(player.playing))
    price = latest_event_to_state(player.price)
    bill = playing * price
    """,
    "1 price=1; 2 playing=true; 5 price=2; 8 playing=false",
)


@operator(
    "Multiply",
    category="timelines",
    example=_EXAMPLE,
    why=make_arithmetic_explainer("×"),
    one_of=("value", "other"),
    facts_of=derive_product_facts,
    mirror="multiply",
    caption="× {value}",
    synonyms=("times", "product", "scale", "percent", "weight"),
)
def multiply(of: AnyNumber, other: AnyNumber | None = None, value: Amount | None = None) -> Number:
    """The number times the value, or times the other number.

    At least one of the two must be steady; a ratio of climbing numbers stays a ratio. Unknown while either is
    unknown.
    """
    if other is not None and other.kind is Kind.RATIO:
        return multiply_timelines(other, of)
    return multiply_timelines(of, other if other is not None else value)
