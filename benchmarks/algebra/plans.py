"""A small plan for each operator on the events of a video player, and the groups that one query computes."""

from __future__ import annotations

from typing import Any

from timeline_app.operators import operators
from timeline_app.plan.text import read_text

STREAM = """\
stream player(key = session_id, time = t, until = end, unit = ms, fields = {amount: number},
    allowed_lateness = 30s, retention = 36500d)
"""
BELOW = {
    "state": "latest_event_to_state(player.player_state)",
    "cdn": "latest_event_to_state(player.cdn)",
    "n": "latest_event_to_state(player.amount)",
    "buffering": 'state == "buffer"',
    "first_cdn": 'cdn == "CDN1"',
    "lasted": "duration_where(buffering)",
    "events": "event_count(player)",
    "run": """sequence(
        steps = {play: player.player_state == "play", stop: player.player_state == "stop"}, within = 10min)""",
}
"""The nodes below operators on timelines; a plan has those that it needs."""
_OF_EVENTS = {
    "latest_event_to_state": "latest_event_to_state(player.player_state)",
    "event_count": 'event_count(player.player_state == "buffer")',
    "event_sum": "event_sum(player.amount)",
    "has_existed": 'has_existed(player.user_action == "seek")',
    "has_existed_within": 'has_existed_within(player.user_action == "seek", 5s)',
    "is_during": "is_during(player)",
    "constant": "constant(player, 1)",
}
_WINDOWS = {
    "count_within": "count_within(player, 10min)",
    "sum_within": "sum_within(player.amount, 10min)",
    "values_within": "values_within(player.amount, 10min, deviation)",
    "any_within": "any_within(buffering, 10min)",
    "max_within": "max_within(n, 10min)",
    "min_within": "min_within(n, 10min)",
    "mean_within": "mean_within(n, 10min)",
}
_LOGIC = {
    "equal_to": 'state == "buffer"',
    "not_equal_to": 'state != "buffer"',
    "and": "buffering and first_cdn",
    "or": "buffering or first_cdn",
    "not": "not buffering",
    "when": "when(buffering, n)",
    "latch": "latch(buffering, first_cdn)",
    "hysteresis": "hysteresis(n, above = 60, below = 40)",
    "alert": "alert(n, above = 60, clear = 40, for = 1min)",
}
_OVER_TIME = {
    "duration_where": "duration_where(buffering)",
    "duration_in_current_state": "duration_in_current_state(state)",
    "held_for": "held_for(buffering, 30s)",
    "changed_to": "changed_to(state)",
    "previous_value": "previous_value(state)",
    "shift": "shift(state, 30s)",
    "value_at": 'value_at(n, player.user_action == "seek")',
    "since": 'since(events, player.user_action == "seek")',
    "time_since": 'time_since(player.user_action == "seek")',
}
_NUMBERS = {
    "add": "n + lasted",
    "subtract": "lasted - n",
    "multiply": "lasted * n",
    "divide": "lasted / 60",
    "greater_than": "lasted > 100",
    "greater_or_equal": "lasted >= 100",
    "less_than": "lasted < n",
    "less_or_equal": "lasted <= n",
    "absolute": "absolute(n)",
    "minimum": "minimum(n, 50)",
    "maximum": "maximum(n, lasted)",
    "round": "round(n)",
    "floor": "floor(n)",
    "ceil": "ceil(n)",
    "power": "power(n, 2)",
    "log": "log(n)",
    "integral": "integral(n)",
    "running_max": "running_max(n)",
    "running_min": "running_min(n)",
    "increase": "increase(n)",
}
_CALENDAR = {
    "in_schedule": 'in_schedule(player, "08:00", "17:00", zone = "Europe/Berlin")',
    "so_far": 'so_far(lasted, 1h, zone = "Europe/Berlin")',
    "per": 'per(events, 1h, zone = "Europe/Berlin")',
}
_SEQUENCES = {
    "sequence": BELOW["run"],
    "sequence_duration": "sequence_duration(run)",
    "sequence_count": "sequence_count(run, completed)",
}
GROUPS: dict[str, dict[str, str]] = {
    "events": _OF_EVENTS,
    "windows": _WINDOWS,
    "logic": _LOGIC,
    "over time": _OVER_TIME,
    "numbers": _NUMBERS,
    "calendar": _CALENDAR,
    "sequences": _SEQUENCES,
}
"""The operators that one query computes together, by group."""
ALONE = {"aggregate": "aggregate(events, sum, by = cdn)"}
"""Operators that are queries of their own."""
PLANS = {op: text for group in (*GROUPS.values(), ALONE) for op, text in group.items()}


def list_operators(name: str) -> list[str]:
    """Return the operators of a group, or the one operator of this name."""
    return list(GROUPS.get(name, [name]))


def list_left_out() -> list[str]:
    """Return the operators without a plan: those by arrival need events with an arrival time."""
    return sorted(name for name in operators() if name not in PLANS)


def make_plan(*ops: str) -> dict[str, Any]:
    """Return a document whose results are these operators, named after them."""
    statements = {f"{op}_": PLANS[op] for op in ops}
    needed: dict[str, str] = {}
    todo = " ".join(statements.values())
    for name, text in reversed(BELOW.items()):
        if name in todo:
            needed[name], todo = text, f"{todo} {text}"
    lines = [f"{name} = {text}" for name, text in {**dict(reversed(needed.items())), **statements}.items()]
    document = read_text(STREAM + "\n".join(lines))
    return {**document, "results": list(statements)}
