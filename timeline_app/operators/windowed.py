"""Reasons that operators with a window over pieces share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from timeline_app.operators.pointwise import unknown
from timeline_app.operators.reasons import Moment, Question, Reason, Why
from timeline_app.operators.words import length, said


def unborn(question: Question, of: Moment) -> Reason:
    """Unknown because nothing counts before birth."""
    return Reason(
        f"{question.head}: {question.unborn(of)}",
        (of,),
        ends=question.ends("ends at the birth of the key"),
    )


def was(question: Question, held: Moment, duration: int) -> str:
    """What an input said last at some instant of the window: now, or until when."""
    if held.at == question.at:
        return question.tell(held)
    until = f"`{held.node}` was {said(held.value)} until {question.clock(held.at + 1)}"
    return f"{until}, which is less than {length(duration)} before"


def extreme(word: str, choose: Callable[[list[Any]], Any]) -> Why:
    """Of the greatest or least value of a window: the last piece that held it."""

    def why(question: Question) -> Reason:
        of, duration = question.one(), question.params["duration"]
        if not of.born:
            return unborn(question, of)
        known = [(last, value) for last, value in of.within(duration) if value is not None]
        if not known:
            return unknown(question, of) or Reason(question.head, (of,))
        value = choose([value for _, value in known])
        held = question.one(at=max(last for last, item in known if item == value))
        sentence = f"{question.head}, the {word} in {length(duration)}: {was(question, held, duration)}"
        ends = question.ends(f"changes when `{of.node}` changes")
        return Reason(sentence, (held,), ends=ends)

    return why
