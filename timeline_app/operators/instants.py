"""Shared by operators that look at instants: matching events, or a bool that becomes true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import BEFORE, Instants, select_event_instants, select_truth_instants
from timeline_app.algebra.kinds import SECOND, Ints, Kind, Mask
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Canonical, Facts, WrongInputs
from timeline_app.operators.reasons import Boundary, Moment, Question
from timeline_app.operators.words import format_value
from timeline_app.predicates import Predicate


def select_matching(events: Events, where: Predicate | None) -> Mask:
    """Return the events that meet the condition; all of them without one."""
    return np.ones(events.size, dtype=bool) if where is None else where.matches(events)


def select_instants(
    events: Events | None,
    where: Predicate | None,
    when: Timelines | None,
    birth: Ints,
    carried: Carried | None,
) -> Instants:
    """Return when a matching event came, or `when` became true."""
    if events is not None:
        return select_event_instants(events, select_matching(events, where), carried)
    assert when is not None
    return select_truth_instants(when, birth, carried)


def omit_defaults(name: str, usual: object) -> Canonical:
    """Parameters in canonical form: one that says what it says anyway is left out."""
    return lambda params, _: {key: value for key, value in params.items() if (key, value) != (name, usual)}


@dataclass(frozen=True, slots=True)
class InstantWords:
    """The instants that an operator looks at, described for its reasons."""

    question: Question

    @property
    def condition(self) -> str:
        """What their events have."""
        where = self.question.params.get("where")
        return f"of `{self.question.stream}`" + ("" if where is None else f" with `{where.text()}`")

    @property
    def next(self) -> str:
        """What would be another one."""
        if self.question.wires.get("when"):
            return f"when `{self.question.wires['when'][0]}` becomes true"
        return f"with the next event {self.condition}"

    @property
    def none(self) -> str:
        """There has not been any."""
        if self.question.wires.get("when"):
            return f"`{self.question.wires['when'][0]}` had not become true by then"
        return f"no event {self.condition} had come for `{self.question.result.key}` by then"

    def happened(self, time: int, looked_at: int | None = None) -> str:
        """Say that one was at an instant, or perhaps just before it."""
        side = "at" if looked_at in (None, time) else "just before"
        if self.question.wires.get("when"):
            return f"{side} {self.question.clock(time)}, when `{self.question.wires['when'][0]}` became true"
        return f"{side} {self.question.clock(time)}, when an event {self.condition} came"

    def because(self, time: int) -> tuple[Moment, ...]:
        """Return the input that made one."""
        return (self.question.look_at_input("when", at=time),) if self.question.wires.get("when") else ()

    def events(self, time: int) -> tuple[Boundary, ...]:
        """Return the events that made one."""
        if self.question.wires.get("when"):
            return ()
        return (Boundary(time, self.question.params.get("where")),)


def get_seen_moment(question: Question, time: int) -> Moment:
    """Return the value of `of` at an instant, or just before it."""
    return question.look_at_input(at=time - 1 if question.params["side"] == BEFORE else time)


def explain_while(question: Question, time: int) -> tuple[str, tuple[Moment, ...]]:
    """Explain `while` for an event that counted, with the input; empty without a `while`."""
    if not question.wires.get("while"):
        return "", ()
    before = question.params["side"] == BEFORE
    condition = question.look_at_input("while", at=time - 1 if before else time)
    return f" while `{condition.node}` was {format_value(True)}{' just before' if before else ''}", (
        condition,
    )


def describe_counted(question: Question) -> str:
    """Return which events count, beside their condition."""
    wired = question.wires.get("while")
    return f" while `{wired[0]}` is true" if wired else ""


def refuse_side_alone(inputs: Mapping[str, Facts], params: Mapping[str, Any]) -> None:
    """`side` says when `while` is asked."""
    if params.get("side", BEFORE) != BEFORE and "while" not in inputs:
        hint = "wire a bool to `while`, or take `side` away"
        raise WrongInputs("side", "`side` says when `while` is asked, and nothing is wired to that", hint)


def derive_bool_facts(inputs: Mapping[str, Facts], params: Mapping[str, Any], _: object) -> Facts:
    """Facts of a bool of events."""
    refuse_side_alone(inputs, params)
    return Facts(Kind.BOOL)


def derive_accumulating_facts(inputs: Mapping[str, Facts], params: Mapping[str, Any], _: object) -> Facts:
    """Facts of a number that accumulates from events."""
    refuse_side_alone(inputs, params)
    return Facts(Kind.NUMBER, accumulates=True)


def subtract_seconds(time: int, seconds: float) -> int:
    """Return the instant this many seconds earlier."""
    return time - round(seconds * SECOND)
