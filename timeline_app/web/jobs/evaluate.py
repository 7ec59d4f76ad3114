"""A plan on some events: what its nodes say, or what a test is to expect."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.compiler.partial import Part, compile_part
from timeline_app.evaluate.engine import fields_of, required_nodes
from timeline_app.evaluate.expectations import expected_of
from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.evaluate.tables import CURE, EventTable, missing_arrivals, table_of_landed
from timeline_app.evaluate.trial import MOST_KEYS, Budget, TooMuch, Trial, check_streams
from timeline_app.evaluate.undefined_values import warn_of_other_types
from timeline_app.evaluate.warnings import list_warnings
from timeline_app.evaluate.why import nodes_below
from timeline_app.landing.recording import Events
from timeline_app.operators import operators
from timeline_app.plan import Refused, StreamDeclaration
from timeline_app.problems.problem import Problem, nearest
from timeline_app.web.core.errors import ApiError, Invalid, PlanRefused, as_problem
from timeline_app.web.core.errors import Problem as ToldProblem
from timeline_app.web.jobs.packing import read_declarations, unpack_parts
from timeline_app.web.jobs.rendered import render
from timeline_app.web.jobs.uploads import events_of, files_of


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """Which nodes and keys are asked for: all where none are named, and of keys at most so many; `at` is an instant."""

    nodes: Sequence[str] = ()
    keys: Sequence[str] = ()
    most: int | None = None
    at: int | None = None


def evaluate_plan(message: JobMessage) -> JobMessage:
    """Job `evaluate`: every node's answer for each key, written down."""
    asked = message.header
    part = part_of(asked["document"], read_declarations(asked["known"]), partly=asked["partly"])
    events = _events(asked, message.blobs, part)
    part = without_arrivals(part, events) if asked["partly"] else part
    answer = evaluate_events(part, events, EvaluationQuestion(**asked["question"]), Budget(**asked["budget"]))
    return JobMessage(None, [render(answer)])


def expect_answers(message: JobMessage) -> JobMessage:
    """Job `expect`: what the plan says of a sample now, as what a test expects."""
    asked = message.header
    part = part_of(asked["document"], read_declarations(asked["known"]), partly=True)
    events = unpack_parts(asked["parts"], message.blobs)
    part = without_arrivals(part, events)
    answers = evaluate_events(
        part, events, EvaluationQuestion(**asked["question"]), Budget(**asked["budget"])
    )["answers"]
    return JobMessage(expected_of(answers, part.compiled.names))


def _events(asked: Mapping[str, Any], blobs: Sequence[bytes], part: Part) -> dict[str, Events]:
    """The events that were sent along, or those of a sample."""
    if asked["parts"] is not None:
        return unpack_parts(asked["parts"], blobs)
    return events_of(asked["events"], files_of(asked, blobs), part.compiled.streams, asked["mapping"])


def part_of(document: object, known: Mapping[str, StreamDeclaration], *, partly: bool) -> Part:
    """What the document computes; refused with all its problems, but for those nodes that may be left out."""
    try:
        part = compile_part(document, known)
    except Refused as refused:
        raise _refused([as_problem(one.to_document()) for one in refused.problems]) from None
    if part.left_out and not partly:
        raise _refused([as_problem(one.to_document()) for one in part.left_out.values()])
    return part


def event_tables(
    part: Part, events: Mapping[str, Events], nodes: Sequence[str] = ()
) -> dict[str, EventTable]:
    """The events as the plan reads them, in the columns that it takes to know some nodes."""
    compiled = part.compiled
    wanted = {compiled.names[name] for name in nodes if name in compiled.names} or set(compiled.programs)
    fields = fields_of(compiled, required_nodes(compiled, wanted))
    return {
        name: _table(one, compiled.streams[name], fields.get(name, ()))
        for name, one in events.items()
        if name in compiled.streams
    }


def _table(events: Events, declaration: StreamDeclaration, fields: tuple[str, ...]) -> EventTable:
    table = table_of_landed(events.table, declaration, fields)
    asked = [one for one in events.warnings if _is_asked(one, declaration, fields)]
    return replace(
        table,
        mistyped=events.mistyped,
        names=_names_in(events.table),
        warnings=(*asked, *warn_of_other_types(events.table, table)),
        notes=events.notes,
    )


def _is_asked(warning: Problem, declaration: StreamDeclaration, fields: Collection[str]) -> bool:
    """Whether a warning speaks of a field that is declared or read; of times, ends and keys all do."""
    return warning.code != "mistyped" or warning.field in {*declaration.fields, *fields}


def _names_in(table: pa.Table) -> frozenset[str]:
    """The names of all fields that any of the events has."""
    return frozenset(name for part in table["fields"].chunks for name in pc.unique(part.keys).to_pylist())


def evaluate_events(
    part: Part, events: Mapping[str, Events], question: EvaluationQuestion, budget: Budget
) -> dict[str, Any]:
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
    tables = event_tables(part, events, question.nodes)
    if deaf := missing_arrivals(tables, {name: one.fields for name, one in tables.items()}):
        raise Invalid.field("events", "; ".join([*deaf.values(), CURE]), code="no_arrival")
    try:
        found = _answers(Trial.of(compiled, tables, question.nodes, budget), question)
    except TooMuch as why:
        raise ApiError(f"It is too much: {why}.", code="too_much", status=413) from None
    return {
        "events": {name: len(one.table) for name, one in events.items()},
        "mistyped": sum(one.mistyped for one in events.values()),
        **found,
        "warnings": warnings_of(part, tables, question.nodes),
        "notes": {name: list(one.notes) for name, one in events.items() if one.notes},
        "left_out": [as_problem(one.to_document()) for one in part.left_out.values()],
    }


def warnings_of(part: Part, tables: Mapping[str, EventTable], nodes: Sequence[str]) -> list[ToldProblem]:
    """What the nodes ask for and no event has."""
    below = {name for node in nodes for name in nodes_below(part.compiled, node)}
    return [as_problem(one.to_document()) for one in list_warnings(part.compiled, tables, below)]


def _answers(trial: Trial, question: EvaluationQuestion) -> dict[str, Any]:
    keys, groups = trial.keys()
    chosen = question.keys
    if not chosen and question.most is not None:
        chosen = [*keys[: question.most], *groups[: question.most]]
    return {
        "keys": keys[:MOST_KEYS],
        "groups": groups[:MOST_KEYS],
        "key_count": len(keys),
        "group_count": len(groups),
        "answers": trial.answers(chosen, question.at) if chosen or question.most != 0 else [],
    }


def without_arrivals(part: Part, events: Mapping[str, Events]) -> Part:
    """The same without the nodes that ask when events arrived, where no event says it."""
    tables = event_tables(part, events)
    deaf = missing_arrivals(tables, {name: one.fields for name, one in tables.items()})
    gone = {
        name: Problem(name, None, "no_arrival", deaf[node.stream], CURE)
        for name, node in part.compiled.checked.graph.nodes.items()
        if node.stream in deaf and operators()[node.op].by_arrival
    }
    try:
        return part.without(gone) if gone else part
    except Refused as refused:
        raise _refused([as_problem(one.to_document()) for one in refused.problems]) from None


def _refused(problems: list[ToldProblem]) -> PlanRefused:
    wrong = len(problems)
    return PlanRefused(
        f"The plan has {wrong} problem{'s' * (wrong != 1)} and cannot be evaluated.", problems=problems
    )
