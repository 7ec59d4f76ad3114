"""Decoded events in, a batch of events as they are kept out, or every reason why not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import orjson

from timeline_app.algebra.events import UNTIL
from timeline_app.algebra.kinds import Kind
from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.paths import NESTED, flatten_event, list_paths, read_field
from timeline_app.problems.spelling import close_names
from timeline_app.times.hints import describe_unit, suggest_unit
from timeline_app.times.local_times import LocalTimes
from timeline_app.times.parts import BadTime
from timeline_app.times.reader import OutOfRange, read_moment
from timeline_app.times.units import PADDING

MAX_KEY = 1_024
MAX_VALUE = 65_536
MAX_NESTED = 262_144
"""Characters of JSON that an object or a list in an event may have."""
MAX_SAMPLED_OBJECTS = 200
"""The number of objects in a batch that are searched for field names."""
MAX_NAME = 1_024
MAX_FIELDS = 500
MAX_PROBLEMS = 100
MAX_EXAMPLES = 10
MAX_SHOWN_LETTERS = 40
WHOLE_ID = r"^(0|-?[1-9][0-9]*)$"
"""Ids that are compared as integers, be they integers or text in JSON."""
MIDNIGHT_OF_DAY = r"[T ]00:00(?::00(?:\.0{1,9})?)?$"
FIRST_DAY_OF_SHEET = r"^(?:1899-12-3[01]|1900-01-0[01]|3[01]\.12\.1899|12/3[01]/1899)[T ]"
_MIDNIGHT_OF_DAY = re.compile(MIDNIGHT_OF_DAY)
_FIRST_DAY_OF_SHEET = re.compile(FIRST_DAY_OF_SHEET)
MAX_WHOLE = 1 << 64
"""JSON integers from here on have been read as floats and have lost digits."""
_NEAR_CUTOFF = 0.7


_HINTS = {
    Kind.NUMBER: "send a number, without quotes, unit or percent sign, or declare the field text",
    Kind.BOOL: "send true or false, or declare the field text",
}


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A problem of one event; lines count from 1, as do elements of an array."""

    line: int
    field: str | None
    code: str
    message: str


class Misread(NamedTuple):
    """An input that is no event: the reason, its text, and its place in a source (empty: the line of a request).

    `alone` says that the rest of its message or request was accepted.
    """

    problem: LineProblem
    text: str
    place: str = ""
    alone: bool = False


class BadEvents(Exception):
    """Some of the events cannot be taken, so none is."""

    def __init__(self, problems: list[LineProblem]) -> None:
        """At most `MAX_PROBLEMS` of them are kept."""
        self.problems = tuple(problems[:MAX_PROBLEMS])
        super().__init__("; ".join(f"line {item.line}: {item.message}" for item in self.problems[:3]))


class WrongEvent(ValueError):
    """One event cannot be taken: `name` is the field, `code` and text say why."""

    def __init__(self, name: str | None, code: str, message: str) -> None:
        super().__init__(message)
        self.name, self.code = name, code


def format_value(value: object) -> str:
    """Return a value of an event, short enough for a sentence."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinity"
    text = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    short = text if len(text) <= MAX_SHOWN_LETTERS else f"{text[:MAX_SHOWN_LETTERS]}…"
    return repr(short) if isinstance(value, str) else short


@dataclass(slots=True)
class Misfits:
    """Values that do not fit their declared types: their number by field, and the first of each by line.

    Under `UNTIL` it counts rows that end no later than they begin, which are left out.
    """

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of values that do not fit."""
        return sum(count for name, count in self.counts.items() if name != UNTIL)

    def add(self, name: str, line: int, value: object) -> None:
        """Count one value."""
        self.counts[name] = self.counts.get(name, 0) + 1
        self.show(name, line, value)

    def show(self, name: str, line: int, value: object) -> None:
        """Keep one value that is counted already, if it is among the first."""
        examples = self.examples.setdefault(name, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append((line, format_value(value)))


@dataclass(slots=True)
class EventBatch:
    """Events as they are kept: values in canonical text by field, times in microseconds, in order of arrival."""

    declaration: StreamDeclaration
    keys: list[str] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    fields: list[list[tuple[str, str]]] = field(default_factory=list)
    misfits: Misfits = field(default_factory=Misfits)
    local_times: LocalTimes = field(init=False, repr=False, compare=False)
    paths: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Which declared fields lie inside others."""
        declared = self.declaration
        self.paths = declared.paths
        self.local_times = LocalTimes(declared.time, declared.unit, declared.zone)

    @property
    def mistyped(self) -> int:
        """The number of values that did not fit their declared types."""
        return self.misfits.total

    @property
    def size(self) -> int:
        """The number of events."""
        return len(self.keys)

    @property
    def last(self) -> int | None:
        """The greatest event time."""
        return max(self.times, default=None)

    @property
    def field_names(self) -> set[str]:
        """The names of all fields that any of the events has, and the paths inside some of their objects and lists."""
        names = {name for fields in self.fields for name, _ in fields if name != UNTIL}
        inside = ((name, text) for fields in self.fields for name, text in fields if name.endswith(NESTED))
        paths = (
            list_paths(name.removesuffix(NESTED), orjson.loads(text))
            for name, text in islice(inside, MAX_SAMPLED_OBJECTS)
        )
        return {name for name in names if not name.endswith(NESTED)}.union(*paths)

    def add(self, event: object, *, strict: bool = True, line: int | None = None) -> None:
        """Add one event. With `strict` a mistyped value refuses it, else the value counts as missing.

        A row that ends no later than it begins is no event: with `strict` it is refused, else left out and counted.
        """
        line_number = self.size + 1 if line is None else line
        if not isinstance(event, dict):
            raise WrongEvent(None, "not_an_object", describe_no_object(event))
        if len(event) > MAX_FIELDS:
            raise WrongEvent(None, "too_many_fields", f"{len(event)} fields; an event may have {MAX_FIELDS}")
        declared = self.declaration
        key, time = read_key(event, declared.key), _read_event_time(event, declared)
        self._check_paths(event, strict, line_number)
        fields = [item for item in self._fields(event, strict, line_number) if item is not None]
        if (until := read_until(event, declared)) is not None:
            fields.append((UNTIL, str(until)))
        identity = self._identity(event)
        canonical = format_canonical(event)
        if until is not None and until <= time:
            self._leave_out(event, strict, line_number)
            return
        if not strict:
            self.local_times.add(join_time(event, declared.time), line_number)
        self.keys.append(key)
        self.times.append(time)
        self.ids.append(identity)
        self.texts.append(canonical)
        self.fields.append(fields)

    def _leave_out(self, event: dict[str, Any], strict: bool, line: int) -> None:
        name, begin = str(self.declaration.until), self.declaration.time
        end = read_field(event, name)
        if strict:
            message = (
                f"{name!r} is {str(end)[:60]!r}, not later than {begin!r},"
                f" which is {str(join_time(event, begin))[:60]!r}; a row ends after it begins"
            )
            raise WrongEvent(name, "until_before_time", message)
        self.misfits.add(UNTIL, line, end)

    def _identity(self, event: dict[str, Any]) -> str | None:
        name = self.declaration.id
        if name is None or name in (self.declaration.key, self.declaration.time):
            return None
        return spell_id(read_field(event, name), self.declaration)

    def _check_paths(self, event: dict[str, Any], strict: bool, line: int) -> None:
        """Look whether what lies inside objects fits as it is declared."""
        for name in self.paths:
            value = None if event.get(name) is not None else read_field(event, name)
            kind = self.declaration.kind_of(name)
            if value is None or spell(value, kind) is not None:
                continue
            if strict:
                raise WrongEvent(name, *_explain_wrong_type(name, value, kind))
            self.misfits.add(name, line, value)

    def _fields(self, event: dict[str, Any], strict: bool, line: int) -> Iterator[tuple[str, str] | None]:
        declared = self.declaration
        for name, value in event.items():
            if name in (declared.key, declared.time, *declared.always_read) or value is None:
                continue
            if isinstance(value, dict | list) and name not in declared.fields and name != declared.id:
                yield name + NESTED, spell_nested(name, value)
                continue
            spelled = spell(value, declared.kind_of(name))
            if spelled is None and strict:
                raise WrongEvent(name, *_explain_wrong_type(name, value, declared.kind_of(name)))
            if spelled is None:
                if isinstance(value, dict | list):
                    spell_nested(name, value)
                self.misfits.add(name, line, value)
            else:
                _refuse_unkept(name, spelled)
            yield None if spelled is None else (name, spelled)


def read_right(
    rows: Iterable[tuple[int, object]], declaration: StreamDeclaration
) -> tuple[EventBatch, list[LineProblem]]:
    """Return the valid events of decoded rows, and the problems of the others."""
    batch, problems = EventBatch(declaration), list[LineProblem]()
    for line, event in rows:
        if isinstance(event, LineProblem):
            problems.append(event)
            continue
        try:
            batch.add(event)
        except WrongEvent as error:
            problems.append(LineProblem(line, error.name, error.code, str(error)))
    return batch, problems


def describe_no_object(value: object) -> str:
    """Say why a value that is no object is no event."""
    words = "an event must be a JSON object with named fields"
    if isinstance(value, str) and value.strip()[:1] == "{" and value.strip()[-1:] == "}":
        return f"{words}, and this is a text that holds one; encode each event once, not twice"
    if isinstance(value, list):
        inner = "a list of such" if any(isinstance(item, dict) for item in value) else "a list without names"
        return f"{words}, and this is {inner}; write each event as an object on a line of its own"
    return words


def format_canonical(event: dict[str, Any]) -> str:
    """Return the event as JSON with sorted keys; what is no JSON (in a Parquet file) in Python's spelling.

    Raises `WrongEvent` for deep nesting, or nested numbers of more than 64 bits.
    """
    try:
        return orjson.dumps(event, default=str, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError as why:
        raise WrongEvent(None, "nested", f"the event cannot be written as JSON: {why}") from None


def read_key(event: Mapping[str, Any], name: str) -> str:
    """Return the key of an event: text, or a number in its JSON spelling; of several fields their list as JSON."""
    names = split_key(name)
    parts = [_read_key_part(event, part) for part in names]
    raw = parts if len(names) > 1 else parts[0]
    key = raw if isinstance(raw, str) else orjson.dumps(raw).decode()
    if len(key) > MAX_KEY:
        raise WrongEvent(
            name, "key_too_long", f"the key {name!r} has {len(key):,} characters; it may have {MAX_KEY:,}"
        )
    return key


def _read_key_part(event: Mapping[str, Any], name: str) -> str | int | float:
    raw = read_field(event, name)
    if raw == "":
        raise WrongEvent(name, "missing_key", f"the key {name!r} is empty")
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        raise WrongEvent(name, "missing_key", f"the key {name!r} is missing{_point_deeper(event, name)}")
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float)):
        hint = "; write each event as an object of its own" if isinstance(raw, (dict, list)) else ""
        words = f"the key {name!r} must be text or a number, but is {format_value(raw)}{hint}"
        raise WrongEvent(name, "bad_key", words)
    _refuse_long_number(name, raw, "bad_key")
    if isinstance(raw, str) and "\0" in raw:
        raise WrongEvent(name, "bad_key", f"the key {name!r} holds a NUL character")
    return raw


def _read_event_time(event: dict[str, Any], declared: StreamDeclaration) -> int:
    raw = join_time(event, declared.time)
    if isinstance(raw, dict) and len(raw) == 1:
        path = f"{declared.time}.{next(iter(raw))}"
        words = f"the time {declared.time!r} is an object: declare {path[:200]!r}"
        raise WrongEvent(declared.time, "bad_time", words)
    if raw is None and (deeper := _point_deeper(event, declared.time)):
        raise WrongEvent(declared.time, "missing_time", f"the time {declared.time!r} is missing{deeper}")
    return read_time(raw, declared)


def join_time(event: Mapping[str, Any], time: str) -> object:
    """Return the time of an event as it is spelled; of a date and a clock in several fields one text.

    Spreadsheets give a day its midnight, and a clock the first of their days: both are left out. Raises `WrongEvent`
    where one of several parts is missing.
    """
    names = split_key(time)
    if len(names) == 1:
        return read_field(event, time)
    parts = [_read_time_part(event, name) for name in names]
    days = [_MIDNIGHT_OF_DAY.sub("", part) for part in parts[:-1]]
    return " ".join([*days, _FIRST_DAY_OF_SHEET.sub("", parts[-1])])


def _read_time_part(event: Mapping[str, Any], name: str) -> str:
    raw = read_field(event, name)
    text = "" if raw is None else spell(raw, Kind.TEXT)
    if text is None or isinstance(raw, bool | float):
        words = f"{name!r} is a part of the time, and is {format_value(raw)}, which is neither text nor a whole number"
        raise WrongEvent(name, "bad_time", words)
    if not text.strip(PADDING):
        raise WrongEvent(name, "missing_time", f"{name!r}, a part of the time, is missing")
    return text.strip(PADDING)


def _point_deeper(event: Mapping[str, Any], name: str) -> str:
    """Say where a missing name lies inside an object or a list of the event, or which name is near it."""
    path = next((path for path in flatten_event(event) if path.endswith(f".{name}")), None)
    if path is not None:
        return f"; it lies deeper: declare {path!r}"
    close = close_names(name, [other for other in map(str, event) if other != name], _NEAR_CUTOFF)
    return f"; did you mean {close[0][:60]!r}?" if close else ""


def read_time(raw: object, declared: StreamDeclaration, name: str | None = None) -> int:
    """Return a time as microseconds since the epoch; `name` is its field, if that is not the stream's time."""
    name = name or declared.time
    fields = " and ".join(map(repr, split_key(name)))
    if raw is None or raw == "":
        raise WrongEvent(name, "missing_time", f"the time {fields} is missing")
    try:
        return read_moment(raw, declared.unit, declared.zone)
    except OutOfRange:
        message = f"the time {str(raw)[:60]} lies outside the years 1 to 9999"
        hint = suggest_unit(raw, declared.unit) or f"is {fields} really in {declared.unit}?"
    except BadTime as why:
        message = f"the time {str(raw)[:60]!r} does not parse; {fields} is {describe_unit(declared.unit)}"
        hint = str(why) or suggest_unit(raw, declared.unit)
    raise WrongEvent(name, "bad_time", f"{message}; {hint}" if hint else message)


def read_until(event: dict[str, Any], declared: StreamDeclaration) -> int | None:
    """Until when a row holds, in microseconds; None where it does not say it yet, or the stream has no ends."""
    raw = None if declared.until is None else read_field(event, declared.until)
    return None if raw is None or raw == "" else read_time(raw, declared, declared.until)


def spell(value: object, kind: Kind) -> str | None:
    """Return a value in the canonical text of its field's kind; None where it does not fit."""
    if kind is Kind.BOOL:
        return ("true" if value else "false") if isinstance(value, bool) else None
    if kind is Kind.NUMBER:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        return repr(float(value) + 0.0) if fits else None  # type: ignore[arg-type]  # -0.0 is 0.0
    if isinstance(value, str):
        return value
    fits = isinstance(value, (bool, int)) or (isinstance(value, float) and math.isfinite(value))
    return orjson.dumps(value).decode() if fits else None


def spell_nested(name: str, value: object) -> str:
    """Return an object or a list as canonical JSON text; refuse what a log or a database cannot store."""
    try:
        text = orjson.dumps(value, default=str, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError as why:
        raise WrongEvent(name, "nested", f"{name!r} cannot be written as JSON: {why}") from None
    _refuse_unkept(name, "")
    if len(text) > MAX_NESTED:
        message = (
            f"{name!r} has {len(text):,} characters of JSON; an object or a list may have {MAX_NESTED:,}"
        )
        raise WrongEvent(name, "value_too_long", message)
    if "\\u0000" in text.replace("\\\\", ""):
        raise WrongEvent(name, "bad_text", f"{name!r} holds a NUL character; leave it out")
    return text


def spell_id(value: object, declared: StreamDeclaration) -> str | None:
    """Return an id as text for comparison; None where it does not fit. Integers keep all digits."""
    assert declared.id is not None
    _refuse_long_number(declared.id, value, "bad_id")
    kind = declared.kind_of(declared.id)
    spelled = spell(value, kind)
    if spelled is None or kind is not Kind.NUMBER:
        return spelled
    assert isinstance(value, int | float)
    return str(int(value)) if value == int(value) else spelled


def _refuse_long_number(name: str, value: object, code: str) -> None:
    """Refuse as a key or an id what may have lost digits."""
    if isinstance(value, float) and MAX_WHOLE <= abs(value) < math.inf:
        message = (
            f"{name!r} is a number of more than 64 bits ({value}), whose digits may be lost; send it as text"
        )
        raise WrongEvent(name, code, message)


def _refuse_unkept(name: str, value: str) -> None:
    """Refuse a name or a value that a database cannot keep."""
    if len(name) > MAX_NAME:
        begin = f"{name[:40]}…"
        message = (
            f"the name of the field {begin!r} has {len(name):,} characters; a name may have {MAX_NAME:,}"
        )
        raise WrongEvent(begin, "name_too_long", message)
    if "\0" in name:
        raise WrongEvent(name, "bad_text", f"the name {name!r} holds a NUL character; leave it out")
    if len(value) > MAX_VALUE:
        message = f"{name!r} has {len(value):,} characters; a value may have {MAX_VALUE:,}"
        raise WrongEvent(name, "value_too_long", message)
    if "\0" in value:
        raise WrongEvent(name, "bad_text", f"{name!r} holds a NUL character; leave it out")


def _explain_wrong_type(name: str, value: object, kind: Kind) -> tuple[str, str]:
    if isinstance(value, (dict, list)):
        return (
            "nested",
            f"{name!r} is an object or a list; declare what lies inside, such as {name + '.name'!r}",
        )
    if isinstance(value, float) and not math.isfinite(value):
        return "not_finite", f"{name!r} is not finite; NaN and infinities are no values"
    words = f"{name!r} is declared {kind.value}, but is {str(value)[:40]!r}"
    return "wrong_type", f"{words}; {_HINTS[kind]}" if kind in _HINTS else words
