"""Whether something has been true for long enough."""

from timeline_app.algebra.states import lasting
from timeline_app.operators.base import Bool, Duration, operator


@operator("Held for", category="timelines")
def held_for(of: Bool, duration: Duration) -> Bool:
    """True once the input has been true for the duration without a break.

    Counted from birth at the earliest; unknown while the input is unknown, else false.
    """
    return lasting(of, duration)
