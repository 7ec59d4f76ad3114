"""The whole guess: a declaration with reasons, and how the sample would be read by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from timeline_app.algebra.events import UNTIL
from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.guess.columns import Column, FieldGuess, columns_of, field_guess
from timeline_app.events.guess.joined_key import join_key
from timeline_app.events.guess.lateness import Lateness, measure, retention_for
from timeline_app.events.guess.roles import (
    Guess,
    id_of,
    key_of,
    time_candidate,
    time_of,
    unit_of,
    until_of,
    zone_of,
)
from timeline_app.events.guess.sample import Row, Sample
from timeline_app.events.mapping import parse_mapping
from timeline_app.events.paths import NESTED, read_field
from timeline_app.events.time_warnings import look_at_times, warn_of_times
from timeline_app.events.validate import EventBatch, LineProblem, WrongEvent, canonical_text
from timeline_app.problems.problem import Problem

SHOWN, REFUSED = 20, 50
READ = 20_000
"""So many rows are read to measure and to refuse."""


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
    """What a sample says: the document of a declaration, why, and what becomes of its events."""

    document: dict[str, Any]
    guesses: tuple[Guess, ...]
    fields: tuple[FieldGuess, ...]
    rows: tuple[Read, ...]
    refused: int
    problems: tuple[tuple[LineProblem, str], ...]
    lateness: Lateness | None
    looked_at: int
    warnings: tuple[Problem, ...] = ()


def guess(sample: Sample, said: Mapping[str, Any]) -> Guessed:
    """What the sample says of what nobody has said; raises `Refused` or `BadMapping` where what was said cannot be."""
    columns = columns_of(sample)
    roles, fields = _roles(sample, columns, said), _fields(columns)
    document = {one.what: one.value for one in roles} | {"fields": {}} | dict(said)
    if "fields" not in said:
        own = [
            one
            for one in fields
            if one.name
            not in {*split_key(document.get("key") or ""), document.get("time"), document.get("until")}
        ]
        document["fields"] = {one.name: one.type for one in own}
    declared = _declared(document)
    if declared is None:
        wrong = [(row.problem, row.text) for row in sample.rows if row.problem is not None]
        usual = document | _usual(said)
        return Guessed(usual, tuple(roles), fields, (), len(wrong), tuple(wrong[:REFUSED]), None, 0)
    parse_mapping(sample.mapping.to_document(), declared)
    batch, read, problems = _read(sample, declared)
    late = measure(batch.times)
    retention, why = retention_for(batch.times)
    measured = {"allowed_lateness": late.proposal, "retention": retention}
    roles += [
        Guess("allowed_lateness", late.proposal, late.confidence, late.words),
        Guess("retention", retention, 0.6, why),
    ]
    document = measured | declared.to_document() | measured | _given(said)
    shown = tuple(read[:SHOWN])
    looked = min(len(sample.rows), READ)
    warnings = warn_of_times(batch.local_times, pa.array(batch.times, pa.int64()), declared)
    refused = tuple(problems[:REFUSED])
    return Guessed(
        document, tuple(roles), fields, shown, len(problems), refused, late, looked, tuple(warnings)
    )


def _usual(said: Mapping[str, Any]) -> dict[str, Any]:
    return {"allowed_lateness": "30s", "retention": "7d"} | _given(said)


def _given(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: said[name] for name in ("allowed_lateness", "retention") if name in said}


def _roles(sample: Sample, columns: Mapping[str, Column], said: Mapping[str, Any]) -> list[Guess]:
    """Key, time, unit and id; what was said already is out of question for the others."""
    given = {*split_key(said.get("key") or ""), *(said.get(what) for what in ("time", "until", "id"))}
    free = {name: column for name, column in columns.items() if name not in given}
    time, candidates = time_of(free if "time" not in said else columns)
    chosen = said.get("time", time.value)
    column = columns.get(chosen) if isinstance(chosen, str) else None
    candidate = candidates.get(str(chosen)) or (time_candidate(column) if column else None)
    identity = id_of(free, {chosen})
    taken = {chosen, said.get("id", identity.value if identity.confidence >= 0.5 else None)}
    key = key_of(free if "key" not in said else columns, taken)
    if "key" not in said:
        key = join_key(key, chosen, {name: one for name, one in free.items() if name not in taken}, sample)
    keys = split_key(said.get("key") or key.value or "")
    ends = until_of(free, column, {*taken, *keys}) if column and "until" not in said else []
    return [key, time, *ends, unit_of(candidate), *zone_of(candidate), identity]


def _fields(columns: Mapping[str, Column]) -> tuple[FieldGuess, ...]:
    return tuple(field_guess(column) for column in columns.values())


def _declared(document: Mapping[str, Any]) -> StreamDeclaration | None:
    """The declaration; None as long as nobody knows key or time. Raises `Refused` where it cannot be."""
    if not document.get("key") or not document.get("time"):
        return None
    known = {name: value for name, value in document.items() if name != "name"}
    return StreamDeclaration.from_document("sample", known)


def _read(
    sample: Sample, declared: StreamDeclaration
) -> tuple[EventBatch, list[Read], list[tuple[LineProblem, str]]]:
    """The events as the door would take them, and those that it would refuse."""
    batch, read, problems = EventBatch(declared), list[Read](), list[tuple[LineProblem, str]]()
    right = list[tuple[int, dict[str, Any]]]()
    for row in sample.rows_as(declared)[:READ]:
        problem = take_row(batch, row)
        if problem is not None or row.event is None:
            problems += [(problem, format_row(row))] if problem is not None else []
            continue
        right.append((row.line, row.event))
        if len(read) < SHOWN:
            kept = [(name, text) for name, text in batch.fields[-1] if name != UNTIL]
            values = {name.removesuffix(NESTED): text for name, text in kept}
            read.append(Read(row.line, batch.keys[-1], batch.times[-1], batch.ids[-1], values))
    if right:
        times = [read_field(event, declared.time) for _, event in right]
        look_at_times(times, batch.local_times, lambda: right)
    return batch, read, problems


def take_row(batch: EventBatch, row: Row) -> LineProblem | None:
    """Take a row as the door would; what is wrong with it."""
    if row.event is None:
        return row.problem
    try:
        batch.add(row.event)
    except WrongEvent as wrong:
        return LineProblem(row.line, wrong.name, wrong.code, str(wrong))
    return None


def format_row(row: Row) -> str:
    """A row as text, for people."""
    if row.text or row.event is None:
        return row.text
    try:
        return canonical_text(row.event)[:1000]
    except WrongEvent:
        return ""
