"""Whether it is within opening hours."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import OPEN, Ints, Kind
from timeline_app.algebra.openings import build_openings
from timeline_app.operators.base import Facts, Memory, WrongInputs, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Before, Bool, ClockTime, Days, Frontier, Zone
from timeline_app.operators.reasons import Question, Reason
from timeline_app.times.calendar import DAY
from timeline_app.times.schedule import THURSDAY, Schedule
from timeline_app.times.week import DAYS, spell_clock, spell_days
from timeline_app.times.zones import ZONE_DATA, convert_to_local

EVERY_DAY = tuple(range(len(DAYS)))


def _schedule(params: Mapping[str, Any]) -> Schedule:
    return Schedule(params["from"], params["to"], params["days"], params["zone"])


def _derive_facts(_: object, params: Mapping[str, Any], __: object) -> Facts:
    if params["from"] == params["to"]:
        words = f"`from` and `to` are both {spell_clock(params['to'])}: no time lies between them"
        raise WrongInputs("to", words, 'give another time; the whole day is from = "00:00", to = "24:00"')
    return Facts(Kind.BOOL)


def _explain(question: Question) -> Reason:
    result, params = question.result, question.params
    if not result.born:
        return Reason(question.nothing(""), ends=question.ends("ends when it comes"))
    if result.value is None:
        cause = f"events or heartbeats of `{question.stream}` tell that time has come there"
        return Reason(
            f"{question.head} because the hours change by then, and no {cause}", ends=f"ends when {cause}"
        )
    zone = params["zone"]
    local_time = convert_to_local(question.at, zone)
    reading = (
        f"it was {spell_clock(local_time % DAY)} on {DAYS[(local_time // DAY + THURSDAY) % 7]} in {zone}"
    )
    hours = f"{spell_clock(params['from'])}–{spell_clock(params['to'])}, {spell_days(params['days'])}"
    where = "within" if result.value else "outside"
    ends = question.ends("never ends", f", when it {'closes' if result.value else 'opens'}")
    return Reason(f"{question.head} because {reading}, {where} {hours}", ends=ends)


_EXAMPLE = Example(
    'working = in_schedule(player, "00:00:03", "00:00:07")',
    "1 user=ann; 9 user=ann",
)


def _read(events: Events, at: Ints, **_: object) -> Ints:  # noqa: ARG001 (what it says needs no past)
    """Return no amounts: only the time of the summary matters."""
    return np.empty((len(events.names), 0), dtype=np.int64)


@operator(
    "Within a schedule",
    category="stream",
    example=_EXAMPLE,
    facts_of=_derive_facts,
    why=_explain,
    memory=Memory(_read, width=0),
    boundary=lambda params, frontier: _schedule(params).next_switch(frontier),
    version=ZONE_DATA,
    synonyms=(
        "working hours",
        "business hours",
        "opening hours",
        "office hours",
        "time of day",
        "day of week",
        "shift",
        "calendar",
        "timetable",
        "maintenance window",
        "weekend",
        "night",
    ),
)
def in_schedule(
    events: Events,
    frontier: Frontier,
    from_: ClockTime,
    to: ClockTime,
    days: Days = EVERY_DAY,
    zone: Zone = "UTC",
    carried: Before = None,
) -> Bool:
    """True within opening hours, by the clocks of a time zone, for each key of the stream.

    Open from the time `from` up to the time `to` (exclusive) on the days given, every day by default. Where `to` is not
    after `from` it is of the next day, and `days` are those of opening: `22:00` to `06:00` on `fri` ends on Saturday.
    The whole day is `00:00` to `24:00`. Daylight saving is that of the zone: what its clocks show decides.

    Unknown before the first event of a key. It continues without events of the key while events of other keys, or
    heartbeats, show that time passes. It is known up to the first change after the latest of them, and unknown from
    there on.
    """
    schedule = Schedule(from_, to, days, zone)
    begin = events.birth if carried is None else np.maximum(events.birth, carried.at)
    until = schedule.next_switch(frontier)
    first = min(int(begin.min(initial=OPEN)), frontier)
    states = schedule.is_open(begin)
    return build_openings(events, begin, states, schedule.list_switches(first, frontier), until)
