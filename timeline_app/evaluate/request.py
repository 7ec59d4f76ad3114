"""What `manage.py evaluate` is asked: a plan and its event files, checked before anything is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from timeline_app.compiler import Compiled, compile_plan
from timeline_app.evaluate.engine import list_fields, list_required_nodes
from timeline_app.evaluate.files import read_file
from timeline_app.evaluate.tables import NO_ARRIVAL_HINT, EventTable, find_missing_arrivals
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.mapping import NO_MAPPING, BadMapping, FieldMapping, parse_mapping
from timeline_app.plan.text import read_text_with_places
from timeline_app.problems.problem import Refused, suggest_nearest
from timeline_app.times.units import EARLIEST, LATEST


class BadRequest(ValueError):
    """The request cannot be carried out: says where, what, and what to do."""


def read_plan(name: str) -> Compiled:
    """Compile the plan in a file, a JSON document or text; it must declare its streams.

    Raises `Refused` or `BadRequest`; problems of a text have line and column.
    """
    return read_plan_and_document(name)[0]


def read_plan_and_document(name: str) -> tuple[Compiled, Mapping[str, Any]]:
    """Return the compiled plan, and its document."""
    plan = _read_plan_file(name)
    if plan.lstrip()[:1] in ("{", "["):
        document = _parse_json(name, plan)
        compiled = compile_plan(document, {})
        assert isinstance(document, Mapping), "what is no document has problems"
        return compiled, document
    text = read_text_with_places(plan)
    try:
        return compile_plan(text.document, {}), text.document
    except Refused as refused:
        raise Refused([text.located(problem) for problem in refused.problems]) from None


def _read_plan_file(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise BadRequest(
            f"{name}: cannot be read ({problem.strerror}); name the file of a plan document, or of its text"
        ) from None
    except UnicodeDecodeError as problem:
        raise BadRequest(f"{name}: not a JSON plan document, and no text in UTF-8: {problem}") from None


def _parse_json(name: str, plan: str) -> object:
    try:
        return json.loads(plan)
    except RecursionError:
        raise BadRequest(f"{name}: nested too deeply for a plan document") from None
    except ValueError as problem:
        raise BadRequest(f"{name}: not a JSON plan document: {problem}") from None


def read_events(
    compiled: Compiled, arguments: list[str], nodes: Iterable[str] = (), mappings: Sequence[str] = ()
) -> dict[str, EventTable]:
    """Return the events of every stream of the plan, from `FILE` (one stream) or `NAME=FILE` once for each.

    Only the fields that the named nodes use are read; by default those of all nodes. `mappings` name files in the
    same way, with the mapping of a stream's fields.
    """
    digests = {compiled.names[name] for name in nodes} or compiled.programs
    fields = list_fields(compiled, list_required_nodes(compiled, digests))
    streams = sorted({stream for program in compiled.programs.values() for stream in program.streams})
    tables = read_streams(
        compiled, arguments, {stream: fields.get(stream, ()) for stream in streams}, mappings
    )
    if problems := find_missing_arrivals(tables, fields):
        raise BadRequest("; ".join([*problems.values(), NO_ARRIVAL_HINT]))
    return tables


def read_streams(
    compiled: Compiled,
    arguments: list[str],
    fields: Mapping[str, tuple[str, ...]],
    mappings: Sequence[str] = (),
) -> dict[str, EventTable]:
    """Return the events of these streams, each with the fields to read."""
    streams = list(fields)
    files = _parse_files(arguments, streams)
    rules = {
        stream: _read_mapping(name, compiled.streams[stream])
        for stream, name in _name_files(list(mappings), streams).items()
    }
    tables = {}
    for stream in streams:
        mapping = rules.get(stream, NO_MAPPING)
        try:
            tables[stream] = read_file(files[stream], compiled.streams[stream], fields[stream], mapping)
        except OSError as problem:
            raise BadRequest(f"{files[stream]}: cannot be read ({problem.strerror or problem})") from None
        except ValueError as problem:
            raise BadRequest(f"{files[stream]}: {problem}") from None
    return tables


def _read_mapping(name: str, declaration: StreamDeclaration) -> FieldMapping:
    """Return the rules in a file, a JSON list; refused with all that is wrong with them."""
    try:
        return parse_mapping(json.loads(Path(name).read_text(encoding="utf-8-sig")), declaration)
    except OSError as why:
        words = f"cannot be read ({why.strerror}); name the file of a mapping, a JSON list of rules"
        raise BadRequest(f"{name}: {words}") from None
    except BadMapping as bad:
        words = "\n".join(f"{name}: {location}: {words} {hint}" for location, words, hint in bad.problems)
        raise BadRequest(words) from None
    except (ValueError, RecursionError) as why:
        raise BadRequest(f"{name}: not a JSON list of rules: {why}") from None


def _parse_files(arguments: list[str], streams: list[str]) -> Mapping[str, str]:
    """Return a file for each of the streams."""
    named = _name_files(arguments, streams)
    missing = [name for name in streams if name not in named]
    if missing:
        raise BadRequest(f"no events for {', '.join(missing)}; give {missing[0]}=FILE")
    return named


def _name_files(arguments: list[str], streams: list[str]) -> Mapping[str, str]:
    """Return the files that are given, by stream."""
    if len(arguments) == 1 and len(streams) == 1 and not arguments[0].startswith(f"{streams[0]}="):
        return {streams[0]: arguments[0]}
    named = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if len(named) != len(arguments):
        raise BadRequest(f"the plan reads {', '.join(streams)}; give NAME=FILE once for each")
    for name in named:
        if name not in streams:
            raise BadRequest(f"the plan reads no stream {name!r}; {suggest_nearest(name, streams)}")
    return named


def read_instant(text: str, option: str = "--at") -> int:
    """Microseconds since the epoch, or ISO 8601 (UTC where it says nothing else); in the years 1 to 9999."""
    try:
        instant = _parse_instant(text)
    except ValueError:
        hint = "give microseconds since the epoch or ISO 8601, such as 2024-07-01T08:00:00Z"
        raise BadRequest(f"{text[:60]!r} is no instant; {hint}") from None
    if not EARLIEST <= instant <= LATEST:
        raise BadRequest(
            f"{option}: {text[:60]!r} lies outside the years 1 to 9999; give an instant within them"
        )
    return instant


def _parse_instant(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        moment = datetime.fromisoformat(text)
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
