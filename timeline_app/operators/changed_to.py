"""How often a state was entered."""

from timeline_app.algebra.kinds import Ints, Mask, Scalar
from timeline_app.algebra.logic import is_value
from timeline_app.algebra.retention import Carried, take_whole
from timeline_app.algebra.states import count_entries
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Before, Number, State, Value
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value


def _explain(question: Question) -> Reason:
    result, value = question.result, question.params.get("value")
    entered = "a known value" if value is None else format_value(value)
    if result.since is None:
        of = question.look_at_input()
        sentence = f"`{of.node}` has not become {entered} by then: {question.tell(of)}"
        return Reason(sentence, (of,), ends=question.ends(f"changes when `{of.node}` becomes {entered}"))
    of = question.look_at_input(at=result.since)
    times = "once" if result.value == 1 else f"{format_value(result.value)} times"
    sentence = (
        f"`{of.node}` has become {entered} {times} by then, the last time at {question.clock(result.since)}"
    )
    if value is None:
        sentence += f", when it became {format_value(of.value)}"
    again_words = (
        f"`{of.node}` becomes {entered} again" if value is not None else f"`{of.node}` changes again"
    )
    return Reason(sentence, (of,), ends=question.ends(f"changes when {again_words}"))


_EXAMPLE = Example(
    """
    state = latest_event_to_state(player.state)
    stalls = changed_to(state, "buffer")
    """,
    "1 state=play; 3 state=buffer; 5 state=play; 7 state=buffer; 8.5 state=buffer",
)


def _count_entries(of: Timelines, value: Scalar, carried: Carried | None) -> Timelines:
    def entered(item: Timelines) -> Mask:
        return item.known if value is None else is_value(item, value) & item.known

    return count_entries(of, entered, carried)


def _read(of: Timelines, at: Ints, carried: Carried | None, value: Scalar = None) -> Ints:
    """Return how many times it has."""
    return take_whole(_count_entries(of, value, carried), at)


@operator(
    "Count of changes",
    category="timelines",
    example=_EXAMPLE,
    accumulates=True,
    why=_explain,
    memory=Memory(_read),
    synonyms=("transitions", "how often", "changes", "edges", "number of changes"),
)
def changed_to(of: State, value: Value | None = None, carried: Before = None) -> Number:
    """How many times the state has become the value; without one, any known value.

    These are the change points at which such a piece begins: the first known value counts as one, a value held since
    ever as none. Takes texts, bools and steady numbers.
    """
    return _count_entries(of, value, carried)
