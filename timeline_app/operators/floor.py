"""A number to a whole one below it."""

import numpy as np

from timeline_app.algebra.functions import apply_function
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import make_function_explainer
from timeline_app.operators.ports import Number, SteadyNumber

_EXAMPLE = Example(
    """
    price = latest_event_to_state(shop.price)
    whole = floor(price)
    """,
    "1 price=1.2; 3 price=2.5; 5 price=-2.5; 7 price=3",
)


@operator(
    "Round down",
    category="timelines",
    example=_EXAMPLE,
    why=make_function_explainer("rounded down"),
    synonyms=("round down", "truncate", "whole number", "integer", "floor"),
)
def floor(of: SteadyNumber) -> Number:
    """The greatest whole number that is not greater than the number.

    It rounds down: 2.5 is 2, -2.5 is -3. Unknown while the input is unknown. For numbers that do not climb.
    """
    return apply_function(np.floor, of)
