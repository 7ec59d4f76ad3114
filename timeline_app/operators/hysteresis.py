"""Whether a number went above one limit and has not come below another one since."""

from collections.abc import Mapping
from typing import Any

from timeline_app.algebra.comparison import is_greater, is_less
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.memories import apply_latch
from timeline_app.operators.base import Facts, Make, WrongInputs, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Amount, AnyNumber, Bool
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value


def _derive_facts(_: object, params: Mapping[str, Any], __: object) -> Facts:
    if not params["above"] > params["below"]:
        message = (
            f"`above` is {format_value(params['above'])}, and `below` is {format_value(params['below'])}"
        )
        raise WrongInputs("above", message, "give an `above` that is greater than `below`")
    return Facts(Kind.BOOL)


def _expand(make: Make, inputs: Mapping[str, tuple[str, ...]], params: Mapping[str, Any]) -> str:
    """Return a latch that one comparison sets and another one resets."""
    limits = {
        "set": (make("greater_than", inputs, value=params["above"]),),
        "reset": (make("less_than", inputs, value=params["below"]),),
    }
    return make("latch", limits)


def _explain(question: Question) -> Reason:
    of, result = question.look_at_input(), question.result
    above, below = question.params["above"], question.params["below"]
    if result.value is None:
        return explain_unknown(question, of) or Reason(question.head, (of,))
    limit = f"less than {format_value(below)}" if result.value else f"greater than {format_value(above)}"
    ends = question.ends(f"ends when `{of.node}` is {limit}")
    if of.value is None:
        return Reason(f"{question.head}, and stays so while `{of.node}` is unknown", (of,), ends=ends)
    if of.value > above or of.value < below:
        side = (
            f"greater than {format_value(above)}" if of.value > above else f"less than {format_value(below)}"
        )
        return Reason(f"{question.head} because {question.tell(of)}, {side}", (of,), ends=ends)
    between = f"{question.tell(of)}, between {format_value(below)} and {format_value(above)}"
    turned = question.look_at_input(at=question.at if result.since is None else result.since)
    if turned.value is None or below <= turned.value <= above:
        return Reason(f"{question.head}, as before or at first: {between}", (of,), ends=ends)
    since = f"since {question.clock(turned.at)}, when `{of.node}` was {format_value(turned.value)}"
    return Reason(f"{question.head} {since}; now {between}", (turned,), ends=ends)


_EXAMPLE = Example(
    """
    temperature = latest_event_to_state(oven.temperature)
    hot = hysteresis(temperature, above = 80, below = 70)
    """,
    "1 temperature=60; 3 temperature=85; 4 temperature=75; 6 temperature=65; 8 temperature=78",
)


@operator(
    "Hysteresis",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    facts_of=_derive_facts,
    made_of=_expand,
    synonyms=(
        "Schmitt trigger",
        "deadband",
        "two thresholds",
        "thermostat",
        "alarm",
        "flapping",
        "threshold",
        "alert",
        "limits",
    ),
)
def hysteresis(of: AnyNumber, above: Amount, below: Amount) -> Bool:
    """True from when the number is greater than `above` until it is less than `below`.

    Between the two limits it stays what it was, false at first, so that a number that wavers around a limit does
    not make it flap. It is `latch(x > above, x < below)`. `above` is greater than `below`; a duration is a number
    of seconds.
    """
    return apply_latch(is_greater(of, above, strict=True), is_less(of, below, strict=True))
