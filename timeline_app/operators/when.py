"""A choice between two timelines."""

from timeline_app.algebra.states import select_where
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_choice_facts
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Anything, Bool, SameKind
from timeline_app.operators.reasons import Question, Reason


def _explain(question: Question) -> Reason:
    condition = question.look_at_input("if")
    if condition.value is None:
        return explain_unknown(question, condition) or Reason(question.head, (condition,))
    port = "of" if condition.value else "otherwise"
    if not question.wires.get(port):
        sentence = f"`{question.op}` is unknown because {question.tell(condition)}, and nothing is wired to `otherwise`"
        return Reason(sentence, (condition,), ends=question.ends(f"ends when `{condition.node}` is true"))
    chosen = question.look_at_input(port)
    sentence = f"{question.tell(condition)}, so `{chosen.node}` is taken, and {question.tell(chosen)}"
    ends = question.ends(f"ends when `{condition.node}` or `{chosen.node}` changes")
    return Reason(sentence, (condition, chosen), ends=ends)


_EXAMPLE = Example(
    """
    live = latest_event_to_state(player.live)
    edge = latest_event_to_state(player.edge)
    origin = latest_event_to_state(player.origin)
    server = when(live, edge, otherwise = origin)
    """,
    "1 edge=E1 origin=O1; 3 live=true; 5 edge=E2; 7 live=false",
)


@operator(
    "If / else",
    category="timelines",
    example=_EXAMPLE,
    facts_of=derive_choice_facts,
    why=_explain,
    synonyms=("if", "case", "switch", "when", "filter", "choose", "conditional", "only while", "join"),
)
def when(if_: Bool, of: Anything, otherwise: SameKind | None = None) -> Anything:
    """The input where the bool is true, else the other one.

    `of` where `if` is true, `otherwise` (or unknown, where nothing is wired to it) where it is false, unknown where
    it is unknown.
    """
    return select_where(if_, of, otherwise)
