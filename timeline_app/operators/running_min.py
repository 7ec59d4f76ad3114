"""The least value so far."""

from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.memories import track_greatest
from timeline_app.algebra.recall import recall_amounts
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Before, Number, SteadyNumber
from timeline_app.operators.windowed import make_running_extreme_explainer

_EXAMPLE = Example(
    """
    bitrate = latest_event_to_state(player.bitrate)
    least = running_min(bitrate)
    """,
    "1 bitrate=3; 3 bitrate=2; 5 bitrate=4; 7 bitrate=1",
)


def _read(of: Timelines, at: Ints, carried: Carried | None) -> Ints:
    """Return the least so far, bit by bit."""
    return recall_amounts(track_greatest(of, carried, sign=-1.0), at)


@operator(
    "Minimum so far",
    category="timelines",
    example=_EXAMPLE,
    why=make_running_extreme_explainer("least"),
    memory=Memory(_read),
    synonyms=("low water mark", "cumulative minimum", "lowest so far", "ever lowest"),
)
def running_min(of: SteadyNumber, carried: Before = None) -> Number:
    """The least known value so far.

    Counted from birth on; unknown before the first known value, and it holds while the input is unknown. For numbers
    that do not climb.
    """
    return track_greatest(of, carried, sign=-1.0)
