"""Whether an alert fires: a limit is crossed for long enough, and has not been clear for long enough since."""

from collections.abc import Iterator, Mapping
from typing import Any

from timeline_app.algebra.comparison import is_greater, is_less
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.logic import negate
from timeline_app.algebra.memories import apply_latch
from timeline_app.algebra.states import hold_for
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Facts, Make, WrongInputs, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Amount, AnyCondition, Bool, Duration
from timeline_app.operators.reasons import Moment, Question, Reason
from timeline_app.operators.words import format_length, format_value

_LIMITS = ("above", "below", "clear")
_EITHER = "give either `above` or `below`; for a band, combine two alerts with `or`"


def _derive_facts(inputs: Mapping[str, Facts], params: Mapping[str, Any], _: object) -> Facts:
    problems = _problems_of_bool(params) if inputs["of"].kind is Kind.BOOL else _problems_of_number(params)
    for problem in problems:
        raise problem
    return Facts(Kind.BOOL)


def _problems_of_bool(params: Mapping[str, Any]) -> Iterator[WrongInputs]:
    for name in _LIMITS:
        if params.get(name) is not None:
            yield WrongInputs(
                name, "a bool has no limit", f"remove `{name}`: the alert fires while it is true"
            )


def _problems_of_number(params: Mapping[str, Any]) -> Iterator[WrongInputs]:
    above, below, clear = (params.get(name) for name in _LIMITS)
    if above is None and below is None:
        yield WrongInputs("above", "an alert on a number needs a limit", _EITHER)
    elif above is not None and below is not None:
        yield WrongInputs("below", "an alert has one limit, and this one has two", _EITHER)
    elif clear is not None and above is not None and clear > above:
        message = f"`clear` is {format_value(clear)}, and `above` is {format_value(above)}"
        yield WrongInputs("clear", message, "give a `clear` that is at most `above`")
    elif clear is not None and below is not None and clear < below:
        message = f"`clear` is {format_value(clear)}, and `below` is {format_value(below)}"
        yield WrongInputs("clear", message, "give a `clear` that is at least `below`")


def _expand(make: Make, inputs: Mapping[str, tuple[str, ...]], params: Mapping[str, Any]) -> str:
    """Return a latch: the condition sets it once it has held, its opposite resets it once that has held."""
    condition = _expand_condition(make, inputs, params)
    delays = params.get("for"), params.get("clear_after")
    if delays == (None, None):
        return condition
    opposite = make("not", {"of": (condition,)})
    delayed = [
        wire if delay is None else make("held_for", {"of": (wire,)}, duration=delay)
        for wire, delay in zip((condition, opposite), delays, strict=True)
    ]
    return make("latch", {"set": (delayed[0],), "reset": (delayed[1],)})


def _expand_condition(make: Make, inputs: Mapping[str, tuple[str, ...]], params: Mapping[str, Any]) -> str:
    above, below, clear = (params.get(name) for name in _LIMITS)
    if above is None and below is None:
        return inputs["of"][0]
    limit = below if above is None else above
    crossed, cleared = (
        ("less_than", "greater_or_equal") if above is None else ("greater_than", "less_or_equal")
    )
    condition = make(crossed, inputs, value=limit)
    if clear in (None, limit):
        return condition
    return make("latch", {"set": (condition,), "reset": (make(cleared, inputs, value=clear),)})


def _explain(question: Question) -> Reason:
    of = question.look_at_input()
    if question.result.value is None or of.value is None:
        return explain_unknown(question, of) or Reason(question.head, (of,))
    return _explain_firing(question, of) if question.result.value else _explain_quiet(question, of)


def _explain_firing(question: Question, of: Moment) -> Reason:
    ends = question.ends(
        f"ends when `{of.node}` is {_format_clearing(question)}{_format_lasting(question, 'clear_after')}"
    )
    if _is_crossed(question, of.value):
        sentence = f"{question.head} because {question.tell(of)}{_format_limit(question)}"
        return Reason(sentence, (of,), ends=ends)
    since = "" if question.result.since is None else f" since {question.clock(question.result.since)}"
    reason = f"has not been {_format_clearing(question)}{_format_lasting(question, 'clear_after')} yet"
    return Reason(f"{question.head}{since}: {question.tell(of)}, and {reason}", (of,), ends=ends)


def _explain_quiet(question: Question, of: Moment) -> Reason:
    duration = _format_lasting(question, "for")
    ends = question.ends(f"ends when `{of.node}` is {_format_crossing(question)}{duration}")
    if _is_crossed(question, of.value):
        sentence = (
            f"{question.head} because {question.tell(of)}{_format_limit(question)}, but not yet{duration}"
        )
        return Reason(sentence, (of,), ends=ends)
    limit = f", not {_format_crossing(question)}" if _format_limit(question) else ""
    return Reason(f"{question.head} because {question.tell(of)}{limit}", (of,), ends=ends)


def _is_crossed(question: Question, value: Any) -> bool:
    above, below = question.params.get("above"), question.params.get("below")
    if above is None and below is None:
        return bool(value)
    return bool(value < below if above is None else value > above)


def _format_limit(question: Question) -> str:
    return "" if question.look_at_input().seen.kind is Kind.BOOL else f", {_format_crossing(question)}"


def _format_crossing(question: Question) -> str:
    above, below = question.params.get("above"), question.params.get("below")
    if above is None and below is None:
        return "true"
    return f"less than {format_value(below)}" if above is None else f"greater than {format_value(above)}"


def _format_clearing(question: Question) -> str:
    above, below, clear = (question.params.get(name) for name in _LIMITS)
    if above is None and below is None:
        return "false"
    if above is None:
        return f"at least {format_value(below if clear is None else clear)}"
    return f"at most {format_value(above if clear is None else clear)}"


def _format_lasting(question: Question, name: str) -> str:
    duration = question.params.get(name)
    return "" if duration is None else f" for {format_length(duration)}"


_EXAMPLE = Example(
    """
    temperature = latest_event_to_state(oven.temperature)
    hot = alert(temperature, above = 80, clear = 75, for = 3s)
    """,
    "0 temperature=60; 2 temperature=85; 4 temperature=70; 6 temperature=90; 10 temperature=78; 12 temperature=74",
)


@operator(
    "Alert",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    facts_of=_derive_facts,
    made_of=_expand,
    synonyms=(
        "alarm",
        "alerting rule",
        "threshold",
        "limit",
        "trigger",
        "firing",
        "incident",
        "notification",
        "pending",
        "recovery threshold",
        "keep firing for",
        "monitor",
    ),
)
def alert(
    of: AnyCondition,
    above: Amount | None = None,
    below: Amount | None = None,
    clear: Amount | None = None,
    for_: Duration | None = None,
    clear_after: Duration | None = None,
) -> Bool:
    """True while an alert fires: from when a limit has been crossed for long enough until it has cleared.

    A number takes either `above` or `below`. It crosses the limit where it is greater than `above`, or less than
    `below`. It clears where it is at most `clear` (with `below`: at least `clear`), which is the limit itself by
    default. A bool takes none of these: it crosses where it is true, and clears where it is false.

    The alert fires once the limit has been crossed for the duration `for` without a break, counted from birth at the
    earliest. Between the limit and `clear` it stays crossed. It ends once the input has been clear for the duration
    `clear_after` without a break. Without a duration it fires, or ends, at once. It is unknown while the input is
    unknown; an alert that fired before fires on after that if the limit is still crossed.
    """
    condition = _find_crossing(of, above, below, clear)
    return apply_latch(_held(condition, for_), _held(negate(condition), clear_after))


def _find_crossing(of: Timelines, above: float | None, below: float | None, clear: float | None) -> Timelines:
    if above is not None:
        return apply_latch(
            is_greater(of, above, strict=True), is_less(of, above if clear is None else clear, strict=False)
        )
    if below is not None:
        return apply_latch(
            is_less(of, below, strict=True), is_greater(of, below if clear is None else clear, strict=False)
        )
    return of


def _held(item: Timelines, duration: int | None) -> Timelines:
    return item if duration is None else hold_for(item, duration)
