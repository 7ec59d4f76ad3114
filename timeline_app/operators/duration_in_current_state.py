"""How long a state has held."""

from timeline_app.algebra.states import time_in_state
from timeline_app.operators.base import Number, State, operator


@operator("Duration in current state", category="timelines", steady=False)
def duration_in_current_state(of: State) -> Number:
    """Seconds since the value last changed.

    Since birth for a value held since ever. Takes texts, bools and steady numbers; unknown while the state is unknown
    and before birth.
    """
    return time_in_state(of)
