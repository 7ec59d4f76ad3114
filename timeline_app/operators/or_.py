"""Kleene's or."""

from timeline_app.algebra.logic import apply_or
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import make_junction_explainer
from timeline_app.operators.ports import Bool, Many

_EXAMPLE = Example(
    """
    playing = latest_event_to_state(player.playing)
    visible = latest_event_to_state(player.visible)
    useful = playing or visible
    """,
    "1 playing=false; 3 playing=true; 5 visible=false; 7 playing=false; 8.5 visible=true",
)


@operator(
    "Or",
    category="timelines",
    example=_EXAMPLE,
    commutes=True,
    dual="and",
    why=make_junction_explainer(decisive=True),
    synonyms=("either", "union", "combine"),
)
def or_(of: Many[Bool]) -> Bool:
    """True while any input is true, false while all are false.

    Unknown in between: true or unknown is true, false or unknown is unknown.
    """
    return apply_or(*of)
