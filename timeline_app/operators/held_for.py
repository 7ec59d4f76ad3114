"""Whether something has been true for long enough."""

from timeline_app.algebra.states import lasting
from timeline_app.operators.base import Bool, Duration, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import unknown
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import length


def _why(question: Question) -> Reason:
    of, duration = question.one(), length(question.params["duration"])
    if of.value is None:
        return unknown(question, of) or Reason(question.head, (of,))
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


@operator("Held for", category="timelines", example=_EXAMPLE, why=_why)
def held_for(of: Bool, duration: Duration) -> Bool:
    """True once the input has been true for the duration without a break.

    Counted from birth at the earliest; unknown while the input is unknown, else false.
    """
    return lasting(of, duration)
