"""The same, later."""

from timeline_app.algebra.states import shift_timelines
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_same_facts
from timeline_app.operators.ports import Anything, Duration
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_length


def _explain(question: Question) -> Reason:
    duration = question.params["duration"]
    of = question.look_at_input(at=question.at - duration)
    before = format_length(duration)
    sentence = f"it is what `{of.node}` was {before} before, at {question.clock(of.at)}: {question.tell(of)}"
    how = f", {before} after a change of `{of.node}`"
    ends = question.ends(f"ends {before} after `{of.node}` changes", how)
    return Reason(sentence, (of,), ends=ends)


_EXAMPLE = Example(
    """
    buffering = latest_event_to_state(player.buffering)
    later = shift(buffering, 2s)
    """,
    "1 buffering=false; 3 buffering=true; 6 buffering=false",
)


@operator(
    "Delay",
    category="timelines",
    example=_EXAMPLE,
    facts_of=derive_same_facts,
    why=_explain,
    lookback=lambda params: int(params["duration"]),
    caption="by {duration}",
    synonyms=(
        "lag",
        "delay",
        "offset",
        "shift",
        "previous value",
        "previous",
        "earlier",
        "ago",
        "before",
        "compare with the past",
        "delta",
        "last hour",
    ),
)
def shift(of: Anything, duration: Duration) -> Anything:
    """Delays the timeline by a fixed duration.

    The value at 12:00:00 appears at 12:00:05. A key still starts at its first event.
    """
    return shift_timelines(of, duration)
