"""Reasons that operators share which look back: over a window, or at all since birth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.reasons import Moment, Question, Reason, Why
from timeline_app.operators.words import format_length, format_value


def explain_unborn(question: Question, of: Moment) -> Reason:
    """Unknown because nothing counts before birth."""
    return Reason(
        f"{question.head}: {question.unborn(of)}",
        (of,),
        ends=question.ends("ends at the birth of the key"),
    )


def describe_held(question: Question, moment: Moment, duration: int) -> str:
    """Describe the last value of an input in the window: current, or until when."""
    if moment.at == question.at:
        return question.tell(moment)
    until = f"`{moment.node}` was {format_value(moment.value)} until {question.clock(moment.at + 1)}"
    return f"{until}, which is less than {format_length(duration)} before"


def make_extreme_explainer(word: str, choose: Callable[[list[Any]], Any]) -> Why:
    """Explain the greatest or least value of a window by the last piece that held it."""

    def why(question: Question) -> Reason:
        of, duration = question.look_at_input(), question.params["duration"]
        if not of.born:
            return explain_unborn(question, of)
        known_values = [(last, value) for last, value in of.within(duration) if value is not None]
        if not known_values:
            return explain_unknown(question, of) or Reason(question.head, (of,))
        value = choose([value for _, value in known_values])
        moment = question.look_at_input(at=max(last for last, item in known_values if item == value))
        length = format_length(duration)
        sentence = f"{question.head}, the {word} in {length}: {describe_held(question, moment, duration)}"
        ends = question.ends(f"changes when `{of.node}` changes")
        return Reason(sentence, (moment,), ends=ends)

    return why


def make_running_extreme_explainer(word: str) -> Why:
    """Explain the greatest or least value since birth by the time when it came."""

    def why(question: Question) -> Reason:
        of, result = question.look_at_input(), question.result
        if not of.born:
            return explain_unborn(question, of)
        ends = question.ends(f"ends when `{of.node}` has a value that is the {word} so far")
        if result.value is None:
            sentence = f"{question.head} because `{of.node}` has not been known since the birth of `{of.key}`"
            return Reason(sentence, (of,), ends=ends)
        if result.since is None:
            return Reason(f"{question.head}, the {word} since before events were kept", (of,), ends=ends)
        moment = question.look_at_input(at=result.since)
        sentence = (
            f"{question.head}, the {word} so far: `{moment.node}` was that at {question.clock(result.since)}"
        )
        return Reason(sentence, (moment,), ends=ends)

    return why
