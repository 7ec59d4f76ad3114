"""What `aggregate` is made of with a zone: its functions that are found on a grid, there the beginnings of periods."""

from collections.abc import Mapping
from typing import Annotated, Any

from timeline_app.algebra.groups import Deltas, compute_contributions
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.samples import Boundaries
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.accumulated import make_calendar
from timeline_app.operators.aggregate import summarize
from timeline_app.operators.base import INTERNAL, AcrossKeys, Facts, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.membership import explain_group
from timeline_app.operators.parameters import ParameterType
from timeline_app.operators.ports import Anything, LastEvent, Number, Period, Since, Text, Zone
from timeline_app.operators.reasons import Question, Reason
from timeline_app.times.periods import get_shortest_period
from timeline_app.times.zones import ZONE_DATA

Function = Annotated[
    str, ParameterType("choice", "max", ("min", "max", "stddev", "variance"), percentiles=True)
]


def _contribute(of: Timelines, by: Timelines | None = None, **_: object) -> Deltas:
    return compute_contributions(of, by)


def _collect(deltas: Deltas, kind: Kind, **_: object) -> Timelines:
    raise NotImplementedError("it sees all keys at once")


def _derive_facts(*_: object) -> Facts:
    return Facts(Kind.NUMBER)


def _explain(question: Question) -> Reason:
    return explain_group(question, None)


_EXAMPLE = Example(
    """
    playing = duration_where(latest_event_to_state(player.playing))
    longest = aggregate(playing, max, every = 1d, zone = "Europe/Berlin")
    """,
    "1 playing=true; 30 playing=false",
)


def _measure(params: Mapping[str, Any]) -> int:
    return get_shortest_period(params["every"])


@operator(
    "Aggregate by the calendar",
    category=INTERNAL,
    example=_EXAMPLE,
    why=_explain,
    facts_of=_derive_facts,
    across_keys=AcrossKeys(_contribute, _collect, lambda _: False, _measure),
    start=lambda _: None,
    version=ZONE_DATA,
)
def aggregate_by_calendar(
    of: Anything,
    last: LastEvent,
    since: Since,
    function: Function,
    every: Period,
    zone: Zone,
    by: Text | None = None,
) -> Number:
    """At each beginning of a period, a function of the values of the keys of each group."""
    calendar = make_calendar(every, zone)
    return summarize(
        of, by, function, lambda start, end: Boundaries.compute(calendar, start, end), (since, last)
    )
