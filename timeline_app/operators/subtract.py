"""The difference of two numbers."""

from timeline_app.algebra.arithmetic import minus
from timeline_app.operators.base import Amount, Number, operator
from timeline_app.operators.facts import added
from timeline_app.operators.pointwise import reckoned


@operator("Subtract", category="timelines", why=reckoned("−"), one_of=("value", "other"), facts=added)
def subtract(of: Number, other: Number | None = None, value: Amount | None = None) -> Number:
    """The number minus the value, or minus the other number.

    Unknown while either is unknown. A duration is so many seconds.
    """
    return minus(of, other if other is not None else value)
