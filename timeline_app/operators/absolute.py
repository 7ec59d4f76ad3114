"""A number without its sign."""

from collections.abc import Mapping

from timeline_app.algebra.arithmetic import multiply_timelines
from timeline_app.algebra.functions import select_extreme
from timeline_app.operators.base import Make, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_same_facts
from timeline_app.operators.pointwise import make_function_explainer
from timeline_app.operators.ports import Number


def _expand(make: Make, inputs: Mapping[str, tuple[str, ...]], _: object) -> str:
    """Return the greater of the number and its opposite."""
    return make("maximum", {**inputs, "other": (make("multiply", inputs, value=-1.0),)})


_EXAMPLE = Example(
    """
    deviation = latest_event_to_state(oven.deviation)
    distance = absolute(deviation)
    """,
    "1 deviation=-2; 3 deviation=1; 5 deviation=-1; 7 deviation=0",
)


@operator(
    "Absolute value",
    category="timelines",
    example=_EXAMPLE,
    why=make_function_explainer("without its sign"),
    facts_of=derive_same_facts,
    made_of=_expand,
    synonyms=("abs", "magnitude", "distance from zero"),
)
def absolute(of: Number) -> Number:
    """The number without its sign.

    A number that climbs turns at the first microsecond at which it is 0 or has passed it. Unknown while the input is
    unknown.
    """
    return select_extreme(of, multiply_timelines(of, -1.0), greatest=True)
