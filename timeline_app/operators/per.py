"""The total of the last complete period of the calendar."""

from timeline_app.algebra.calendars import compute_bases, compute_period_totals
from timeline_app.algebra.kinds import Ints
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
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Accumulating, Before, Frontier, Number, Period, Zone
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value
from timeline_app.times.zones import ZONE_DATA


def _explain(question: Question) -> Reason:
    of, name = question.look_at_input(), name_period(question)
    ends = question.ends(f"changes when a {name} ends", f", when the {name} ends")
    if not of.born:
        return Reason(f"{question.head}: {question.unborn(of)}", (of,), ends=ends)
    end = find_beginning(question, question.at)
    if end <= of.birth:
        sentence = f"{question.head} because the first {name} of `{of.key}` is not over"
        return Reason(sentence, (of,), ends=ends)
    start = find_beginning(question, end - 1)
    edges = tuple(question.look_at_input(at=edge - 1) for edge in (start, end))
    span = f"from {spell_instant(question, start)} to {spell_instant(question, end)} in {question.params['zone']}"
    if unknown := next((edge for edge in edges if edge.born and edge.value is None), None):
        return Reason(
            f"{question.head} because `{of.node}` was unknown at an end of the {name} {span}",
            (unknown,),
            ends=ends,
        )
    first, last = (format_value(edge.value if edge.born else 0) for edge in edges)
    sentence = f"{question.head}, the total of the {name} {span}: `{of.node}` went from {first} to {last}"
    return explain_unreached(question) or Reason(sentence, edges if edges[0].born else edges[1:], ends=ends)


_EXAMPLE = Example(
    """
    made = event_count(press.made == true)
    each_minute = per(made, 1min)
    """,
    "52 made=true; 55 made=true; 58 made=true; 62 made=true; 122 made=true; 126 made=false",
)


def _read(of: Timelines, at: Ints, carried: Carried | None, every: Period, zone: Zone = "UTC") -> Ints:
    """Return its value just before the period began, and the total of the one before."""
    return compute_bases(of, make_calendar(every, zone), at, carried)


@operator(
    "Total per period",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    memory=Memory(_read, width=2),
    boundary=find_boundary_after,
    version=ZONE_DATA,
    synonyms=(
        "yesterday",
        "last month",
        "last hour",
        "last day",
        "daily total",
        "hourly total",
        "tumbling window",
        "fixed window",
        "window",
        "bucket",
        "time bucket",
        "rate",
        "per day",
        "per hour",
        "per minute",
    ),
)
def per(
    of: Accumulating, frontier: Frontier, every: Period, zone: Zone = "UTC", carried: Before = None
) -> Number:
    """The total of the last complete minute, hour, day, week or month, as a step.

    Takes a number that accumulates (a count, a sum, a duration, an integral): what came from the beginning of the
    period up to its end. It holds until the next period is complete. The period in which a key was born is its first;
    before that is complete it is unknown. Periods are those of the clocks of the `zone`, as `so_far` has them.

    It continues without events of the key while events of other keys, or heartbeats, show that time passes; after
    the first boundary beyond them it is unknown. If the number was unknown just before a boundary, both adjacent
    periods are unknown.
    """
    until = find_boundary_after({"every": every, "zone": zone}, frontier)
    return compute_period_totals(of, make_calendar(every, zone), until, carried)
