"""What has come since the beginning of a period of the calendar."""

from collections.abc import Mapping

from timeline_app.algebra.calendars import compute_base, compute_since_period
from timeline_app.algebra.kinds import Ints, Kind
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.accumulated import (
    explain_unreached,
    find_beginning,
    find_boundary_after,
    make_calendar,
    name_period,
    spell_instant,
)
from timeline_app.operators.base import Facts, Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Accumulating, Before, Frontier, Number, Period, Zone
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value
from timeline_app.times.zones import ZONE_DATA


def _derive_facts(inputs: Mapping[str, Facts], *_: object) -> Facts:
    return Facts(Kind.NUMBER, inputs["of"].steady)


def _explain(question: Question) -> Reason:
    of, until = question.look_at_input(), question.result.until
    ends_period = until is not None and find_beginning(question, until) == until
    how = f", when the {name_period(question)} ends" if ends_period else ""
    ends = question.ends(f"changes when `{of.node}` changes", how)
    if not of.born:
        return Reason(f"{question.head}: {question.unborn(of)}", (of,), ends=ends)
    if reason := explain_unknown(question, of):
        return reason
    start = find_beginning(question, question.at)
    if start <= of.birth:
        sentence = f"{question.head}: the {name_period(question)} is the first of `{of.key}`, and {question.tell(of)}"
        return explain_unreached(question) or Reason(sentence, (of,), ends=ends)
    before = question.look_at_input(at=start - 1)
    when = f"when the {name_period(question)} began, at {spell_instant(question, start)} in {question.params['zone']}"
    if before.value is None:
        return Reason(f"{question.head} because `{of.node}` was unknown {when}", (before,), ends=ends)
    sentence = (
        f"{question.head}: `{of.node}` was {format_value(before.value)} {when}, and {question.tell(of)}"
    )
    return explain_unreached(question) or Reason(sentence, (of, before), ends=ends)


_EXAMPLE = Example(
    """
    made = event_count(press.made == true)
    today = so_far(made, 1min)
    """,
    "52 made=true; 55 made=true; 58 made=true; 62 made=true; 66 made=true; 70 made=false",
)


def _read(of: Timelines, at: Ints, carried: Carried | None, every: Period, zone: Zone = "UTC") -> Ints:
    """Return its value just before the period began."""
    return compute_base(of, make_calendar(every, zone), at, carried)


@operator(
    "Total so far in a period",
    category="timelines",
    example=_EXAMPLE,
    facts_of=_derive_facts,
    why=_explain,
    memory=Memory(_read),
    boundary=find_boundary_after,
    version=ZONE_DATA,
    synonyms=(
        "today",
        "this week",
        "this month",
        "month to date",
        "year to date",
        "running total",
        "reset",
        "reset at midnight",
        "daily counter",
        "quota",
        "budget",
        "window",
    ),
)
def so_far(
    of: Accumulating, frontier: Frontier, every: Period, zone: Zone = "UTC", carried: Before = None
) -> Number:
    """The change of an accumulating number since the beginning of the minute, hour, day, week or month.

    Takes a number that accumulates (a count, a sum, a duration, an integral) and subtracts its value just before
    the period began. So an event exactly at midnight belongs to the new day. Periods follow the clocks of the
    `zone`: a local day has 23, 24 or 25 hours, and a week begins on Monday.

    It restarts without events of the key while events of other keys, or heartbeats, show that time passes; after
    the first boundary beyond them it is unknown. If the number was unknown just before a boundary, it is unknown
    until the next.
    """
    until = find_boundary_after({"every": every, "zone": zone}, frontier)
    return compute_since_period(of, make_calendar(every, zone), until, carried)
