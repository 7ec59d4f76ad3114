"""Events in a request: as JSON, or as files beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.evaluate.tables import warn_of_misfits
from timeline_app.events.decode import DecodeError, Notes, TooLarge
from timeline_app.events.mapped_columns import map_row
from timeline_app.events.mapping import NO_MAPPING, FieldMapping
from timeline_app.events.time_warnings import warn_of_times
from timeline_app.events.uploads import TooMany, add, read_whole
from timeline_app.events.validate import MAX_PROBLEMS, EventBatch, LineProblem
from timeline_app.landing.log import build_table
from timeline_app.landing.recording import Events
from timeline_app.plan import BadEvents, StreamDeclaration
from timeline_app.web.core.errors import ApiError, Invalid, as_problem, describe_problem
from timeline_app.web.core.field_mappings import check_mapping
from timeline_app.web.core.sample_size import MAX_SAMPLE_EVENTS, refuse_size
from timeline_app.web.jobs.packing import pack_events, read_declarations

File = tuple[str, bytes]
"""The name and the content of a file."""


def read_events(message: JobMessage) -> JobMessage:
    """Job `read`: return the events of a request, by stream, for samples."""
    streams = read_declarations(message.header["known"])
    files = pair_files(message.header, message.blobs)
    uploaded_events = read_uploaded_events(
        message.header["events"], files, streams, message.header["mapping"]
    )
    return JobMessage(*pack_events(uploaded_events))


def pair_files(header: Mapping[str, Any], blobs: Sequence[bytes]) -> dict[str, File]:
    """Return the files by stream."""
    return {item["stream"]: (item["name"], blob) for item, blob in zip(header["files"], blobs, strict=True)}


def read_uploaded_events(
    sent: Mapping[str, Any],
    files: Mapping[str, File],
    streams: Mapping[str, StreamDeclaration],
    mapping: Mapping[str, Any] | None = None,
) -> dict[str, Events]:
    """Return the events in a request by stream; refuse them with all wrong lines."""
    mappings = _read_mappings(mapping or {}, {*sent, *files}, streams)
    events_by_stream: dict[str, Events] = {}
    for name, events in sent.items():
        events_by_stream[name] = _read_event_list(
            events, _get_declaration(name, streams), mappings.get(name, NO_MAPPING)
        )
    for name, file in files.items():
        if name in events_by_stream:
            raise Invalid.field(name, "There are events of this stream in the request already.")
        events_by_stream[name] = _read_event_file(
            file, _get_declaration(name, streams), mappings.get(name, NO_MAPPING)
        )
    if sum(len(item.table) for item in events_by_stream.values()) > MAX_SAMPLE_EVENTS:
        raise refuse_size(f"more than {MAX_SAMPLE_EVENTS:,} events")
    return events_by_stream


def _read_mappings(
    rules_by_stream: Mapping[str, Any], sent: Collection[str], streams: Mapping[str, StreamDeclaration]
) -> dict[str, FieldMapping]:
    """Return the field mappings by stream; refuse them with all problems."""
    for name in rules_by_stream:
        if name not in sent:
            hint = f"Mapped are {', '.join(sorted(sent)[:12]) or 'none'}."
            raise Invalid.field("mapping", f"There are no events of {name[:100]!r} in the request.", hint)
    return {
        name: check_mapping(rules, _get_declaration(name, streams)) for name, rules in rules_by_stream.items()
    }


def _get_declaration(name: str, streams: Mapping[str, StreamDeclaration]) -> StreamDeclaration:
    if name not in streams:
        names = ", ".join(sorted(streams)[:12]) or "none"
        raise Invalid.field(
            name[:100], "There is no stream of this name.", f"Known are {names}.", code="unknown_stream"
        )
    return streams[name]


def _read_event_list(events: object, declaration: StreamDeclaration, mapping: FieldMapping) -> Events:
    if not isinstance(events, list):
        hint = f'Send {{"{declaration.name}": [{{…}}, …]}}.'
        raise Invalid.field(f"events.{declaration.name}", "Events are a list of objects.", hint)
    if len(events) > MAX_SAMPLE_EVENTS:
        raise refuse_size(f"{len(events):,} events")
    batch, problems = EventBatch(declaration), list[LineProblem]()
    lenient = mapping.select_lenient(declaration)
    for line, event in (map_row(row, mapping, lenient) for row in enumerate(events, 1)):
        add(batch, event, line, problems)
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise _refuse_events(declaration.name, BadEvents(problems))
    return _keep(batch, Notes())


def _read_event_file(file: File, declaration: StreamDeclaration, mapping: FieldMapping) -> Events:
    _, content = file
    try:
        return _read_file(content, declaration, mapping)
    except MemoryError:
        raise  # pyarrow's is an ArrowException, too: it says nothing of the file
    except BadEvents as bad:
        raise _refuse_events(declaration.name, bad) from None
    except TooMany as why:
        raise refuse_size(str(why)) from None
    except TooLarge as why:
        raise _refuse_large_file(declaration.name, why) from None
    except DecodeError as why:
        line = "" if why.line is None else f"line {why.line}: "
        raise Invalid.field(declaration.name, f"{line}{why.message}", why.hint, code=why.code) from None


def _read_file(content: bytes, declaration: StreamDeclaration, mapping: FieldMapping) -> Events:
    notes = Notes()
    return _keep(read_whole(content, declaration, MAX_SAMPLE_EVENTS, notes, mapping), notes)


def _refuse_large_file(stream: str, why: TooLarge) -> ApiError:
    problem = describe_problem(why.message, code=why.code, hint=why.hint, field=stream)
    return ApiError(f"{stream}: {why}", code="sample_too_large", problems=[problem], status=413)


def _keep(batch: EventBatch, notes: Notes) -> Events:
    fields = {*batch.declaration.fields, *batch.field_names}
    table = build_table(batch)
    doubts = warn_of_times(batch.local_times, table["time"], batch.declaration)
    warnings = (*warn_of_misfits(batch.misfits, batch.declaration, fields), *doubts)
    return Events(table, batch.mistyped, warnings, notes.texts)


def _refuse_events(stream: str, bad: BadEvents) -> ApiError:
    problems = [as_problem(asdict(problem)) for problem in bad.problems]
    first = bad.problems[0]
    return ApiError(f"{stream}, line {first.line}: {first.message}", code="bad_events", problems=problems)
