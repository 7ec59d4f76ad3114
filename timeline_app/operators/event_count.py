"""How many events there have been."""

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.steps import count
from timeline_app.operators.base import Number, Where, operator


@operator("Event count", category="stream")
def event_count(events: Events, where: Where | None = None) -> Number:
    """How many matching events so far, 0 before the first.

    Without a condition every event counts. Events of one instant all count; copies with one id count once.
    """
    every = np.ones(events.size, dtype=bool)
    return count(events, every if where is None else where.matches(events.fields))
