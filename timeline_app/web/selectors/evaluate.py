"""A plan on some events, at once; nothing is started and nothing kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from timeline_app.compiler.partial import Part, compile_part
from timeline_app.local.engine import below, fields_of
from timeline_app.local.tables import CURE, EventTable, unheard
from timeline_app.local.trial import MOST_KEYS, TooMuch, Trial, check_streams
from timeline_app.operators import operators
from timeline_app.plan import Refused
from timeline_app.plan.problems import Problem, nearest
from timeline_app.storage.recorded import Events
from timeline_app.web.errors import ApiError, Busy, Invalid, PlanRefused, as_problem
from timeline_app.web.errors import Problem as ToldProblem
from timeline_app.web.models import Plan
from timeline_app.web.selectors.lending import known_with
from timeline_app.web.selectors.samples import tables_of

AT_ONCE = 2
"""So many plans are evaluated at a time in a process."""
PATIENCE = 5.0
"""So many seconds one waits for its turn."""
_turns = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True, slots=True)
class Question:
    """Which nodes and keys are asked for: all where none are named, and of keys at most so many; `at` is an instant."""

    nodes: Sequence[str] = ()
    keys: Sequence[str] = ()
    most: int | None = None
    at: int | None = None


def part_of(document: object, user: User | None, *, partly: bool, plan: Plan | None = None) -> Part:
    """What the document computes; refused with all its problems, but for those nodes that may be left out.

    Where it is a plan's, what that one reads is known.
    """
    try:
        part = compile_part(document, known_with(plan, user))
    except Refused as refused:
        raise _refused([as_problem(one.to_document()) for one in refused.problems]) from None
    if part.left_out and not partly:
        raise _refused([as_problem(one.to_document()) for one in part.left_out.values()])
    return part


def tables_for(part: Part, events: Mapping[str, Events], nodes: Sequence[str] = ()) -> dict[str, EventTable]:
    """The events as the plan reads them, in the columns that it takes to know some nodes."""
    compiled = part.compiled
    wanted = {compiled.names[name] for name in nodes if name in compiled.names} or set(compiled.programs)
    return tables_of(events, compiled.streams, fields_of(compiled, below(compiled, wanted)))


def evaluated(part: Part, events: Mapping[str, Events], question: Question) -> dict[str, Any]:
    """What the nodes say, which keys there are, and what was left out."""
    compiled = part.compiled
    for name in question.nodes:
        if name in part.left_out:
            raise _refused([as_problem(part.left_out[name].to_document())])
        if name not in compiled.names:
            cure = nearest(name, compiled.names)
            raise Invalid.field("nodes", f"The plan has no node {name!r}.", cure, code="unknown_node")
    if wrong := check_streams(compiled, events):
        raise Invalid.field("events", "; ".join(wrong), code="wrong_streams")
    tables = tables_for(part, events, question.nodes)
    if deaf := unheard(tables, {name: one.fields for name, one in tables.items()}):
        raise Invalid.field("events", "; ".join([*deaf.values(), CURE]), code="no_arrival")
    with turn():
        trial = Trial.of(compiled, tables, question.nodes)
        keys, groups = trial.keys()
        chosen = question.keys
        if not chosen and question.most is not None:
            chosen = [*keys[: question.most], *groups[: question.most]]
        answers = trial.answers(chosen, question.at) if chosen or question.most != 0 else []
    return {
        "events": {name: len(one.table) for name, one in events.items()},
        "mistyped": sum(one.mistyped for one in events.values()),
        "keys": keys[:MOST_KEYS],
        "groups": groups[:MOST_KEYS],
        "key_count": len(keys),
        "group_count": len(groups),
        "answers": answers,
        "left_out": [as_problem(one.to_document()) for one in part.left_out.values()],
    }


def hearing(part: Part, events: Mapping[str, Events]) -> Part:
    """The same without the nodes that ask when events arrived, where no event says it."""
    tables = tables_for(part, events)
    deaf = unheard(tables, {name: one.fields for name, one in tables.items()})
    gone = {
        name: Problem(name, None, "no_arrival", deaf[node.stream], CURE)
        for name, node in part.compiled.checked.graph.nodes.items()
        if node.stream in deaf and operators()[node.op].by_arrival
    }
    try:
        return part.without(gone) if gone else part
    except Refused as refused:
        raise _refused([as_problem(one.to_document()) for one in refused.problems]) from None


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn; what is too much is refused."""
    if not _turns.acquire(timeout=PATIENCE):
        raise Busy("The server evaluates other plans just now. Send it again in a moment.")
    try:
        yield
    except TooMuch as why:
        raise ApiError(f"It is too much: {why}.", code="too_much", status=413) from None
    finally:
        _turns.release()


def _refused(problems: list[ToldProblem]) -> PlanRefused:
    wrong = len(problems)
    return PlanRefused(
        f"The plan has {wrong} problem{'s' * (wrong != 1)} and cannot be evaluated.", problems=problems
    )
