"""How long a state has held."""

import numpy as np

from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.retention import Carried, find_starts
from timeline_app.algebra.states import measure_time_in_state, restore_starts
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Before, Number, State
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value


def _explain(question: Question) -> Reason:
    result, of = question.result, question.look_at_input()
    if of.value is None:
        return explain_unknown(question, of) or Reason(question.head, (of,))
    if not of.born:
        sentence = f"{question.head}: {question.unborn(of)}"
        return Reason(sentence, (of,), ends=question.ends("ends at the birth of the key"))
    state_words = f"`{of.node}` has been {format_value(of.value)} since {question.clock(of.begun)}"
    reason = "when it changed" if of.begun == of.since else f"the birth of `{of.key}`"
    sentence = f"{state_words}, {reason}: {format_value(result.value)} s before"
    return Reason(sentence, (of,), ends=question.ends(f"begins anew when `{of.node}` changes"))


_EXAMPLE = Example(
    """
    state = latest_event_to_state(player.state)
    since = duration_in_current_state(state)
    """,
    "1 state=play; 4 state=buffer; 5.5 state=buffer; 7 state=play",
)


def _read(of: Timelines, at: Ints, carried: Carried | None) -> Ints:
    """Since when it has held."""
    return find_starts(restore_starts(of, carried), at)[:, np.newaxis]


@operator(
    "Time in current state",
    category="timelines",
    example=_EXAMPLE,
    steady=False,
    why=_explain,
    memory=Memory(_read),
    synonyms=("how long", "time since", "time since change", "age", "session length", "dwell time"),
)
def duration_in_current_state(of: State, carried: Before = None) -> Number:
    """Seconds since the value last changed.

    Since birth for a value held since ever. Takes texts, bools and steady numbers; unknown while the state is unknown
    and before birth.
    """
    return measure_time_in_state(restore_starts(of, carried))
