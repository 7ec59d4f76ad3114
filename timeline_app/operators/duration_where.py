"""How long something has been true."""

from timeline_app.algebra.states import time_true
from timeline_app.operators.base import Bool, Number, operator


@operator("Duration where", category="timelines", steady=False)
def duration_where(of: Bool) -> Number:
    """Seconds since birth for which the input has been true.

    Climbs with slope 1 while it is true, flat otherwise (also while it is unknown); 0 before birth.
    """
    return time_true(of)
