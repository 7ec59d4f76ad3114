"""Reasons shared by operators that look at their inputs at the exact instant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from timeline_app.operators.reasons import Moment, Question, Reason, Why
from timeline_app.operators.words import format_names, format_value, join_parts


def explain_unknown(question: Question, *inputs: Moment) -> Reason | None:
    """Unknown because inputs are; None where all of them are known."""
    missing = _remove_duplicates(item for item in inputs if item.value is None)
    if not missing:
        return None
    verb = "is" if len(missing) == 1 else "are"
    names = format_names(item.node for item in missing)
    return Reason(
        f"`{question.op}` is unknown because {names} {verb} unknown",
        missing,
        ends=question.ends(f"ends when {names} {verb} known"),
    )


def describe_inputs(question: Question, inputs: tuple[Moment, ...], most: int = 4) -> str:
    """Describe the values of some inputs in one phrase."""
    inputs = _remove_duplicates(inputs)
    descriptions = [question.tell(item) for item in inputs[:most]]
    return join_parts([*descriptions, f"{len(inputs) - most} more"] if len(inputs) > most else descriptions)


def get_operands(question: Question) -> tuple[Moment, ...]:
    """Return the main input, and the other one if there is one."""
    return (*question.inputs("of"), *question.inputs("other"))


def _make_operand_explainer(say: Callable[[Question, tuple[Moment, ...]], Reason]) -> Why:
    """Return an explainer about the operands; an unknown operand is itself the reason."""

    def why(question: Question) -> Reason:
        inputs = get_operands(question)
        return explain_unknown(question, *inputs) or say(question, inputs)

    return why


def make_comparison_explainer(words: str) -> Why:
    """Explain a comparison with a value or another number; `words` describe it: `greater than`."""

    def why(question: Question, inputs: tuple[Moment, ...]) -> Reason:
        condition = f"{'' if question.result.value else 'not '}{words}"
        against = (
            describe_inputs(question, inputs[1:]) if inputs[1:] else format_value(question.params["value"])
        )
        sentence = f"{question.head} because {question.tell(inputs[0])}, {condition} "
        sentence += f"the other: {against}" if inputs[1:] else against
        return Reason(sentence, inputs, ends=question.ends(f"ends when {_describe_change(inputs)}"))

    return _make_operand_explainer(why)


def make_junction_explainer(*, decisive: bool) -> Why:
    """Explain `and` and `or`: one `decisive` input decides; else all count, unknown ones first."""
    return lambda question: _explain_junction(question, decisive)


def _explain_junction(question: Question, decisive: bool) -> Reason:
    inputs = question.inputs()
    deciding = tuple(item for item in inputs if item.value is decisive)
    if deciding:
        names = format_names((item.node for item in deciding), word="or" if len(deciding) == 1 else "and")
        ends = question.ends(
            f"ends when {names} {'is' if len(deciding) == 1 else 'are'} no longer {format_value(decisive)}"
        )
        return Reason(f"{question.head} because {describe_inputs(question, deciding)}", deciding, ends=ends)
    reason = explain_unknown(question, *inputs)
    if reason is not None:
        return replace(reason, sentence=f"{reason.sentence}, and no input is {format_value(decisive)}")
    sentence = f"{question.head} because all inputs are: {describe_inputs(question, inputs)}"
    return Reason(sentence, inputs, ends=question.ends(f"ends when one of them is {format_value(decisive)}"))


def make_equality_explainer(*, value_if_equal: bool) -> Why:
    """Explain an equality; `value_if_equal` is the operator's value where the sides are equal."""

    def why(question: Question, inputs: tuple[Moment, ...]) -> Reason:
        sentence = f"{question.head} because {describe_inputs(question, inputs)}"
        if not inputs[1:] and question.result.value is not value_if_equal:
            sentence += f", not {format_value(question.params['value'])}"
        return Reason(sentence, inputs, ends=question.ends(f"ends when {_describe_change(inputs)}"))

    return _make_operand_explainer(why)


def make_arithmetic_explainer(sign: str) -> Why:
    """Explain arithmetic with a value or another number; `sign` stands between the two."""

    def why(question: Question, inputs: tuple[Moment, ...]) -> Reason:
        first, second = inputs[0].value, inputs[1].value if inputs[1:] else question.params["value"]
        formula = f"{format_value(first)} {sign} {format_value(second)}"
        sentence = f"{question.head}, that is {formula}: {describe_inputs(question, inputs)}"
        return Reason(sentence, inputs, ends=question.ends(f"changes when {_describe_change(inputs)}"))

    return _make_operand_explainer(why)


def make_function_explainer(words: str, nothing: str = "") -> Why:
    """Explain a function of one number; `nothing` says why it may have no value."""

    def why(question: Question, inputs: tuple[Moment, ...]) -> Reason:
        ends = question.ends(f"changes when {_describe_change(inputs)}")
        if question.result.value is None:
            return Reason(
                f"{question.head} because {nothing}: {describe_inputs(question, inputs)}", inputs, ends=ends
            )
        return Reason(f"{question.head}, {words}: {describe_inputs(question, inputs)}", inputs, ends=ends)

    return _make_operand_explainer(why)


def make_extreme_explainer(word: str) -> Why:
    """Explain the greater or the lesser of two numbers."""

    def why(question: Question, inputs: tuple[Moment, ...]) -> Reason:
        other = "" if inputs[1:] else f" and {format_value(question.params['value'])}"
        sentence = f"{question.head}, the {word} of the two: {describe_inputs(question, inputs)}{other}"
        return Reason(sentence, inputs, ends=question.ends(f"changes when {_describe_change(inputs)}"))

    return _make_operand_explainer(why)


def _remove_duplicates(inputs: Iterable[Moment]) -> tuple[Moment, ...]:
    """Return each node once: it may be wired to two ports."""
    return tuple({item.node: item for item in inputs}.values())


def _describe_change(inputs: tuple[Moment, ...]) -> str:
    return f"{format_names((item.node for item in inputs), word='or')} changes"
