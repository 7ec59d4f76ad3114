"""Requests that bring events along: as JSON, or as files beside it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from timeline_app.local.uploads import TooMany, add, read_whole
from timeline_app.plan import BadEvents, StreamDeclaration
from timeline_app.plan.events import MAX_PROBLEMS, EventBatch, LineProblem
from timeline_app.storage.landing import table_of
from timeline_app.storage.recorded import Events
from timeline_app.web.api.parsers import LargeJsonBody, bad_json, parse_json, parse_object
from timeline_app.web.errors import ApiError, Invalid, as_problem
from timeline_app.web.services.samples import MOST_EVENTS, too_large

ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".parquet", ".pq")


PARSERS = (MultiPartParser, LargeJsonBody)


def sent_with_files(
    serializer: type[serializers.Serializer[Any]], request: Request
) -> tuple[dict[str, Any], dict[str, UploadedFile[Any]]]:
    """The body, checked by its wire type, and the files beside it, by stream.

    `multipart/form-data` has the JSON object as the field `request`, and a file for each stream, under its name.
    """
    files: dict[str, UploadedFile[Any]] = {}
    document = dict(request.data)
    if isinstance(request.data, QueryDict):
        files = {name: request.FILES[name] for name in request.FILES}
        if strange := sorted(set(request.data) - {"request", *files}):
            cure = "Send the JSON object as `request`."
            raise bad_json(f"The form has a field {strange[0][:40]!r}.", cure)
        document = parse_object(request.data.get("request", "").encode("utf-8", "surrogatepass"))
    body = serializer(data=document)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data), files


def events_of(
    sent: Mapping[str, Any], files: Mapping[str, UploadedFile[Any]], streams: Mapping[str, StreamDeclaration]
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
    return _kept(batch)


def _of_file(file: UploadedFile[Any], declaration: StreamDeclaration) -> Events:
    ending = next((one for one in ENDINGS if (file.name or "").lower().endswith(one)), None)
    if ending is None:
        name = (file.name or "")[:60]
        cure = f"Send a file that ends in {', '.join(ENDINGS)}."
        raise Invalid.field(declaration.name, f"What {name!r} holds is not told by its name.", cure)
    if ending.endswith((".json", ".jsonl", ".ndjson")) and file.read(1) == b"[":
        file.seek(0)
        return _of_list(parse_json(file.read()), declaration)
    file.seek(0)
    with tempfile.NamedTemporaryFile(suffix=ending) as kept:
        for chunk in file.chunks():
            kept.write(chunk)
        kept.flush()
        return _of_path(Path(kept.name), declaration)


def _of_path(path: Path, declaration: StreamDeclaration) -> Events:
    try:
        return _kept(read_whole(str(path), declaration, MOST_EVENTS))
    except BadEvents as bad:
        raise _bad(declaration.name, bad) from None
    except TooMany as why:
        raise too_large(str(why)) from None
    except (ValueError, OSError, pa.ArrowException) as why:
        words = str(why).replace(str(path), "the file")[:300]
        raise Invalid.field(declaration.name, f"The file cannot be read: {words}", code="bad_file") from None


def _kept(batch: EventBatch) -> Events:
    return Events(table_of(batch), batch.mistyped)


def _bad(stream: str, bad: BadEvents) -> ApiError:
    problems = [as_problem(asdict(one)) for one in bad.problems]
    first = bad.problems[0]
    return ApiError(f"{stream}, line {first.line}: {first.message}", code="bad_events", problems=problems)
