"""Whether something has been true for long enough."""

import numpy as np

from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.retention import Carried, find_starts
from timeline_app.algebra.states import hold_for, restore_starts
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Before, Bool, Duration
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_length


def _explain(question: Question) -> Reason:
    of, duration = question.look_at_input(), format_length(question.params["duration"])
    if of.value is None:
        return explain_unknown(question, of) or Reason(question.head, (of,))
    if not of.value:
        ends = question.ends(f"ends when `{of.node}` has been true for {duration}")
        return Reason(f"{question.head} because {question.tell(of)}", (of,), ends=ends)
    if not of.born:
        sentence = f"{question.head}: {question.unborn(of)}"
        return Reason(sentence, (of,), ends=question.ends(f"ends {duration} after the birth of the key"))
    since = f"`{of.node}` has been true since {question.clock(of.begun)}"
    if question.result.value:
        sentence = f"{question.head} because {since}, which is {duration} or longer"
        return Reason(sentence, (of,), ends=question.ends(f"ends when `{of.node}` is no longer true"))
    how = "" if question.is_over(question.result.until) else f", if `{of.node}` stays true"
    sentence = f"{question.head} because {since} only, which is less than {duration}"
    return Reason(sentence, (of,), ends=question.ends(f"ends when that is {duration}", how))


_EXAMPLE = Example(
    """
    buffering = latest_event_to_state(player.buffering)
    stuck = held_for(buffering, 2s)
    """,
    "1 buffering=true; 2 buffering=false; 4 buffering=true; 8 buffering=false",
)


def _read(of: Timelines, at: Ints, carried: Carried | None, duration: int) -> Ints:  # noqa: ARG001
    """Since when it has held."""
    return find_starts(restore_starts(of, carried), at)[:, np.newaxis]


@operator(
    "True for at least",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    memory=Memory(_read),
    synonyms=("debounce", "delay on", "pending", "alert", "for", "sustained", "continuously", "stable"),
)
def held_for(of: Bool, duration: Duration, carried: Before = None) -> Bool:
    """True once the input has been true for the duration without a break.

    Counted from birth at the earliest; unknown while the input is unknown, else false.
    """
    return hold_for(restore_starts(of, carried), duration)
