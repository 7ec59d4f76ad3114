"""The same, later."""

from timeline_app.algebra.states import later
from timeline_app.operators.base import Anything, Duration, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import same
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import length


def _why(question: Question) -> Reason:
    duration = question.params["duration"]
    of = question.one(at=question.at - duration)
    before = f"{length(duration)} before, at {question.clock(of.at)},"
    sentence = f"it is what `{of.node}` was {before} and then {question.tell(of)}"
    ends = question.ends(
        f"ends {length(duration)} after `{of.node}` changes", f", {length(duration)} after `{of.node}`"
    )
    return Reason(sentence, (of,), ends=ends)


_EXAMPLE = Example(
    """
    buffering = latest_event_to_state(player.buffering)
    later = shift(buffering, 2s)
    """,
    "1 buffering=false; 3 buffering=true; 6 buffering=false",
)


@operator("Shift", category="timelines", example=_EXAMPLE, facts=same, why=_why)
def shift(of: Anything, duration: Duration) -> Anything:
    """The same timeline, later by the duration.

    What was true at 12:00:00 is said at 12:00:05. Births stay where they are.
    """
    return later(of, duration)
