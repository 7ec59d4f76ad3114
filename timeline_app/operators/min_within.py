"""The least value in the time just before."""

from timeline_app.algebra.sliding import find_greatest_within
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Duration, Number, SteadyNumber
from timeline_app.operators.windowed import make_extreme_explainer

_EXAMPLE = Example(
    """
    bitrate = latest_event_to_state(player.bitrate)
    least = min_within(bitrate, 3s)
    """,
    "1 bitrate=2; 2 bitrate=5; 4 bitrate=3; 8 bitrate=4",
)


@operator(
    "Moving minimum",
    category="timelines",
    example=_EXAMPLE,
    why=make_extreme_explainer("least", min),
    lookback=lambda params: int(params["duration"]),
    by_known=True,
    caption="over {duration}",
    synonyms=(
        "rolling minimum",
        "moving minimum",
        "min over time",
        "lowest",
        "window",
        "last hour",
        "rolling",
        "sliding window",
    ),
)
def min_within(of: SteadyNumber, duration: Duration) -> Number:
    """The least known value that the number had at some instant in the duration before.

    A value counts until the duration after it was replaced. Unknown values are left out; where none was known it is
    unknown. Time counts from birth on; before birth it is unknown. For numbers that do not climb.
    """
    return find_greatest_within(of, duration, -1.0)
