"""How often a state was entered."""

from timeline_app.algebra.logic import is_value
from timeline_app.algebra.states import entries
from timeline_app.operators.base import Number, State, Value, operator


@operator("Changed to", category="timelines")
def changed_to(of: State, value: Value | None = None) -> Number:
    """How many times the state has become the value; without one, any known value.

    These are the change points at which such a piece begins: the first known value counts as one, a value held since
    ever as none. Takes texts, bools and steady numbers.
    """
    return entries(of, of.known if value is None else is_value(of, value) & of.known)
