"""Kleene's not."""

from timeline_app.algebra.logic import negate
from timeline_app.operators.base import Bool, operator


@operator("Not", category="timelines")
def not_(of: Bool) -> Bool:
    """True while the input is false, false while it is true.

    Unknown while it is unknown.
    """
    return negate(of)
