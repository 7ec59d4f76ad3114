"""A number to a whole one above it."""

import numpy as np

from timeline_app.algebra.functions import apply_function
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import make_function_explainer
from timeline_app.operators.ports import Number, SteadyNumber

_EXAMPLE = Example(
    """
    price = latest_event_to_state(shop.price)
    whole = ceil(price)
    """,
    "1 price=1.2; 3 price=2.5; 5 price=-2.5; 7 price=3",
)


@operator(
    "Round up",
    category="timelines",
    example=_EXAMPLE,
    why=make_function_explainer("rounded up"),
    synonyms=("round up", "ceiling", "whole number", "integer", "ceil"),
)
def ceil(of: SteadyNumber) -> Number:
    """The least whole number that is not less than the number.

    It rounds up: 2.5 is 3, -2.5 is -2. Unknown while the input is unknown. For numbers that do not climb.
    """
    return apply_function(np.ceil, of)
