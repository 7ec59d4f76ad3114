"""How long ago something happened last."""

from typing import Any

from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import find_last_instants, measure_age
from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import InstantWords, select_instants, subtract_seconds
from timeline_app.operators.ports import Before, Bool, Number, Where
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_length
from timeline_app.predicates import Predicate


def _explain(question: Question) -> Reason:
    instants, seconds = InstantWords(question), question.result.value
    ends = question.ends(f"begins anew {instants.next}", f" {instants.next}")
    if seconds is None:
        return Reason(f"{question.head} because {instants.none}", instants.because(question.at), ends=ends)
    last = subtract_seconds(question.at, seconds)
    ago = "now" if last == question.at else f"{format_length(question.at - last)} ago"
    sentence = f"the last time was {instants.happened(last)}; that is {ago}"
    return Reason(sentence, instants.because(last), instants.events(last), ends)


_EXAMPLE = Example(
    "quiet = time_since(player)",
    "1 state=play; 2 state=buffer; 5 state=play; 9 state=end",
)


def _apply(
    carried: Carried | None,
    events: Events | None = None,
    where: Predicate | None = None,
    when: Timelines | None = None,
) -> Timelines:
    like = events or when
    assert like is not None
    return measure_age(like, select_instants(events, where, when, like.birth, carried), carried)


def _read(at: Ints, **value: Any) -> Ints:
    """Return when it was last."""
    return find_last_instants(_apply(**value), at)


@operator(
    "Time since an instant",
    category="timelines",
    example=_EXAMPLE,
    steady=False,
    why=_explain,
    one_of=("stream", "when"),
    memory=Memory(_read),
    synonyms=(
        "age",
        "elapsed",
        "how long ago",
        "recency",
        "staleness",
        "silence",
        "inactivity",
        "idle",
        "heartbeat",
        "no data",
        "last seen",
    ),
)
def time_since(
    events: Events | None = None, where: Where | None = None, when: Bool | None = None, carried: Before = None
) -> Number:
    """Seconds since the latest matching event.

    Or since `when`, a bool, became true last: from birth on, and at birth if it is true there. Climbs by one each
    second; unknown before the first such instant. `time_since(sensor) > 10min` is true while a sensor is silent.
    """
    return _apply(carried, events, where, when)
