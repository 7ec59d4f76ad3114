"""A number to the nearest whole one."""

from timeline_app.algebra.functions import apply_function, round_half_away
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import make_function_explainer
from timeline_app.operators.ports import Number, SteadyNumber

_EXAMPLE = Example(
    """
    price = latest_event_to_state(shop.price)
    whole = round(price)
    """,
    "1 price=1.2; 3 price=2.5; 5 price=-2.5; 7 price=3.4",
)


@operator(
    "Round",
    category="timelines",
    example=_EXAMPLE,
    why=make_function_explainer("rounded"),
    synonyms=("nearest", "whole number", "integer"),
)
def round_(of: SteadyNumber) -> Number:
    """The nearest whole number.

    Halves go away from zero: 2.5 is 3, -2.5 is -3. For other steps divide, round and multiply: `round(x / 0.1) * 0.1`.
    Unknown while the input is unknown. For numbers that do not climb.
    """
    return apply_function(round_half_away, of)
