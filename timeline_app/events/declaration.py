"""What a stream declares: its key, time, id, the types of its fields, how late events may be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import orjson

from timeline_app.algebra.events import ARRIVAL, UNTIL
from timeline_app.algebra.kinds import SECOND, Kind
from timeline_app.events.encodings import UnknownEncoding, find_encoding
from timeline_app.events.paths import is_path
from timeline_app.operators.parameters import MAX_DURATION_MICROS, is_storable, parse_duration, spell_duration
from timeline_app.predicates import StreamClock
from timeline_app.predicates.moments import TIME_NAME
from timeline_app.problems.problem import Problem, Refused, add_example, suggest_nearest
from timeline_app.problems.spelling import close_names
from timeline_app.times.formats import BadFormat, compile_format
from timeline_app.times.units import COUNTS, ISO
from timeline_app.times.zones import list_zones

MAX_SEEN_FIELDS = 1_000
"""The names of further fields are not recorded."""
UNITS = (*COUNTS, ISO)
_TYPES = {"text": Kind.TEXT, "number": Kind.NUMBER, "bool": Kind.BOOL}
_KNOWN = (
    "key",
    "time",
    "until",
    "unit",
    "zone",
    "id",
    "fields",
    "allowed_lateness",
    "retention",
    "idle_after",
    "allowed_ahead",
    "encoding",
)
_MAX_FIELDS = 500
_NOTHING = re.compile(r"[0.]+(us|ms|s|min|h|d)?")
ALLOWED_AHEAD = "1d"
NEVER = "never"
"""A value of `allowed_ahead`: no event is ever too far ahead."""
MIN_IDLE_AFTER = 2 * SECOND
"""Streams are checked for idleness every two seconds."""


@dataclass(frozen=True, slots=True)
class StreamDeclaration:
    """A declared stream; durations in microseconds. `seen` are the field names that its events have had so far.

    Once nothing has arrived for `idle_after`, the stream counts as idle and heartbeats say that all has arrived until
    then. With None it never does. `unit` is one of `UNITS` or a format. Times without an offset are local times of
    `zone`, or UTC without a zone. `until` is the field with the end of what began at `time`: a row with both holds in
    between. An event whose time lies further after its arrival than `allowed_ahead` is rejected; with None no event
    is. `encoding` is that of texts which are not UTF-8; with None it is detected. `lent` are the fields visible to
    somebody with whom the stream is not shared; None: all. The `generation` grows when the stream is emptied, or
    declared again after it was deleted.
    `key` and `time` may be JSON lists of fields.
    """

    name: str
    key: str
    time: str
    unit: str
    id: str | None
    fields: Mapping[str, Kind]
    allowed_lateness: int
    retention: int
    idle_after: int | None = None
    zone: str | None = None
    until: str | None = None
    allowed_ahead: int | None = parse_duration(ALLOWED_AHEAD)
    encoding: str | None = None
    seen: frozenset[str] = frozenset()
    lent: frozenset[str] | None = None
    generation: int = 0

    @classmethod
    def from_document(cls, name: str, document: object) -> StreamDeclaration:
        """Read a declaration; raises `Refused` with every problem."""
        problems: list[Problem] = []
        reader = _DeclarationReader(name, document if isinstance(document, Mapping) else {}, problems)
        if not isinstance(document, Mapping):
            reader.refuse(
                None, "not_an_object", "a stream is declared by an object", 'write {"key": …, "time": …}'
            )
        if not (name.isascii() and name.isidentifier()) or len(name) > 100:
            reader.refuse(
                None,
                "bad_name",
                f"{name!r} cannot be the name of a stream",
                "use letters a to z, digits and _",
            )
        declared = cls(
            name=str(name),
            key=reader.names("key"),
            time=reader.names("time"),
            unit=reader.unit(),
            id=reader.name("id", required=False),
            fields=MappingProxyType(reader.fields()),
            allowed_lateness=reader.duration("allowed_lateness", "30s"),
            retention=reader.duration("retention", "7d"),
            idle_after=reader.idle_after(),
            zone=reader.zone(),
            until=reader.name("until", required=False),
            allowed_ahead=reader.allowed_ahead(),
            encoding=reader.encoding(),
        )
        reader.unknown_keys()
        if {*declared.time_fields} & {*split_key(declared.key)} - {""}:
            reader.refuse("time", "same_field", "key and time are one field", "name two different fields")
        if declared.until and declared.until in (
            *split_key(declared.key),
            *declared.time_fields,
            declared.id,
        ):
            words = f"{declared.until!r} is the key, the time or the id already"
            reader.refuse("until", "same_field", words, "name the field that says when it ended")
        if problems:
            raise Refused(problems)
        return declared

    @property
    def time_fields(self) -> tuple[str, ...]:
        """The fields of the time: one, or a date and a clock, which are read as one text."""
        return split_key(self.time)

    @property
    def paths(self) -> tuple[str, ...]:
        """The declared fields, and the id, that lie inside others; key and time aside."""
        names = dict.fromkeys([*self.fields, *([self.id] if self.id else [])])
        return tuple(name for name in names if is_path(name) and name not in (self.key, self.time))

    @classmethod
    def from_program(cls, name: str, document: Mapping[str, Any]) -> StreamDeclaration:
        """Restore a declaration from `to_program`."""
        declared = {key: value for key, value in document.items() if key != "generation"}
        return replace(cls.from_document(name, declared), generation=document.get("generation", 0))

    def to_program(self) -> dict[str, Any]:
        """Return it as JSON with its generation, which nobody declares."""
        return self.to_document() | ({"generation": self.generation} if self.generation else {})

    @property
    def folder(self) -> str:
        """The name of its landing."""
        return landing_folder(self.name, self.generation)

    def to_document(self) -> dict[str, Any]:
        """Return it as JSON, with all defaults."""
        return {
            "key": self.key,
            "time": self.time,
            "unit": self.unit,
            "zone": self.zone,
            "id": self.id,
            "fields": {name: kind.value for name, kind in sorted(self.fields.items())},
            "allowed_lateness": spell_duration(self.allowed_lateness),
            "retention": spell_duration(self.retention),
            "idle_after": None if self.idle_after is None else spell_duration(self.idle_after),
            "until": self.until,
            "allowed_ahead": NEVER if self.allowed_ahead is None else spell_duration(self.allowed_ahead),
            "encoding": self.encoding,
        }

    def kind_of(self, field: str) -> Kind:
        """Return the kind of a field: text where undeclared, a number for arrival and end."""
        if field == ARRIVAL or (field == UNTIL and self.until is not None):
            return Kind.NUMBER
        return self.fields.get(field, Kind.TEXT)

    @property
    def clock(self) -> StreamClock:
        """How expressions read its times; a declared field named `time` is that field.

        Without the right to see the name of the time field, nobody can find it out by trying names.
        """
        is_seen = len(self.time_fields) == 1 and (self.lent is None or self.time in self.lent)
        time_names = {self.time} if is_seen else set()
        return StreamClock(frozenset((time_names | {TIME_NAME}) - self.fields.keys()), self.unit, self.zone)

    @property
    def always_read(self) -> tuple[str, ...]:
        """The fields that every node needs: when a row ended decides which of its copies counts."""
        return () if self.until is None else (UNTIL,)

    def identity(self, used: tuple[str, ...]) -> list[Any]:
        """Return the parts of the declaration that decide the answers of a node that reads these fields."""
        kinds = [[field, self.kind_of(field).value] for field in sorted(used)]
        id_kind = self.kind_of(self.id).value if self.id else None
        clock = self.unit if self.zone is None else [self.unit, self.zone]
        spans = [] if self.until is None else [{"until": self.until}]
        emptied = [{"generation": self.generation}] if self.generation else []
        return [self.name, self.key, self.time, clock, self.id, id_kind, kinds, *spans, *emptied]

    @property
    def keeps_everything(self) -> bool:
        """Whether no event is ever too old: the longest possible retention is unlimited."""
        return self.retention >= MAX_DURATION_MICROS

    def keeping_everything(self) -> StreamDeclaration:
        """Return the declaration without a retention limit."""
        return replace(self, retention=MAX_DURATION_MICROS)

    def with_seen(self, seen_fields: frozenset[str]) -> StreamDeclaration:
        """Return the declaration with the fields seen so far."""
        return replace(self, seen=seen_fields)

    def lending(self, fields: Iterable[str]) -> StreamDeclaration:
        """Return the declaration for users without access to the stream: only these fields are visible."""
        lent = frozenset(fields)
        fields_lent = {name: kind for name, kind in self.fields.items() if name in lent or name == self.id}
        return replace(self, fields=MappingProxyType(fields_lent), seen=self.seen & lent, lent=lent)


def landing_folder(name: str, generation: int) -> str:
    """Return the name of a stream generation's landing; no stream's name has a `~`."""
    return f"{name}~{generation}" if generation else name


@lru_cache(maxsize=1_024)
def split_key(key: str) -> tuple[str, ...]:
    """Return the fields that a key is made of; most have one.

    >>> split_key('["machine","card"]')
    ('machine', 'card')
    """
    if not key.startswith("["):
        return (key,)
    try:
        names = orjson.loads(key)
    except orjson.JSONDecodeError:
        return (key,)
    several = len(names) > 1 and all(isinstance(name, str) for name in names)
    return tuple(names) if several else (key,)


def read_stated_encoding(document: Mapping[str, Any]) -> str | None:
    """Return the encoding that a part of a declaration states. Raises `Refused` for an unknown one."""
    problems: list[Problem] = []
    encoding = _DeclarationReader("sample", document, problems).encoding()
    if problems:
        raise Refused(problems)
    return encoding


class _DeclarationReader:
    """Reads the keys of a declaration and keeps every problem."""

    def __init__(self, name: str, document: Mapping[str, Any], problems: list[Problem]) -> None:
        self.stream, self.document, self.problems = name, document, problems

    def refuse(self, port: str | None, code: str, message: str, hint: str) -> None:
        self.problems.append(Problem(str(self.stream), port, code, message, hint))

    def name(self, key: str, *, required: bool) -> str | None:
        raw = self.document.get(key)
        if raw is None and not required:
            return None
        if isinstance(raw, str) and raw.strip() and len(raw) <= 200 and is_storable(raw):
            return raw
        if raw is None and close_names(
            key, [key for key in map(str, self.document) if key not in _KNOWN], 0.7
        ):
            return None  # a misspelling, reported as an unknown key
        self.refuse(key, "bad_field", f"{key!r} must name a field of the events", 'for example "session_id"')
        return None

    def names(self, role: str) -> str:
        """Return the name of the field of the key or the time, or those of several as a JSON list."""
        raw = self.document.get(role)
        if not isinstance(raw, list):
            return self.name(role, required=True) or ""
        names = [name for name in raw if isinstance(name, str) and name.strip() and is_storable(name)]
        text = orjson.dumps(names).decode()
        if len(names) != len(raw) or len(set(names)) != len(raw) or not raw or len(text) > 200:
            message = f"{role!r} must name fields of the events, each once"
            example = '["machine", "card"]' if role == "key" else '["date", "clock"]'
            self.refuse(role, "bad_field", message, f"for example {example}; at most 200 characters")
            return ""
        return text if len(names) > 1 else names[0]

    def unit(self) -> str:
        unit = self.document.get("unit", self._default_unit)
        if unit in COUNTS and self._default_unit == ISO:
            hint = 'declare unit = iso8601, or a format such as "%d.%m.%Y %H:%M:%S"'
            self.refuse("unit", "bad_unit", "a date and a clock in two fields are text, and no number", hint)
        if isinstance(unit, str) and unit in UNITS:
            return unit
        if isinstance(unit, str) and "%" in unit:
            return self._format(unit)
        hint = f'choose one of {", ".join(UNITS)}, or write a format such as "%d.%m.%Y %H:%M:%S"'
        self.refuse("unit", "bad_unit", f"{unit!r} is no unit of time", hint)
        return "ms"

    @property
    def _default_unit(self) -> str:
        time = self.document.get("time")
        is_joined = isinstance(time, list) or (isinstance(time, str) and len(split_key(time)) > 1)
        return ISO if is_joined else "ms"

    def _format(self, spelling: str) -> str:
        try:
            return compile_format(spelling).spelling
        except BadFormat as error:
            self.refuse("unit", "bad_unit", f"{spelling[:120]!r} is no format of times", str(error))
            return ISO

    def zone(self) -> str | None:
        zone = self.document.get("zone")
        if zone in (None, ""):
            return None
        if self.document.get("unit", self._default_unit) in COUNTS:
            message = "numbers count from 1970 in UTC, whatever the zone"
            self.refuse(
                "zone", "needless_zone", message, "leave zone out, or declare the unit of local times"
            )
        elif not isinstance(zone, str) or zone not in list_zones():
            close = close_names(str(zone)[:100], sorted(list_zones()))
            hint = f"did you mean {' or '.join(close)}?" if close else "write a name such as Europe/Berlin"
            self.refuse("zone", "bad_zone", f"{zone!r} is no zone of the IANA database", hint)
        return str(zone)

    def duration(self, key: str, default: str) -> int:
        try:
            raw = self.document.get(key)
            return parse_duration(default if raw is None or raw == "" else raw)
        except ValueError as problem:
            self.refuse(key, "bad_duration", *add_example(str(problem), "30s"))
            return parse_duration(default)

    def idle_after(self) -> int | None:
        if self.document.get("idle_after") in (None, ""):
            return None
        nothing = _NOTHING.fullmatch(str(self.document["idle_after"]).strip())
        idle_after = 0 if nothing else self.duration("idle_after", "1min")
        if idle_after < MIN_IDLE_AFTER:
            words = f"{self.document['idle_after']} is too short to tell that a stream is idle"
            self.refuse(
                "idle_after",
                "too_short",
                words,
                f"write {spell_duration(MIN_IDLE_AFTER)} or more, or leave it out",
            )
        return idle_after

    def allowed_ahead(self) -> int | None:
        raw = self.document.get("allowed_ahead")
        if raw == NEVER:
            return None
        try:
            return parse_duration(ALLOWED_AHEAD if raw in (None, "") else raw)
        except ValueError as problem:
            message, hint = add_example(str(problem), ALLOWED_AHEAD)
            self.refuse("allowed_ahead", "bad_duration", message, f"{hint}, or {NEVER} for no limit")
            return None

    def encoding(self) -> str | None:
        raw = self.document.get("encoding")
        if raw in (None, ""):
            return None
        try:
            return find_encoding(str(raw))
        except UnknownEncoding as why:
            self.refuse(
                "encoding", "bad_encoding", f"{str(raw)[:100]!r} is no encoding that is read", str(why)
            )
            return None

    def fields(self) -> dict[str, Kind]:
        raw = self.document.get("fields") or {}
        if not isinstance(raw, Mapping) or len(raw) > _MAX_FIELDS:
            hint = f'write {{"name": "type"}}, at most {_MAX_FIELDS} fields, each one of text, number, bool'
            self.refuse("fields", "bad_fields", "fields must be an object of names and types", hint)
            return {}
        for name, kind in raw.items():
            if not isinstance(kind, str) or kind not in _TYPES:
                message = f"{kind!r} is no type of a field"
                self.refuse(f"fields.{name}", "bad_type", message, "choose one of text, number, bool")
            if name == ARRIVAL and kind != "number":
                message = f"{ARRIVAL} says when an event arrived, in microseconds"
                self.refuse(f"fields.{name}", "bad_type", message, "declare it a number, or leave it out")
            if not str(name).strip() or len(str(name)) > 200 or not is_storable(str(name)):
                self.refuse(
                    "fields",
                    "bad_field",
                    f"{name!r} cannot be the name of a field",
                    "use 1 to 200 characters",
                )
        return {
            str(name): _TYPES[kind] for name, kind in raw.items() if isinstance(kind, str) and kind in _TYPES
        }

    def unknown_keys(self) -> None:
        for key in self.document:
            if key not in _KNOWN:
                self.refuse(
                    str(key), "unknown_key", f"a stream has no {key!r}", suggest_nearest(str(key), _KNOWN)
                )
