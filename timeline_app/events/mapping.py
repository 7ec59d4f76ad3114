"""How the fields of events are renamed, cast and added, after they are decoded and before they are validated.

All rules read the event as it was decoded, so that their order does not matter and two fields may swap their names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import orjson

from timeline_app.algebra.kinds import Kind
from timeline_app.events.casts import CASTS, CastError
from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.paths import read_field
from timeline_app.events.validate import MAX_SHOWN_LETTERS, WrongEvent, format_value
from timeline_app.operators.parameters import is_storable
from timeline_app.problems.spelling import close_names

MAX_RULES = 100
MAX_FIELD_CHARS = 200
MAX_CONSTANT_CHARS = 1_000
MAX_CONSTANT = 1 << 53
_KNOWN = ("to", "from", "cast", "constant")
_KINDS = {"number": Kind.NUMBER, "decimal_comma": Kind.NUMBER, "bool": Kind.BOOL}


class BadMapping(ValueError):
    """A mapping that cannot be used; `problems` lists (place, what is wrong, what to do)."""

    def __init__(self, problems: list[tuple[str, str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {words}" for path, words, _ in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class FieldRule:
    """Field `to` takes the value of `origin`, cast if `cast` is set; or it is `constant` in every event."""

    to: str
    origin: str = ""
    cast: str = ""
    constant: str | int | float | bool | None = None

    def to_document(self) -> dict[str, Any]:
        """Return it as JSON, without defaults."""
        if self.constant is not None:
            return {"to": self.to, "constant": self.constant}
        return {"to": self.to, "from": self.origin} | ({"cast": self.cast} if self.cast else {})


@dataclass(frozen=True)
class FieldMapping:
    """Rules, each for another field."""

    rules: tuple[FieldRule, ...] = ()

    def __bool__(self) -> bool:
        """Return whether it changes anything."""
        return bool(self.rules)

    def to_document(self) -> list[dict[str, Any]]:
        """Return it as JSON."""
        return [rule.to_document() for rule in self.rules]

    @cached_property
    def reading(self) -> tuple[FieldRule, ...]:
        """The rules that read a field."""
        return tuple(rule for rule in self.rules if rule.constant is None)

    @cached_property
    def constants(self) -> dict[str, Any]:
        """The values that every event has."""
        return {rule.to: rule.constant for rule in self.rules if rule.constant is not None}

    @cached_property
    def _casts(self) -> tuple[tuple[str, str, Callable[[Any], Any]], ...]:
        return tuple((rule.to, rule.origin, CASTS[rule.cast]) for rule in self.reading if rule.cast)

    @cached_property
    def moved(self) -> frozenset[str]:
        """The names that are renamed away; an object whose path is read stays."""
        return frozenset(rule.origin for rule in self.reading) - {rule.to for rule in self.reading}

    def rename_fields(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return the event under the new names, with the constants; nothing is cast yet."""
        values = {
            rule.to: value for rule in self.reading if (value := read_field(event, rule.origin)) is not None
        }
        origins = {rule.origin for rule in self.reading if rule.to in values}
        unmapped = {name: value for name, value in event.items() if name not in self.moved | origins}
        return unmapped | values | self.constants

    def cast_fields(self, event: dict[str, Any], lenient: Collection[str] = ()) -> None:
        """Cast the values of a renamed event in place. Raises `WrongEvent` after all others are cast.

        A person who corrects the event in quarantine thus corrects only those values. A `lenient` field keeps a value
        that cannot be cast.
        """
        refused: list[tuple[str, str]] = []
        for to, origin, convert in self._casts:
            if event.get(to) is not None:
                try:
                    event[to] = convert(event[to])
                except CastError as why:
                    refused.append((to, _describe_cast(to, origin, event[to], why)))
        refused = [(to, words) for to, words in refused if to not in lenient]
        if refused:
            raise WrongEvent(refused[0][0], "bad_cast", "; ".join(words for _, words in refused))

    def select_lenient(self, declaration: StreamDeclaration) -> frozenset[str]:
        """Return the fields in which a value that cannot be cast counts as mistyped."""
        roles = {*split_key(declaration.key), *declaration.time_fields, declaration.until, declaration.id}
        casts = ((rule.to, rule.cast) for rule in self.reading if rule.to not in roles)
        return frozenset(to for to, cast in casts if _KINDS.get(cast) is declaration.kind_of(to))

    def decoded_as(self, declaration: StreamDeclaration) -> StreamDeclaration:
        """Return the declaration under the names that events have before the mapping.

        The cells of a table are decoded by it: a renamed column has the type of its field; a cast one is text.
        """
        if not self.rules:
            return declaration
        origins = {rule.to: rule.origin for rule in self.reading}
        keys = [origins.get(name, name) for name in split_key(declaration.key) if name not in self.constants]
        times = [origins.get(name, name) for name in declaration.time_fields]
        key, time = (
            orjson.dumps(names).decode() if len(names) > 1 else names[0] for names in (keys or times, times)
        )
        return replace(
            declaration,
            key=key,
            time=time,
            id=_rename(declaration.id, origins),
            until=_rename(declaration.until, origins),
            fields=MappingProxyType(self._decoded_fields(declaration.fields)),
        )

    def _decoded_fields(self, fields: Mapping[str, Kind]) -> dict[str, Kind]:
        replaced = self.moved | self.constants.keys()
        unmapped = {name: kind for name, kind in fields.items() if name not in replaced}
        types = {rule.origin: fields[rule.to] for rule in self.reading if rule.to in fields}
        cast = {rule.origin: Kind.TEXT for rule in self.reading if rule.cast}
        return unmapped | types | cast


NO_MAPPING = FieldMapping()


def parse_mapping(document: object, declaration: StreamDeclaration | None = None) -> FieldMapping:
    """Rules as JSON has them; raises `BadMapping` with every problem."""
    if not isinstance(document, list):
        raise BadMapping(
            [("mapping", "A mapping is a list of rules.", 'Such as [{"to": "a", "from": "b"}].')]
        )
    if len(document) > MAX_RULES:
        words = f"A mapping has at most {MAX_RULES} rules, not {len(document):,}."
        raise BadMapping([("mapping", words, "Leave some out.")])
    problems = [problem for index, rule in enumerate(document) for problem in _check_rule(index, rule)]
    if problems:
        raise BadMapping(problems)
    mapping = FieldMapping(tuple(_parse_rule(rule) for rule in document))
    problems = [*_check_repeats(mapping), *_check_roles(mapping, declaration)]
    if problems:
        raise BadMapping(problems)
    return mapping


def _rename(name: str | None, origins: Mapping[str, str]) -> str | None:
    return None if name is None else origins.get(name, name)


def _describe_cast(to: str, origin: str, value: object, why: CastError) -> str:
    subject = repr(to) if to == origin else f"{to!r}, which was {origin!r},"
    return f"{subject} has the value {format_value(value)[: MAX_SHOWN_LETTERS + 2]}, {why}"


def _parse_rule(rule: Mapping[str, Any]) -> FieldRule:
    if rule.get("constant") is not None:
        return FieldRule(rule["to"], constant=rule["constant"])
    return FieldRule(rule["to"], rule.get("from") or rule["to"], rule.get("cast") or "")


def _check_rule(index: int, rule: object) -> Iterator[tuple[str, str, str]]:
    at = f"mapping[{index}]"
    if not isinstance(rule, dict):
        yield at, "A rule is an object.", 'Such as {"to": "temperature", "from": "temp"}.'
        return
    for name in rule:
        if name not in _KNOWN:
            yield f"{at}.{name[:40]}", f"A rule has no {name[:40]!r}.", f"It has {', '.join(_KNOWN)}."
    yield from _check_name(f"{at}.to", rule.get("to"))
    if rule.get("constant") is not None:
        yield from _check_constant(at, rule)
        return
    if rule.get("from") not in (None, ""):
        yield from _check_name(f"{at}.from", rule["from"])
    yield from _check_cast(at, rule)


def _check_name(at: str, name: object) -> Iterator[tuple[str, str, str]]:
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_FIELD_CHARS or not is_storable(name):
        yield at, "It names no field.", f"Write a name of 1 to {MAX_FIELD_CHARS} characters."


def _check_constant(at: str, rule: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if rule.get("from") or rule.get("cast"):
        yield at, "A constant is read from no field and is not cast.", "Leave out from and cast, or constant."
    value = rule["constant"]
    if not isinstance(value, str | int | float):
        yield f"{at}.constant", "It is no text, number or bool.", "Write one value."
    elif isinstance(value, str) and (len(value) > MAX_CONSTANT_CHARS or not is_storable(value)):
        words = f"A constant has at most {MAX_CONSTANT_CHARS:,} characters, and no NUL."
        yield f"{at}.constant", words, "Write a shorter one."
    elif not isinstance(value, str) and not abs(value) <= MAX_CONSTANT:
        yield f"{at}.constant", "The number is too large.", "Write one up to 2 to the power of 53, or a text."


def _check_cast(at: str, rule: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    cast = rule.get("cast")
    if cast not in (None, "") and (not isinstance(cast, str) or cast not in CASTS):
        close = close_names(str(cast)[:40], sorted(CASTS))
        hint = f"Did you mean {close[0]}?" if close else f"Choose one of {', '.join(CASTS)}."
        yield f"{at}.cast", f"There is no cast {str(cast)[:40]!r}.", hint
    elif not cast and rule.get("from") in (None, "", rule.get("to")):
        yield (
            at,
            "The rule changes nothing.",
            "Say from which field, how it is cast, or which constant it is.",
        )


def _check_repeats(mapping: FieldMapping) -> Iterator[tuple[str, str, str]]:
    rules_by_target: dict[str, int] = {}
    for index, rule in enumerate(mapping.rules):
        first = rules_by_target.setdefault(rule.to, index)
        if first != index:
            words = f"Rule {first + 1} has the field {rule.to!r} already."
            yield f"mapping[{index}].to", words, "Name another field, or leave one of the rules out."


def _check_roles(
    mapping: FieldMapping, declaration: StreamDeclaration | None
) -> Iterator[tuple[str, str, str]]:
    """Refuse a constant time, and a boolean one: neither gives a timeline."""
    if declaration is None:
        return
    for index, rule in enumerate(mapping.rules):
        times = dict.fromkeys(declaration.time_fields, "time")
        role = (times | {declaration.until: "end", declaration.id: "id"}).get(rule.to)
        if role is not None and rule.constant is not None:
            words = f"{rule.to!r} is the {role} of the stream's events, and differs from one to the next."
            yield f"mapping[{index}].constant", words, "Say from which field it is read."
        elif role in ("time", "end") and rule.cast == "bool":
            words = f"{rule.to!r} is the {role} of the stream's events, and no bool."
            yield f"mapping[{index}].cast", words, "Leave cast out, or choose number."
