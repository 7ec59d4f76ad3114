"""Kleene's and."""

from timeline_app.algebra.logic import apply_and
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import make_junction_explainer
from timeline_app.operators.ports import Bool, Many

_EXAMPLE = Example(
    """
    playing = latest_event_to_state(player.playing)
    visible = latest_event_to_state(player.visible)
    watched = playing and visible
    """,
    "1 playing=false; 3 playing=true; 5 visible=true; 7 playing=false; 8.5 visible=false",
)


@operator(
    "And",
    category="timelines",
    example=_EXAMPLE,
    commutes=True,
    dual="or",
    why=make_junction_explainer(decisive=False),
    synonyms=("all", "both", "join", "combine", "filter"),
)
def and_(of: Many[Bool]) -> Bool:
    """True while all inputs are true, false while any is false.

    Unknown in between: false and unknown is false, true and unknown is unknown.
    """
    return apply_and(*of)
