"""A number without its sign."""

from collections.abc import Mapping

from timeline_app.algebra.arithmetic import times
from timeline_app.algebra.functions import choose_extreme
from timeline_app.operators.base import Make, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import same
from timeline_app.operators.pointwise import function_of
from timeline_app.operators.ports import Number


def _made_of(make: Make, inputs: Mapping[str, tuple[str, ...]], _: object) -> str:
    """The greater of the number and its opposite."""
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
    why=function_of("without its sign"),
    facts_of=same,
    made_of=_made_of,
    synonyms=("abs", "magnitude", "distance from zero"),
)
def absolute(of: Number) -> Number:
    """The number without its sign.

    A number that climbs turns at the first microsecond at which it is 0 or has passed it. Unknown while the input is
    unknown.
    """
    return choose_extreme(of, times(of, -1.0), greatest=True)
