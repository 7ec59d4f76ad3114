"""The quotient of two numbers."""

from timeline_app.algebra.arithmetic import build_ratio, divide_timelines
from timeline_app.algebra.kinds import Kind
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_quotient_facts
from timeline_app.operators.pointwise import describe_inputs, get_operands, make_arithmetic_explainer
from timeline_app.operators.ports import Amount, AnyNumber, Number, ResultKind
from timeline_app.operators.reasons import Question, Reason


def _explain(question: Question) -> Reason:
    inputs = get_operands(question)
    divisor = inputs[1].value if inputs[1:] else question.params["value"]
    if divisor == 0 and inputs[0].value is not None:
        operands = describe_inputs(question, inputs)
        sentence = f"`{question.op}` is unknown because nothing can be divided by 0: {operands}"
        return Reason(sentence, inputs, ends=question.ends("ends when the divisor is no longer 0"))
    return _quotient(question)


_quotient = make_arithmetic_explainer("/")

_EXAMPLE = Example(
    """
    buffered = duration_where(latest_event_to_state(player.buffering))
    watched = duration_where(has_existed(player.buffering == false))
    share = buffered / watched
    """,
    "1 buffering=false; 3 buffering=true; 5 buffering=false; 8 buffering=true",
)


@operator(
    "Divide",
    category="timelines",
    example=_EXAMPLE,
    one_of=("value", "other"),
    facts_of=derive_quotient_facts,
    why=_explain,
    caption="÷ {value}",
    synonyms=("ratio", "share", "percent", "percentage", "rate", "quotient", "per"),
)
def divide(
    of: AnyNumber, kind: ResultKind, other: Number | None = None, value: Amount | None = None
) -> AnyNumber:
    """The number divided by the value, or by the other number.

    By a steady number it is a number, by a climbing one a ratio of two lines, kept exact. Unknown while either is
    unknown, and wherever the divisor is 0.
    """
    if kind is Kind.RATIO and of.kind is not Kind.RATIO:
        assert other is not None
        return build_ratio(of, other)
    return divide_timelines(of, other if other is not None else value)
