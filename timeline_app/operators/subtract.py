"""The difference of two numbers."""

from timeline_app.algebra.arithmetic import subtract_timelines
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_sum_facts
from timeline_app.operators.pointwise import make_arithmetic_explainer
from timeline_app.operators.ports import Amount, Number

_EXAMPLE = Example(
    """
    loaded = event_sum(player.loaded)
    played = duration_where(latest_event_to_state(player.playing))
    buffer = loaded - played
    """,
    "1 loaded=4; 3 playing=true; 6 loaded=3; 8 playing=false",
)


@operator(
    "Subtract",
    category="timelines",
    example=_EXAMPLE,
    why=make_arithmetic_explainer("−"),
    one_of=("value", "other"),
    facts_of=derive_sum_facts,
    caption="− {value}",
    synonyms=("minus", "difference", "delta", "change"),
)
def subtract(of: Number, other: Number | None = None, value: Amount | None = None) -> Number:
    """The number minus the value, or minus the other number.

    Unknown while either is unknown. A duration is a number of seconds.
    """
    return subtract_timelines(of, other if other is not None else value)
