"""Events of a file whose fields are mapped: by column where all can be cast, by row to say which cannot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Kind
from timeline_app.events.casts import CASTS, CastError
from timeline_app.events.chunk_columns import read_column
from timeline_app.events.column_values import as_list
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.arrow_values import Raw, is_text
from timeline_app.events.decode.chunks import Chunk, Row, Source
from timeline_app.events.mapping import FieldMapping, FieldRule
from timeline_app.events.paths import get_root
from timeline_app.events.validate import LineProblem, WrongEvent


def map_row(row: Row, mapping: FieldMapping, lenient: Collection[str] = ()) -> Row:
    """Return an event with its fields mapped, or its problem; see `FieldMapping.cast_fields`."""
    line, event = row
    if not mapping or not isinstance(event, dict):
        return row
    mapped = mapping.rename_fields(event)
    try:
        mapping.cast_fields(mapped, lenient)
    except WrongEvent as why:
        return line, LineProblem(line, why.name, why.code, str(why))
    return line, mapped


@dataclass(frozen=True)
class MappedChunk:
    """A chunk under the new names of its fields."""

    chunk: Chunk
    mapping: FieldMapping
    declaration: StreamDeclaration
    lenient: frozenset[str]

    @property
    def done(self) -> int:
        """The progress of the chunk."""
        return self.chunk.done

    def __len__(self) -> int:
        return len(self.chunk)

    def names(self) -> set[str]:
        """Return the names of the fields that any of the events may have."""
        names = set(self.chunk.names())
        read = {rule.to for rule in self.mapping.reading if {rule.origin, get_root(rule.origin)} & names}
        return (names - self.mapping.moved) | read | self.mapping.constants.keys()

    def column(self, name: str) -> Raw:
        """Return the values of one field. Raises `ValueError` where one cannot be cast."""
        if name in self.mapping.constants:
            return pa.repeat(pa.scalar(self.mapping.constants[name]), len(self.chunk))
        if (rule := next((rule for rule in self.mapping.reading if rule.to == name), None)) is not None:
            values = self._read_values(rule)
            return self._cast_column(rule, values) if rule.cast else values
        return pa.nulls(len(self.chunk)) if name in self.mapping.moved else self.chunk.column(name)

    def rows(self) -> Iterator[Row]:
        """Yield the events one by one."""
        return (map_row(row, self.mapping, self.lenient) for row in self.chunk.rows())

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places."""
        mapped = [self.mapping.rename_fields(event) for event in self.chunk.events(places)]
        for event in mapped:
            self.mapping.cast_fields(event, self.lenient)
        return mapped

    def _read_values(self, rule: FieldRule) -> Raw:
        """Return the values at the origin. An event without it keeps its own field, unless another rule reads that."""
        values = read_column(self.chunk, rule.origin)
        if any(other.origin == rule.to for other in self.mapping.reading):
            return values
        target = self.chunk.column(rule.to)
        if isinstance(target, pa.Array) and target.null_count == len(target):
            return values
        pairs = zip(as_list(values), as_list(target), strict=True)
        return [before if value is None else value for value, before in pairs]

    def _cast_column(self, rule: FieldRule, values: Raw) -> Raw:
        if rule.cast == "number" and self.declaration.kind_of(rule.to) is Kind.NUMBER:
            numbers = _cast_plain_numbers(values)
            if numbers is not None:
                return numbers
        return _cast_values(values, CASTS[rule.cast], lenient=rule.to in self.lenient)


@dataclass(frozen=True)
class MappedSource:
    """A source whose events are mapped; it was opened by `mapping.decoded_as(declaration)`."""

    source: Source
    mapping: FieldMapping
    declaration: StreamDeclaration
    lenient: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Determine which values that cannot be cast count as mistyped."""
        object.__setattr__(self, "lenient", self.mapping.select_lenient(self.declaration))

    @property
    def format(self) -> str:
        """The format of the source."""
        return self.source.format

    @property
    def why(self) -> str:
        """How the source's format was detected."""
        return self.source.why

    @property
    def total(self) -> int | None:
        """The size of the source."""
        return self.source.total

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:
        """Yield chunks with at least the named fields."""
        for chunk in self.source.chunks(None if names is None else self._list_origins(names)):
            yield MappedChunk(chunk, self.mapping, self.declaration, self.lenient)

    def _list_origins(self, names: list[str]) -> list[str]:
        """Return the source's names for these fields, and their roots for paths."""
        origins = {rule.to: rule.origin for rule in self.mapping.reading}
        read = [origins[name] for name in names if name in origins]
        return list(dict.fromkeys([*names, *read, *map(get_root, read)]))


def _cast_plain_numbers(values: Raw) -> pa.Array | None:
    """Return texts that all are blank or plain numbers, at once; None for others."""
    if not isinstance(values, pa.Array) or not is_text(values.type):
        return None
    texts = pc.utf8_trim_whitespace(pc.cast(values, pa.string()))
    try:
        numbers = pc.cast(pc.if_else(pc.equal(texts, ""), None, texts), pa.float64())
    except pa.ArrowInvalid:
        return None
    return numbers if pc.all(pc.is_finite(numbers)).as_py() is not False else None


def _cast_values(values: Raw, convert: Callable[[Any], Any], *, lenient: bool) -> list[Any]:
    """Cast the values, each distinct text once."""
    cast: dict[str, Any] = {}
    return [
        cast[value]
        if isinstance(value, str) and value in cast
        else _cast_value(value, convert, cast, lenient=lenient)
        for value in as_list(values)
    ]


def _cast_value(value: Any, convert: Callable[[Any], Any], cast: dict[str, Any], *, lenient: bool) -> Any:
    if value is None:
        return None
    try:
        converted = convert(value)
    except CastError:
        if not lenient:
            raise
        converted = value
    if isinstance(value, str):
        cast[value] = converted
    return converted
