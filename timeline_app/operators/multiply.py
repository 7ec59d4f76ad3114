"""The product of two numbers."""

from timeline_app.algebra.arithmetic import times
from timeline_app.algebra.kinds import Kind
from timeline_app.operators.base import Amount, AnyNumber, Number, operator
from timeline_app.operators.facts import multiplied
from timeline_app.operators.pointwise import reckoned


@operator(
    "Multiply",
    category="timelines",
    why=reckoned("×"),
    one_of=("value", "other"),
    facts=multiplied,
    mirror="multiply",
)
def multiply(of: AnyNumber, other: AnyNumber | None = None, value: Amount | None = None) -> Number:
    """The number times the value, or times the other number.

    At least one of the two must be steady; a ratio of climbing numbers stays a ratio. Unknown while either is
    unknown.
    """
    if other is not None and other.kind is Kind.RATIO:
        return times(other, of)
    return times(of, other if other is not None else value)
