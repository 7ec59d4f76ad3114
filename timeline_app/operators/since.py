"""What a number has come to since the latest of some instants."""

from collections.abc import Iterator
from math import isclose

from timeline_app.algebra.arithmetic import minus
from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import born_with, sampled
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import same
from timeline_app.operators.instants import Told, instants_of, looked_at, without_usual
from timeline_app.operators.pointwise import unknown
from timeline_app.operators.ports import Accumulating, Before, Bool, Number, Side, Where
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import said
from timeline_app.predicates import Predicate


def _base(question: Question, at: int) -> float | None:
    """What is taken off at an instant."""
    of, result = question.one(at=at).value, question.look(question.result.node, question.result.key, at).value
    return None if of is None or result is None else of - result


def _resets(question: Question) -> Iterator[int]:
    """When what is taken off changed, the latest first."""
    points = question.result.seen.points[: question.result.place + 1]
    times = [point[0] for point in reversed(points) if point[0] is not None]
    return (time for time in times if not _is_same(_base(question, time), _base(question, time - 1)))


def _is_same(one: float | None, other: float | None) -> bool:
    """Up to rounding: both were found from numbers that may have come far."""
    return one == other or (one is not None and other is not None and isclose(one, other, abs_tol=5e-7))


def _why(question: Question) -> Reason:
    of, told = question.one(), Told(question)
    ends = question.ends(f"begins anew {told.next}; changes when `{of.node}` does")
    if reason := unknown(question, of):
        return reason
    last = next(_resets(question), None)
    if last is None:
        sentence = f"{question.head}, all of `{of.node}`: {told.none}, or it was 0 at that time"
        return Reason(sentence, (of,), ends=ends)
    then = looked_at(question, last)
    sentence = (
        f"{question.head}, that is {said(of.value)} of `{of.node}` less {said(_base(question, question.at))}"
    )
    sentence += f", what it was {told.happened(last, then.at)}"
    return Reason(sentence, (of, then, *told.because(last)), told.events(last), ends)


_EXAMPLE = Example(
    """
    seeks = event_count(player.action == "seek")
    this_visit = since(seeks, player.action == "login")
    """,
    "1 action=login; 2 action=seek; 3 action=seek; 5 action=login; 7 action=seek",
)


def _remembered(
    of: Timelines,
    carried: Carried | None,
    side: str = "at",
    events: Events | None = None,
    where: Predicate | None = None,
    when: Timelines | None = None,
) -> Timelines:
    """What is taken off."""
    of = born_with(of, events, when)
    return sampled(of, instants_of(events, where, when, of.birth, carried), side, carried, start=0.0)


@operator(
    "Total since an instant",
    category="timelines",
    example=_EXAMPLE,
    facts_of=same,
    why=_why,
    one_of=("stream", "when"),
    canonical=without_usual("side", "at"),
    memory=Memory.of(_remembered),
    synonyms=("reset", "session", "counter since", "per visit", "since last", "delta", "odometer", "trip"),
)
def since(
    of: Accumulating,
    events: Events | None = None,
    where: Where | None = None,
    when: Bool | None = None,
    side: Side = "at",
    carried: Before = None,
) -> Number:
    """The change of an accumulating number since the latest matching event.

    Or since `when`, a bool, became true last: from birth on, and at birth if it is true there. It is the number less
    what it was at that instant, and all of it before the first one. With `side = at` it begins at 0, so that what
    happens at the very instant belongs to what came before; with `before` it belongs to what comes. Takes numbers that
    accumulate: counts, sums, durations, integrals, and sums, differences and products of these with a value.
    """
    return minus(of, _remembered(of, carried, side, events, where, when))
