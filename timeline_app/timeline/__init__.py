"""Plans in Python: expressions over streams and timelines that become the same plan document as canvas and text.

    >>> from timeline_app import timeline as tl
    >>> fields = {"player_state": "text", "user_action": "text", "cdn": "text"}
    >>> player = tl.stream("player", key="session", time="t", unit="s", fields=fields)
    >>> buffering = player.latest_event_to_state("player_state") == "buffer"
    >>> seeking = player.has_existed_within(tl.field("user_action") == "seek", "5s")
    >>> cirr = (player.has_existed('player_state == "play"') & buffering & ~seeking).duration_where()
    >>> cdn = player.latest_event_to_state("cdn")
    >>> plan = tl.plan("Rebuffering", cirr=cirr, cirr_by_cdn=cirr.aggregate("sum", by=cdn))
    >>> print(plan.text())
    plan "Rebuffering"
    stream player(
        key = session,
        time = t,
        unit = s,
        fields = {player_state: text, user_action: text, cdn: text})
    <BLANKLINE>
    cirr = duration_where(
        has_existed(player.player_state == "play")
        and latest_event_to_state(player.player_state) == "buffer"
        and not has_existed_within(player.user_action == "seek", 5s))
    cirr_by_cdn = aggregate(cirr, sum, by = latest_event_to_state(player.cdn))
    <BLANKLINE>
    results cirr, cirr_by_cdn
    <BLANKLINE>
    >>> plan.check()
    ()
    >>> events = [
    ...     {"session": "s1", "t": 0, "cdn": "CDN1"},
    ...     {"session": "s1", "t": 1, "player_state": "play"},
    ...     {"session": "s1", "t": 4, "player_state": "buffer"},
    ...     {"session": "s1", "t": 7, "player_state": "play"},
    ... ]
    >>> for answer in plan.evaluate(events, at="1970-01-01T00:00:09Z"):
    ...     print(answer["node"], answer["key"], answer["value"])
    cirr s1 3.0
    cirr_by_cdn CDN1 3.0

Operators that read a stream are methods of it, those that read timelines are methods of a timeline; both are functions
of this module as well. `== != < <= > >= + - * /` mean the operators of the text language, `& | ~` mean and, or, not.
An argument that is a timeline goes to the next open port, any other to the next parameter; all may be given by name.
"""

from __future__ import annotations

from collections.abc import Callable

from timeline_app.timeline.calls import FUNCTIONS
from timeline_app.timeline.conditions import Condition, Field, Value, field, value
from timeline_app.timeline.expressions import Stream, Timeline, stream
from timeline_app.timeline.plans import Plan, plan

__all__ = ["Condition", "Field", "Plan", "Stream", "Timeline", "Value", "field", "plan", "stream", "value"]


def __getattr__(name: str) -> Callable[..., Timeline]:
    """The operators, as functions; a stream or their first input comes first."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *FUNCTIONS})
