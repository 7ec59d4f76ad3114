"""What a number has come to since the latest of some instants."""

from collections.abc import Iterator
from math import isclose

from timeline_app.algebra.arithmetic import subtract_timelines
from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import sample_at_instants, share_births
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_same_facts
from timeline_app.operators.instants import InstantWords, get_seen_moment, omit_defaults, select_instants
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Accumulating, Before, Bool, Number, Side, Where
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value
from timeline_app.predicates import Predicate


def _find_base(question: Question, at: int) -> float | None:
    """Return the subtracted value at an instant."""
    of, result = (
        question.look_at_input(at=at).value,
        question.look(question.result.node, question.result.key, at).value,
    )
    return None if of is None or result is None else of - result


def _iterate_resets(question: Question) -> Iterator[int]:
    """Yield when the subtracted value changed, the latest first."""
    points = question.result.seen.points[: question.result.place + 1]
    times = [point[0] for point in reversed(points) if point[0] is not None]
    return (
        time for time in times if not _is_same(_find_base(question, time), _find_base(question, time - 1))
    )


def _is_same(left: float | None, right: float | None) -> bool:
    """Compare up to rounding: both values derive from possibly large numbers."""
    return left == right or (left is not None and right is not None and isclose(left, right, abs_tol=5e-7))


def _explain(question: Question) -> Reason:
    of, instants = question.look_at_input(), InstantWords(question)
    ends = question.ends(f"begins anew {instants.next}; changes when `{of.node}` does")
    if reason := explain_unknown(question, of):
        return reason
    last = next(_iterate_resets(question), None)
    if last is None:
        sentence = f"{question.head}, all of `{of.node}`: {instants.none}, or it was 0 at that time"
        return Reason(sentence, (of,), ends=ends)
    then = get_seen_moment(question, last)
    value, base = format_value(of.value), format_value(_find_base(question, question.at))
    sentence = f"{question.head}, that is {value} of `{of.node}` less {base}"
    sentence += f", what it was {instants.happened(last, then.at)}"
    return Reason(sentence, (of, then, *instants.because(last)), instants.events(last), ends)


_EXAMPLE = Example(
    """
    seeks = event_count(player.action == "seek")
    this_visit = since(seeks, player.action == "login")
    """,
    "1 action=login; 2 action=seek; 3 action=seek; 5 action=login; 7 action=seek",
)


def _remember(
    of: Timelines,
    carried: Carried | None,
    side: str = "at",
    events: Events | None = None,
    where: Predicate | None = None,
    when: Timelines | None = None,
) -> Timelines:
    """Return the subtracted values."""
    of = share_births(of, events, when)
    return sample_at_instants(
        of, select_instants(events, where, when, of.birth, carried), side, carried, start=0.0
    )


@operator(
    "Total since an instant",
    category="timelines",
    example=_EXAMPLE,
    facts_of=derive_same_facts,
    why=_explain,
    one_of=("stream", "when"),
    canonical=omit_defaults("side", "at"),
    memory=Memory.from_function(_remember),
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
    return subtract_timelines(of, _remember(of, carried, side, events, where, when))
