"""How long a state has held."""

from timeline_app.algebra.states import time_in_state
from timeline_app.operators.base import Number, State, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import unknown
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import said


def _why(question: Question) -> Reason:
    result, of = question.result, question.one()
    if of.value is None:
        return unknown(question, of) or Reason(question.head, (of,))
    if not of.born:
        sentence = f"{question.head}: {question.unborn(of)}"
        return Reason(sentence, (of,), ends=question.ends("ends at the birth of the key"))
    held = f"`{of.node}` has been {said(of.value)} since {question.clock(of.begun)}"
    reason = "when it changed" if of.begun == of.since else f"the birth of `{of.key}`"
    sentence = f"{held}, {reason}: {said(result.value)} s before"
    return Reason(sentence, (of,), ends=question.ends(f"begins anew when `{of.node}` changes"))


_EXAMPLE = Example(
    """
    state = latest_event_to_state(player.state)
    since = duration_in_current_state(state)
    """,
    "1 state=play; 4 state=buffer; 5.5 state=buffer; 7 state=play",
)


@operator("Duration in current state", category="timelines", example=_EXAMPLE, steady=False, why=_why)
def duration_in_current_state(of: State) -> Number:
    """Seconds since the value last changed.

    Since birth for a value held since ever. Takes texts, bools and steady numbers; unknown while the state is unknown
    and before birth.
    """
    return time_in_state(of)
