"""The same, later."""

from timeline_app.algebra.states import later
from timeline_app.operators.base import Anything, Duration, operator
from timeline_app.operators.facts import same


@operator("Shift", category="timelines", facts=same)
def shift(of: Anything, duration: Duration) -> Anything:
    """The same timeline, later by the duration.

    What was true at 12:00:00 is said at 12:00:05. Births stay where they are.
    """
    return later(of, duration)
