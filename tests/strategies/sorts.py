"""The sorts of values that a random plan may wire, and what its parameters are chosen from.

Numbers come in sorts: steady and climbing ones that are decimals (so that equality and thresholds can be asked of
them), `rough` and `steep` ones (the same, right up to rounding only), and ratios.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.predicates.conditions import COMPUTED, TIMED
from tests.strategies.values import KINDS, NUMBERS, STATES

SORTS = {**KINDS, **{f"= {text}": kind for text, (kind, _) in {**COMPUTED, **TIMED}.items()}}
"""What a leaf may read: fields, and what is computed from them."""
MOSTLY = (True, True, False)
STEADY, DECIMALS = ("number", "rough"), ("number", "climbing")
PLAIN = ("number", "climbing", "rough", "steep")
STATE = ("bool", "text", "number")
ANY = ("bool", "text", *PLAIN, "ratio")
DURATIONS = ("1s", "500ms", "2500ms", "10s", "333ms", "1us")
THRESHOLDS = (0, 0.5, 1, 1.5, 2, 3, 0.1, -1, 0.75, "1s", "2500ms", "10s", "3us")
FACTORS = (0, 1, -1, 2, 0.5, 0.1, 10, "2s")
DIVISORS = (1, 2, -4, 0.5, 10, "500ms")
ROUGH_DIVISORS = (3, 0.3, -7)
VALUES: dict[str, Sequence[Any]] = {
    "bool": (True, False),
    "text": (*STATES, "CDN1", "10s"),
    "number": (*NUMBERS, 0.5, 2, -1, "1s", "3s"),
    "climbing": THRESHOLDS,
    "ratio": (0, 0.5, 1, 2, -1, 0.25, 3, "1s"),
}
OFTEN = {
    "aggregate": 6,
    "divide": 3,
    **dict.fromkeys(("greater_than", "less_or_equal", "multiply", "when", "shift"), 2),
    **dict.fromkeys(("round", "floor", "ceil", "alert"), 2),
    **dict.fromkeys(("sequence_duration", "sequence_count"), 3),
    **dict.fromkeys(("value_at", "since", "previous_value", "increase"), 3),
}
"""How many times as often as another operator; what has many forms needs more of them."""
LASTING = ("held_for", "shift", "any_within", "max_within", "min_within", "mean_within")
"""What takes a duration."""
COUNTS = ("event_count", "changed_to", "count_within")
"""Their values have so few digits that a product with them is a decimal that a float can hold."""
EVERY = ("1s", "10s", "3s", "700ms")
RANKS = ("min", "max", "p50", "p90", "p99", "p33.4", "p0.5")
MEASURES = ("count", "sum", "avg", "stddev", "variance", *RANKS)
TAKEN = {
    "bool": ("count", "avg", "share", "mode"),
    "text": ("count", "distinct", "mode"),
    "ratio": ("count", *RANKS),
    **dict.fromkeys(("climbing", "steep"), MEASURES),
}
"""The functions that an aggregate takes of a sort; of other numbers all measures, and the mode."""
CLIMBING = ("duration_where", "duration_in_current_state")
SIDES = ("at", "before")
ASKING = ("event_count", "event_sum", "has_existed", "has_existed_within", "count_within", "sum_within")
"""What may ask a bool which events count."""
LEAVES = (
    "latest_event_to_state",
    "has_existed",
    "has_existed_within",
    "event_count",
    "event_sum",
    "constant",
    "count_within",
    "sum_within",
    "values_within",
)
SUMS, NUMBERED = ("event_sum", "sum_within"), ("event_count", "count_within")
OF_EVENTS = ("mean", "min", "max", "deviation", "distinct", "first", "last")
ACCUMULATING = (
    "event_count",
    "event_sum",
    "duration_where",
    "integral",
    "changed_to",
    "sequence_count",
    "increase",
)
ZONES = ("Europe/Copenhagen", "Asia/Kolkata", "America/Los_Angeles")
HOURS: tuple[dict[str, Any], ...] = (
    {"from": "08:00:01", "to": "08:00:03"},
    {"from": "10:00:02", "to": "10:00", "zone": "Europe/Copenhagen", "days": "mon-fri"},
    {"from": "13:30:01", "to": "24:00", "zone": "Asia/Kolkata", "days": "tue,mon"},
    {"from": "22:00", "to": "08:00:02", "days": "sun"},
)
"""Opening hours that begin or end among the events."""
SEQUENCES = ("sequence", "sequence")
LIMITS = ("1s", "2500ms", "3s", "500ms", "1us")
CONSTANTS = {"text": ("play", "buffer", "nothing"), "bool": (True, False), "number": (0.0, 1.0, -2.5)}
"""Values by sort; some are those of events, some are not."""


def find_widest(*sorts: str) -> str:
    """What comes of numbers of these sorts together."""
    rough, climbs = {"rough", "steep"} & {*sorts}, {"climbing", "steep"} & {*sorts}
    if "ratio" in sorts or not {*sorts} & {*PLAIN}:
        return sorts[0]
    return ("steep" if climbs else "rough") if rough else "climbing" if climbs else "number"
