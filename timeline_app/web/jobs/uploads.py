"""Events that a request brings along: as JSON, or as files beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from timeline_app.events.decode import DecodeError, Notes, TooLarge
from timeline_app.local.sandbox.messages import JobMessage
from timeline_app.local.tables import warn_of_misfits
from timeline_app.local.time_warnings import warn_of_times
from timeline_app.local.uploads import TooMany, add, read_whole
from timeline_app.plan import BadEvents, StreamDeclaration
from timeline_app.plan.events import MAX_PROBLEMS, EventBatch, LineProblem
from timeline_app.storage.landing import table_of
from timeline_app.storage.recorded import Events
from timeline_app.web.errors import ApiError, Invalid, as_problem, problem
from timeline_app.web.jobs.packing import pack_events, read_declarations
from timeline_app.web.sample_size import MOST_EVENTS, too_large

File = tuple[str, bytes]
"""The name of a file and what it holds."""


def read_events(message: JobMessage) -> JobMessage:
    """Job `read`: the events of a request, by stream, for samples."""
    files = files_of(message.header, message.blobs)
    streams = read_declarations(message.header["known"])
    return JobMessage(*pack_events(events_of(message.header["events"], files, streams)))


def files_of(header: Mapping[str, Any], blobs: Sequence[bytes]) -> dict[str, File]:
    """By stream, the files that were sent."""
    return {one["stream"]: (one["name"], blob) for one, blob in zip(header["files"], blobs, strict=True)}


def events_of(
    sent: Mapping[str, Any], files: Mapping[str, File], streams: Mapping[str, StreamDeclaration]
) -> dict[str, Events]:
    """The events that a request brings along, by stream; refused with every line that is wrong."""
    found: dict[str, Events] = {}
    for name, events in sent.items():
        found[name] = _of_list(events, _declared(name, streams))
    for name, file in files.items():
        if name in found:
            raise Invalid.field(name, "There are events of this stream in the request already.")
        found[name] = _of_file(file, _declared(name, streams))
    if sum(len(one.table) for one in found.values()) > MOST_EVENTS:
        raise too_large(f"more than {MOST_EVENTS:,} events")
    return found


def _declared(name: str, streams: Mapping[str, StreamDeclaration]) -> StreamDeclaration:
    if name not in streams:
        known = ", ".join(sorted(streams)[:12]) or "none"
        raise Invalid.field(
            name[:100], "There is no stream of this name.", f"Known are {known}.", code="unknown_stream"
        )
    return streams[name]


def _of_list(events: object, declaration: StreamDeclaration) -> Events:
    if not isinstance(events, list):
        cure = f'Send {{"{declaration.name}": [{{…}}, …]}}.'
        raise Invalid.field(f"events.{declaration.name}", "Events are a list of objects.", cure)
    if len(events) > MOST_EVENTS:
        raise too_large(f"{len(events):,} events")
    batch, problems = EventBatch(declaration), list[LineProblem]()
    for line, event in enumerate(events, 1):
        add(batch, event, line, problems)
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise _bad(declaration.name, BadEvents(problems))
    return _keep(batch, Notes())


def _of_file(file: File, declaration: StreamDeclaration) -> Events:
    _, content = file
    try:
        return _read_file(content, declaration)
    except MemoryError:
        raise  # pyarrow's is an ArrowException, too: it says nothing of the file
    except BadEvents as bad:
        raise _bad(declaration.name, bad) from None
    except TooMany as why:
        raise too_large(str(why)) from None
    except TooLarge as why:
        raise _too_large_file(declaration.name, why) from None
    except DecodeError as why:
        line = "" if why.line is None else f"line {why.line}: "
        raise Invalid.field(declaration.name, f"{line}{why.message}", why.hint, code=why.code) from None


def _read_file(content: bytes, declaration: StreamDeclaration) -> Events:
    notes = Notes()
    return _keep(read_whole(content, declaration, MOST_EVENTS, notes), notes)


def _too_large_file(stream: str, why: TooLarge) -> ApiError:
    found = problem(why.message, code=why.code, cure=why.hint, field=stream)
    return ApiError(f"{stream}: {why}", code="sample_too_large", problems=[found], status=413)


def _keep(batch: EventBatch, notes: Notes) -> Events:
    fields = {*batch.declaration.fields, *batch.field_names}
    table = table_of(batch)
    doubts = warn_of_times(batch.local_times, table["time"], batch.declaration)
    warnings = (*warn_of_misfits(batch.misfits, batch.declaration, fields), *doubts)
    return Events(table, batch.mistyped, warnings, notes.texts)


def _bad(stream: str, bad: BadEvents) -> ApiError:
    problems = [as_problem(asdict(one)) for one in bad.problems]
    first = bad.problems[0]
    return ApiError(f"{stream}, line {first.line}: {first.message}", code="bad_events", problems=problems)
