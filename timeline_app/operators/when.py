"""A choice between two timelines."""

from timeline_app.algebra.states import choose
from timeline_app.operators.base import Anything, Bool, SameKind, operator
from timeline_app.operators.facts import chosen


@operator("When", category="timelines", facts=chosen)
def when(if_: Bool, of: Anything, otherwise: SameKind | None = None) -> Anything:
    """The input where the bool is true, else the other one.

    `of` where `if` is true, `otherwise` (or unknown, where nothing is wired to it) where it is false, unknown where
    it is unknown.
    """
    return choose(if_, of, otherwise)
