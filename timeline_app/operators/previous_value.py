"""What a state was before."""

from timeline_app.algebra import memories
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_same_facts
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Before, State
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value


def _explain(question: Question) -> Reason:
    of = question.look_at_input()
    if reason := explain_unknown(question, of):
        return reason
    ends = question.ends(f"ends when `{of.node}` changes")
    last = of.last_known_before
    if last is None:
        never = f"`{of.node}` has had no other known value before {format_value(of.value)}"
        kept_words = f"that is what `{of.node}` was before events were kept"
        sentence = (
            f"{question.head} because {never}"
            if question.result.value is None
            else f"{question.head}: {kept_words}"
        )
        return Reason(sentence, (of,), ends=ends)
    before, turned = (
        question.look_at_input(at=last),
        question.clock(of.begun if of.since is None else of.since),
    )
    value = format_value(of.value)
    until = f"`{of.node}` was that until {question.clock(last + 1)}, and has been {value} since {turned}"
    return Reason(f"{question.head} because {until}", (before, of), ends=ends)


_EXAMPLE = Example(
    """
    state = latest_event_to_state(player.state)
    came_from = previous_value(state)
    """,
    "1 state=init; 3 state=play; 5 state=buffer; 6 state=play; 8 state=end",
)


def _remember(of: Timelines, carried: Carried | None) -> Timelines:
    return memories.track_value_before(of, carried)


@operator(
    "Previous value",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    facts_of=derive_same_facts,
    memory=Memory.from_function(_remember),
    synonyms=(
        "previous",
        "lag",
        "came from",
        "last state",
        "from state",
        "transition",
        "before",
        "earlier value",
    ),
)
def previous_value(of: State, carried: Before = None) -> State:
    """The value of the state before its current one.

    The value of the last known piece before the current known one: unknown until there is one, and while the input is
    unknown. After a stretch of unknown it may be the same as the current one. A value held since ever counts. Takes
    texts, bools and steady numbers.
    """
    return memories.track_previous_value(of, carried)
