"""The logarithm of a number."""

from timeline_app.algebra.functions import apply_function, take_logarithm
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import make_function_explainer
from timeline_app.operators.ports import Number, SteadyNumber

_EXAMPLE = Example(
    """
    volume = latest_event_to_state(player.volume)
    loudness = log(volume)
    """,
    "1 volume=1; 3 volume=10; 5 volume=0; 7 volume=0.5",
)


@operator(
    "Natural logarithm",
    category="timelines",
    example=_EXAMPLE,
    why=make_function_explainer("the natural logarithm", "0 and less have no logarithm"),
    synonyms=("ln", "logarithm", "natural logarithm", "log"),
)
def log(of: SteadyNumber) -> Number:
    """The natural logarithm.

    To another base, divide: `log(x) / 2.302585092994046` is that to the base 10. Unknown while the input is unknown,
    and where it is 0 or less. For numbers that do not climb.
    """
    return apply_function(take_logarithm, of)
