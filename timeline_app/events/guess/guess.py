"""The whole guess: a declaration with reasons, and how the sample would be read by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from timeline_app.algebra.events import UNTIL
from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.guess.columns import Column, FieldGuess, collect_columns, guess_field
from timeline_app.events.guess.joined_key import join_key
from timeline_app.events.guess.joined_time import build_time_column, join_time_fields, rate_joined_time
from timeline_app.events.guess.lateness import Lateness, measure, suggest_retention
from timeline_app.events.guess.roles import (
    Guess,
    guess_end,
    guess_id,
    guess_time,
    guess_time_unit,
    guess_zone,
    key_of,
    warn_of_days,
)
from timeline_app.events.guess.sample import Row, Sample
from timeline_app.events.mapping import parse_mapping
from timeline_app.events.paths import NESTED
from timeline_app.events.time_warnings import look_at_times, warn_of_times
from timeline_app.events.validate import EventBatch, LineProblem, WrongEvent, format_canonical, join_time
from timeline_app.problems.problem import Problem

SHOWN_EVENTS, SHOWN_REFUSALS = 20, 50
MAX_MEASURED_EVENTS = 20_000
"""The number of rows read for measuring and refusing."""


@dataclass(frozen=True, slots=True)
class Read:
    """One event as it would be kept: values in their spelling, the time in microseconds."""

    line: int
    key: str
    time: int
    id: str | None
    values: dict[str, str]


@dataclass(frozen=True, slots=True)
class Guessed:
    """The result of a guess: the document of a declaration, the reasons, and the effect on the events."""

    document: dict[str, Any]
    guesses: tuple[Guess, ...]
    fields: tuple[FieldGuess, ...]
    rows: tuple[Read, ...]
    refused: int
    problems: tuple[tuple[LineProblem, str], ...]
    lateness: Lateness | None
    looked_at: int
    warnings: tuple[Problem, ...] = ()


def guess(sample: Sample, options: Mapping[str, Any]) -> Guessed:
    """Guess what was not given. Raises `Refused` or `BadMapping` where the given values are impossible."""
    columns = collect_columns(sample)
    roles, fields = _guess_roles(sample, columns, options), _guess_fields(columns)
    document = {role.what: role.value for role in roles} | {"fields": {}} | dict(options)
    if "fields" not in options:
        plain_fields = [
            field
            for field in fields
            if field.name
            not in {*_list_names(document, "key"), *_list_names(document, "time"), document.get("until")}
        ]
        document["fields"] = {item.name: item.type for item in plain_fields}
    declared = _build_declaration(document)
    if declared is None:
        rejected = [(row.problem, row.text) for row in sample.rows if row.problem is not None]
        usual = document | _fill_defaults(options)
        return Guessed(
            usual, tuple(roles), fields, (), len(rejected), tuple(rejected[:SHOWN_REFUSALS]), None, 0
        )
    parse_mapping(sample.mapping.to_document(), declared)
    batch, read, problems = _read(sample, declared)
    late = measure(batch.times)
    retention, why = suggest_retention(batch.times)
    measured = {"allowed_lateness": late.proposal, "retention": retention}
    roles += [
        Guess("allowed_lateness", late.proposal, late.confidence, late.words),
        Guess("retention", retention, 0.6, why),
    ]
    document = measured | declared.to_document() | measured | _select_given(options)
    first_events = tuple(read[:SHOWN_EVENTS])
    measured_count = min(len(sample.rows), MAX_MEASURED_EVENTS)
    warnings = [
        *warn_of_days(columns, declared.time, declared.name),
        *warn_of_times(batch.local_times, pa.array(batch.times, pa.int64()), declared),
    ]
    refused = tuple(problems[:SHOWN_REFUSALS])
    return Guessed(
        document,
        tuple(roles),
        fields,
        first_events,
        len(problems),
        refused,
        late,
        measured_count,
        tuple(warnings),
    )


def _fill_defaults(declared: Mapping[str, Any]) -> dict[str, Any]:
    return {"allowed_lateness": "30s", "retention": "7d"} | _select_given(declared)


def _select_given(declared: Mapping[str, Any]) -> dict[str, Any]:
    return {name: declared[name] for name in ("allowed_lateness", "retention") if name in declared}


def _guess_roles(sample: Sample, columns: Mapping[str, Column], declared: Mapping[str, Any]) -> list[Guess]:
    """Guess key, time, unit and id, without fields that already have a role."""
    known_fields = {
        *_list_names(declared, "key"),
        *_list_names(declared, "time"),
        *(declared.get(role) for role in ("until", "id")),
    }
    free = {name: column for name, column in columns.items() if name not in known_fields}
    time, candidates = guess_time(free if "time" not in declared else columns)
    chosen = declared.get("time", time.value)
    candidate = candidates.get(str(chosen))
    if "time" not in declared and (joined := join_time_fields(time, free, known_fields)) is not None:
        time, candidate = joined
        chosen = time.value
    column = build_time_column(columns, chosen) if isinstance(chosen, str) else None
    candidate = candidate or (rate_joined_time(column, columns) if column else None)
    times = split_key(chosen) if isinstance(chosen, str) else ()
    identity = guess_id(free, {*times})
    names_used = {*times, declared.get("id", identity.value if identity.confidence >= 0.5 else None)}
    key = key_of(free if "key" not in declared else columns, names_used)
    if "key" not in declared:
        key = join_key(
            key, chosen, {name: value for name, value in free.items() if name not in names_used}, sample
        )
    keys = _list_names({"key": key.value} | dict(declared), "key")
    ends = guess_end(free, column, {*names_used, *keys}) if column and "until" not in declared else []
    return [key, time, *ends, guess_time_unit(candidate), *guess_zone(candidate), identity]


def _list_names(document: Mapping[str, Any], role: str) -> tuple[str, ...]:
    """Return the fields of a key or a time, be they given as a list or as its JSON text."""
    value = document.get(role)
    return tuple(map(str, value)) if isinstance(value, list) else split_key(value or "")


def _guess_fields(columns: Mapping[str, Column]) -> tuple[FieldGuess, ...]:
    return tuple(guess_field(column) for column in columns.values())


def _build_declaration(document: Mapping[str, Any]) -> StreamDeclaration | None:
    """Return the declaration; None while key or time are unknown. Raises `Refused` for an impossible one."""
    if not document.get("key") or not document.get("time"):
        return None
    content = {name: value for name, value in document.items() if name != "name"}
    return StreamDeclaration.from_document("sample", content)


def _read(
    sample: Sample, declared: StreamDeclaration
) -> tuple[EventBatch, list[Read], list[tuple[LineProblem, str]]]:
    """Return the events that ingestion would accept, and those that it would refuse."""
    batch, read, problems = EventBatch(declared), list[Read](), list[tuple[LineProblem, str]]()
    right = list[tuple[int, dict[str, Any]]]()
    for row in sample.rows_as(declared)[:MAX_MEASURED_EVENTS]:
        problem = take_row(batch, row)
        if problem is not None or row.event is None:
            problems += [(problem, format_row(row))] if problem is not None else []
            continue
        right.append((row.line, row.event))
        if len(read) < SHOWN_EVENTS:
            named_values = [(name, text) for name, text in batch.fields[-1] if name != UNTIL]
            values = {name.removesuffix(NESTED): text for name, text in named_values}
            read.append(Read(row.line, batch.keys[-1], batch.times[-1], batch.ids[-1], values))
    if right:
        times = [join_time(event, declared.time) for _, event in right]
        look_at_times(times, batch.local_times, lambda: right)
    return batch, read, problems


def take_row(batch: EventBatch, row: Row) -> LineProblem | None:
    """Add a row as ingestion would. Return its problem, if any."""
    if row.event is None:
        return row.problem
    try:
        batch.add(row.event)
    except WrongEvent as error:
        return LineProblem(row.line, error.name, error.code, str(error))
    return None


def format_row(row: Row) -> str:
    """Format a row for people."""
    if row.text or row.event is None:
        return row.text
    try:
        return format_canonical(row.event)[:1000]
    except WrongEvent:
        return ""
