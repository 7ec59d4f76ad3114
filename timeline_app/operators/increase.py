"""How much a counter has counted, over all its resets."""

from typing import Annotated

from timeline_app.algebra.increases import WIDTH, compute_increase, take_increase
from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import omit_defaults
from timeline_app.operators.parameters import ParameterType
from timeline_app.operators.ports import Before, Number, SteadyNumber
from timeline_app.operators.reasons import Moment, Question, Reason
from timeline_app.operators.words import format_value

RESET, IGNORE = "reset", "ignore"
Falls = Annotated[str, ParameterType("choice", RESET, (RESET, IGNORE))]


def _explain(question: Question) -> Reason:
    of, result = question.look_at_input(), question.result
    if not of.born:
        return Reason(
            f"{question.head}: {question.unborn(of)}", (of,), ends=question.ends("changes after that")
        )
    ends = question.ends(f"changes when `{of.node}` rises{' or falls' * _counts_falls(question)}")
    if result.since is None:
        since_words = "since its first known value" if result.value == 0 else "than before events were kept"
        return Reason(f"{question.head} because `{of.node}` has not risen {since_words}", (of,), ends=ends)
    risen = question.look_at_input(at=result.since)
    sentence = f"{question.head}, all rises of `{of.node}` together; {_describe_last(question, risen)}"
    return Reason(sentence, (risen,), ends=ends)


def _describe_last(question: Question, risen: Moment) -> str:
    when, last = question.clock(question.result.since or 0), risen.last_known_before
    if last is None:
        return f"the last one came at {when}, when it became {format_value(risen.value)}"
    before = question.look_at_input(at=last)
    change = f"from {format_value(before.value)} to {format_value(risen.value)}"
    if risen.value < before.value:
        return f"at {when} it fell {change}, a reset, and has risen from 0"
    return f"the last one came at {when}, {change}"


def _counts_falls(question: Question) -> bool:
    return bool(question.params.get("falls", RESET) == RESET)


_EXAMPLE = Example(
    """
    reading = latest_event_to_state(meter.reading)
    counted = increase(reading)
    """,
    "1 reading=10; 3 reading=14; 5 reading=2; 7 reading=5; 8 reading=5",
)


def _read(of: Timelines, at: Ints, carried: Carried | None, falls: str = RESET) -> Ints:
    """Return the sum before it is rounded, and the last known value."""
    return take_increase(of, at, resets=falls == RESET, carried=carried)


@operator(
    "Increase",
    category="timelines",
    example=_EXAMPLE,
    accumulates=True,
    why=_explain,
    canonical=omit_defaults("falls", RESET),
    memory=Memory(_read, WIDTH),
    caption="{falls}",
    synonyms=(
        "counter",
        "counter_agg",
        "delta",
        "reset",
        "monotonic",
        "meter",
        "odometer",
        "total increase",
        "sum of changes",
        "rate",
        "rises",
        "cumulative counter",
    ),
)
def increase(of: SteadyNumber, falls: Falls = RESET, carried: Before = None) -> Number:
    """How much a counter has counted, over all its resets: the sum of all rises.

    A fall is a reset: the counter began again at 0 and has risen to the new value (to 0, if that is negative). With
    `falls = ignore` a fall adds nothing, as for a level or an altitude. The first known value adds nothing, and a
    value after unknown is compared with the last known one. 0 until the first rise. Exact: rounded once.

    It accumulates: `per` gives the increase of each hour or day, `since` that since an instant. The increase within an
    hour is `increase(x) - shift(increase(x), 1h)`. Takes numbers that do not climb.
    """
    return compute_increase(of, resets=falls == RESET, carried=carried)
