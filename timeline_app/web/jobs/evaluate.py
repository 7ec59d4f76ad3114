"""Evaluation of a plan on given events: its results, or the expectations of a test."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.compiler.partial import Part, compile_part
from timeline_app.evaluate.engine import list_fields, list_required_nodes
from timeline_app.evaluate.expectations import build_expectation
from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.evaluate.tables import (
    NO_ARRIVAL_HINT,
    EventTable,
    build_table_of_landed,
    find_missing_arrivals,
)
from timeline_app.evaluate.trial import MAX_KEYS_LISTED, Budget, TooMuch, Trial, check_streams
from timeline_app.evaluate.undefined_values import warn_of_other_types
from timeline_app.evaluate.warnings import list_warnings
from timeline_app.evaluate.why import list_nodes_below
from timeline_app.landing.recording import Events
from timeline_app.operators import operators
from timeline_app.plan import Refused, StreamDeclaration
from timeline_app.problems.problem import Problem, suggest_nearest
from timeline_app.web.core.errors import ApiError, Invalid, PlanRefused, as_problem
from timeline_app.web.core.errors import Problem as ToldProblem
from timeline_app.web.jobs.packing import read_declarations, unpack_parts
from timeline_app.web.jobs.rendered import render
from timeline_app.web.jobs.uploads import pair_files, read_uploaded_events


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """The nodes and keys to evaluate: all if none are named, and at most `most` keys.

    `at` is an instant; `until` is the time up to which time has passed, if it is later than the last event.
    """

    nodes: Sequence[str] = ()
    keys: Sequence[str] = ()
    most: int | None = None
    at: int | None = None
    until: int | None = None


def evaluate_plan(message: JobMessage) -> JobMessage:
    """Job `evaluate`: return every node's timeline for each key, serialised."""
    header = message.header
    part = part_of(header["document"], read_declarations(header["known"]), partly=header["partly"])
    events = _load_events(header, message.blobs, part)
    part = omit_arrival_nodes(part, events) if header["partly"] else part
    answer = evaluate_events(
        part, events, EvaluationQuestion(**header["question"]), Budget(**header["budget"])
    )
    return JobMessage(None, [render(answer)])


def expect_answers(message: JobMessage) -> JobMessage:
    """Job `expect`: return the plan's results on a sample as expectations of a test."""
    header = message.header
    part = part_of(header["document"], read_declarations(header["known"]), partly=True)
    events = unpack_parts(header["parts"], message.blobs)
    part = omit_arrival_nodes(part, events)
    answers = evaluate_events(
        part, events, EvaluationQuestion(**header["question"]), Budget(**header["budget"])
    )["answers"]
    return JobMessage(build_expectation(answers, part.compiled.names))


def _load_events(header: Mapping[str, Any], blobs: Sequence[bytes], part: Part) -> dict[str, Events]:
    """Return the events that were sent along, or those of a sample."""
    if header["parts"] is not None:
        return unpack_parts(header["parts"], blobs)
    return read_uploaded_events(
        header["events"], pair_files(header, blobs), part.compiled.streams, header["mapping"]
    )


def part_of(document: object, declarations: Mapping[str, StreamDeclaration], *, partly: bool) -> Part:
    """Compile the document; refuse it with all problems, except for nodes that may be left out."""
    try:
        part = compile_part(document, declarations)
    except Refused as refused:
        raise _refuse_plan([as_problem(problem.to_document()) for problem in refused.problems]) from None
    if part.left_out and not partly:
        raise _refuse_plan([as_problem(item.to_document()) for item in part.left_out.values()])
    return part


def build_event_tables(
    part: Part, events: Mapping[str, Events], nodes: Sequence[str] = ()
) -> dict[str, EventTable]:
    """Return the events as the plan reads them, with the columns that the nodes need."""
    compiled = part.compiled
    digests = {compiled.names[name] for name in nodes if name in compiled.names} or set(compiled.programs)
    fields = list_fields(compiled, list_required_nodes(compiled, digests))
    return {
        name: _build_event_table(stream_events, compiled.streams[name], fields.get(name, ()))
        for name, stream_events in events.items()
        if name in compiled.streams
    }


def _build_event_table(events: Events, declaration: StreamDeclaration, fields: tuple[str, ...]) -> EventTable:
    table = build_table_of_landed(events.table, declaration, fields)
    warnings = [warning for warning in events.warnings if _is_asked(warning, declaration, fields)]
    return replace(
        table,
        mistyped=events.mistyped,
        names=_collect_field_names(events.table),
        warnings=(*warnings, *warn_of_other_types(events.table, table)),
        notes=events.notes,
    )


def _is_asked(warning: Problem, declaration: StreamDeclaration, fields: Collection[str]) -> bool:
    """Return whether a warning concerns a field that is declared or read, or times, ends or keys."""
    return warning.code != "mistyped" or warning.field in {*declaration.fields, *fields}


def _collect_field_names(table: pa.Table) -> frozenset[str]:
    """Return the names of all fields that any of the events has."""
    return frozenset(name for part in table["fields"].chunks for name in pc.unique(part.keys).to_pylist())


def evaluate_events(
    part: Part, events: Mapping[str, Events], question: EvaluationQuestion, budget: Budget
) -> dict[str, Any]:
    """Return the timelines, the keys, and what was left out."""
    compiled = part.compiled
    for name in question.nodes:
        if name in part.left_out:
            raise _refuse_plan([as_problem(part.left_out[name].to_document())])
        if name not in compiled.names:
            hint = suggest_nearest(name, compiled.names)
            raise Invalid.field("nodes", f"The plan has no node {name!r}.", hint, code="unknown_node")
    if problems := check_streams(compiled, events):
        raise Invalid.field("events", "; ".join(problems), code="wrong_streams")
    tables = build_event_tables(part, events, question.nodes)
    if deaf := find_missing_arrivals(tables, {name: table.fields for name, table in tables.items()}):
        raise Invalid.field("events", "; ".join([*deaf.values(), NO_ARRIVAL_HINT]), code="no_arrival")
    try:
        trial = Trial.prepare(compiled, tables, question.nodes, budget, question.until)
        answers = _describe_answers(trial, question)
    except TooMuch as why:
        raise ApiError(f"It is too much: {why}.", code="too_much", status=413) from None
    return {
        "events": {name: len(stream_events.table) for name, stream_events in events.items()},
        "mistyped": sum(stream_events.mistyped for stream_events in events.values()),
        **answers,
        "warnings": collect_warnings(part, tables, question.nodes),
        "notes": {
            name: list(stream_events.notes) for name, stream_events in events.items() if stream_events.notes
        },
        "left_out": [as_problem(item.to_document()) for item in part.left_out.values()],
    }


def collect_warnings(part: Part, tables: Mapping[str, EventTable], nodes: Sequence[str]) -> list[ToldProblem]:
    """Return what the nodes ask for and no event has."""
    below = {name for node in nodes for name in list_nodes_below(part.compiled, node)}
    return [as_problem(warning.to_document()) for warning in list_warnings(part.compiled, tables, below)]


def _describe_answers(trial: Trial, question: EvaluationQuestion) -> dict[str, Any]:
    keys, groups = trial.keys()
    chosen = question.keys
    if not chosen and question.most is not None:
        chosen = [*keys[: question.most], *groups[: question.most]]
    return {
        "keys": keys[:MAX_KEYS_LISTED],
        "groups": groups[:MAX_KEYS_LISTED],
        "key_count": len(keys),
        "group_count": len(groups),
        "answers": trial.answers(chosen, question.at) if chosen or question.most != 0 else [],
    }


def omit_arrival_nodes(part: Part, events: Mapping[str, Events]) -> Part:
    """Leave out nodes on arrival time, where the events have none."""
    tables = build_event_tables(part, events)
    deaf = find_missing_arrivals(tables, {name: table.fields for name, table in tables.items()})
    omitted = {
        name: Problem(name, None, "no_arrival", deaf[node.stream], NO_ARRIVAL_HINT)
        for name, node in part.compiled.checked.graph.nodes.items()
        if node.stream in deaf and operators()[node.op].by_arrival
    }
    try:
        return part.without(omitted) if omitted else part
    except Refused as refused:
        raise _refuse_plan([as_problem(problem.to_document()) for problem in refused.problems]) from None


def _refuse_plan(problems: list[ToldProblem]) -> PlanRefused:
    count = len(problems)
    return PlanRefused(
        f"The plan has {count} problem{'s' * (count != 1)} and cannot be evaluated.", problems=problems
    )
