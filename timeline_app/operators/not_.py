"""Kleene's not."""

from timeline_app.algebra.logic import negate
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Bool
from timeline_app.operators.reasons import Question, Reason


def _explain(question: Question) -> Reason:
    of = question.look_at_input()
    return explain_unknown(question, of) or Reason(
        f"{question.head} because {question.tell(of)}",
        (of,),
        ends=question.ends(f"ends when `{of.node}` changes"),
    )


_EXAMPLE = Example(
    """
    playing = latest_event_to_state(player.playing)
    idle = not playing
    """,
    "2 playing=true; 5 playing=false; 7 playing=true",
)


@operator(
    "Not",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    synonyms=("negate", "opposite", "never", "invert"),
)
def not_(of: Bool) -> Bool:
    """True while the input is false, false while it is true.

    Unknown while it is unknown.
    """
    return negate(of)
