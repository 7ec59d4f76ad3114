"""A number to the power of another one."""

from timeline_app.algebra.functions import raise_to_power
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import describe_inputs, get_operands, make_arithmetic_explainer
from timeline_app.operators.ports import Amount, Number, SteadyNumber
from timeline_app.operators.reasons import Question, Reason


def _explain(question: Question) -> Reason:
    inputs = get_operands(question)
    if question.result.value is None and all(item.value is not None for item in inputs):
        sentence = (
            f"`{question.op}` is unknown because this power is no number: {describe_inputs(question, inputs)}"
        )
        return Reason(sentence, inputs, ends=question.ends("ends when base or exponent changes"))
    return _raised(question)


_raised = make_arithmetic_explainer("to the power of")

_EXAMPLE = Example(
    """
    radius = latest_event_to_state(disc.radius)
    square = power(radius, 2)
    """,
    "1 radius=1; 3 radius=1.5; 5 radius=0.1; 7 radius=-2",
)


@operator(
    "Power",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    one_of=("value", "other"),
    caption="^ {value}",
    synonyms=("exponent", "square", "square root", "sqrt", "pow"),
)
def power(of: SteadyNumber, other: SteadyNumber | None = None, value: Amount | None = None) -> Number:
    """The number to the power of the value, or of the other number.

    The power of 0.5 is the square root. Unknown while either is unknown, and where the power is no number: 0 to a
    negative one, a negative number to a fraction, an overflow. For numbers that do not climb.
    """
    return raise_to_power(of, other if other is not None else value)
