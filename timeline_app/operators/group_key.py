"""The group of a key by several texts at once; `aggregate` of several `by` is made of it."""

from timeline_app.algebra.joined import join_texts
from timeline_app.operators.base import INTERNAL, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Many, Text
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import join_parts


def _explain(question: Question) -> Reason:
    inputs = question.inputs()
    return Reason(
        f"{question.head} because {join_parts([question.tell(moment) for moment in inputs])}", inputs
    )


_EXAMPLE = Example(
    """
    cdn = latest_event_to_state(player.cdn)
    isp = latest_event_to_state(player.isp)
    group = aggregate(event_count(player), count, by = [cdn, isp])
    """,
    "1 cdn=A isp=x; 3 isp=y",
)


@operator("Group key", category=INTERNAL, example=_EXAMPLE, why=_explain)
def group_key(of: Many[Text]) -> Text:
    """The canonical JSON list of several texts; unknown where any of them is."""
    return join_texts(of)
