"""The greatest value so far."""

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
    greatest = running_max(bitrate)
    """,
    "1 bitrate=3; 3 bitrate=5; 5 bitrate=4; 7 bitrate=6",
)


def _read(of: Timelines, at: Ints, carried: Carried | None) -> Ints:
    """Return the greatest so far, bit by bit."""
    return recall_amounts(track_greatest(of, carried), at)


@operator(
    "Maximum so far",
    category="timelines",
    example=_EXAMPLE,
    why=make_running_extreme_explainer("greatest"),
    memory=Memory(_read),
    synonyms=("record", "high water mark", "cumulative maximum", "peak so far", "ever highest"),
)
def running_max(of: SteadyNumber, carried: Before = None) -> Number:
    """The greatest known value so far.

    Counted from birth on; unknown before the first known value, and it holds while the input is unknown. For numbers
    that do not climb.
    """
    return track_greatest(of, carried)
