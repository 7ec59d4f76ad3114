"""Parsed predicates: small trees that judge columns of events in Kleene's logic.

A comparison with a missing field is unknown; an event matches only where the predicate is true. Equal trees have
equal canonical texts, whatever the order and nesting in which `and` and `or` were written.
"""

from __future__ import annotations

import json
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_app.algebra.events import Column
from timeline_app.algebra.kinds import FALSE, TRUE, UNKNOWN, Kind, Mask
from timeline_app.predicates.columns import EventColumns, Fields, select_fields

Truth = npt.NDArray[np.int8]
Literal = bool | float | str

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Predicate(ABC):
    """A condition on one event."""

    @abstractmethod
    def judge(self, fields: Fields) -> Truth:
        """Return false, unknown or true for each event."""

    @abstractmethod
    def text(self) -> str:
        """Return the canonical text, which parses to the same predicate."""

    @abstractmethod
    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield each field that it uses, with the kind that its literal requires (None: any)."""

    def depth(self) -> int:
        """Return how many levels of predicates it has."""
        return 1

    def negate(self) -> Predicate:
        """Return its negation, without `not` where an equivalent exists, also for unknown values."""
        return Not(self)

    def check_kinds(self, kind_of: Callable[[str], Kind]) -> None:  # noqa: B027 (nothing is computed in most)
        """Raise `WrongKind` if computed values do not have the required kinds."""

    def reads_time(self) -> bool:
        """Return whether it uses the event's time."""
        return False

    def reads_zone(self) -> bool:
        """Return whether it uses the clocks of a time zone."""
        return False

    def field_names(self) -> Iterator[str]:
        """Yield the names of the fields that it uses."""
        yield from (name for name, _ in self.uses())

    def matches(self, events: EventColumns) -> Mask:
        """Return which events match."""
        return np.broadcast_to(
            self.judge(select_fields(events, with_time=self.reads_time())) == TRUE, events.size
        )

    @property
    def fields(self) -> tuple[str, ...]:
        """The sorted names of the fields that it uses."""
        return tuple(sorted(set(self.field_names())))


@dataclass(frozen=True, slots=True)
class Always(Predicate):
    """A condition that every event meets, or none."""

    value: bool

    def judge(self, fields: Fields) -> Truth:  # noqa: ARG002 (it looks at no field)
        """Return one truth for all events."""
        return np.array(TRUE if self.value else FALSE, dtype=np.int8)

    def text(self) -> str:
        """`true` or `false`."""
        return "true" if self.value else "false"

    def negate(self) -> Predicate:
        """Return the opposite constant."""
        return Always(not self.value)

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield nothing."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Comparison(Predicate):
    """A comparison of a field with a literal."""

    field: str
    symbol: str
    literal: Literal

    def judge(self, fields: Fields) -> Truth:
        """Compare column and literal; kinds are checked elsewhere, so another kind is false."""
        column = fields[self.field]
        return _build_truth(column, _compare(column, self.symbol, self.literal))

    def text(self) -> str:
        """`field == literal`."""
        return f"{spell_field(self.field)} {self.symbol} {spell_literal(self.literal)}"

    def negate(self) -> Predicate:
        """Return the opposite comparison."""
        return Comparison(self.field, OPPOSITES[self.symbol], self.literal)

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield the field, of the literal's kind."""
        yield self.field, get_kind(self.literal)


@dataclass(frozen=True, slots=True)
class Membership(Predicate):
    """A comparison of a field with several literals."""

    field: str
    literals: tuple[Literal, ...]

    def judge(self, fields: Fields) -> Truth:
        """Return true if the field is one of the literals."""
        column = fields[self.field]
        truth = np.logical_or.reduce([_compare(column, "==", literal) for literal in self.literals])
        return _build_truth(column, truth)

    def text(self) -> str:
        """`field in (a, b)`, the literals sorted."""
        return f"{spell_field(self.field)} in ({', '.join(sorted({spell_literal(item) for item in self.literals}))})"

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield the field, once for each literal's kind."""
        for literal in self.literals:
            yield self.field, get_kind(literal)


@dataclass(frozen=True, slots=True)
class Missing(Predicate):
    """True if a field is missing; never unknown."""

    field: str

    def judge(self, fields: Fields) -> Truth:
        """Return true if the field is missing."""
        return np.where(fields[self.field].present, FALSE, TRUE).astype(np.int8)

    def text(self) -> str:
        """`field is missing`."""
        return f"{spell_field(self.field)} is missing"

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield the field, of any kind."""
        yield self.field, None


@dataclass(frozen=True, slots=True)
class Not(Predicate):
    """Negation in Kleene's logic."""

    of: Predicate

    def judge(self, fields: Fields) -> Truth:
        """Two minus the truth of what it negates."""
        return (TRUE - self.of.judge(fields)).astype(np.int8)

    def text(self) -> str:
        """`not (…)`."""
        return f"not ({self.of.text()})"

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield the fields of the negated predicate."""
        return self.of.uses()

    def depth(self) -> int:
        """Return one more than what it negates."""
        return 1 + self.of.depth()

    def negate(self) -> Predicate:
        """Return what it negates."""
        return self.of

    def reads_time(self) -> bool:
        """Return whether the negated predicate uses the event's time."""
        return self.of.reads_time()

    def reads_zone(self) -> bool:
        """Return whether the negated predicate names a zone."""
        return self.of.reads_zone()

    def check_kinds(self, kind_of: Callable[[str], Kind]) -> None:
        """Check the negated predicate."""
        self.of.check_kinds(kind_of)


@dataclass(frozen=True, slots=True)
class Junction(Predicate):
    """Conjunction or disjunction in Kleene's logic, of two or more; built by `build_junction`."""

    word: str
    parts: tuple[Predicate, ...]
    # Cached: nested predicates would be formatted and measured again at each level.
    _text: str = field(init=False, compare=False, repr=False)
    _depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Compute text and depth once."""
        spelled = (f"({part.text()})" if isinstance(part, Junction) else part.text() for part in self.parts)
        object.__setattr__(self, "_text", f" {self.word} ".join(spelled))
        object.__setattr__(self, "_depth", 1 + max(part.depth() for part in self.parts))

    def judge(self, fields: Fields) -> Truth:
        """Return the least truth for `and`, the greatest for `or`."""
        function = np.minimum if self.word == "and" else np.maximum
        truth: Truth = function.reduce([part.judge(fields) for part in self.parts])
        return truth

    def text(self) -> str:
        """Return the parts in their order, nested junctions in parentheses."""
        return self._text

    def depth(self) -> int:
        """Return one more than the deepest part."""
        return self._depth

    def negate(self) -> Predicate:
        """Negate by De Morgan's laws."""
        return build_junction("or" if self.word == "and" else "and", [part.negate() for part in self.parts])

    def reads_time(self) -> bool:
        """Return whether a part uses the event's time."""
        return any(part.reads_time() for part in self.parts)

    def reads_zone(self) -> bool:
        """Return whether a part names a zone."""
        return any(part.reads_zone() for part in self.parts)

    def check_kinds(self, kind_of: Callable[[str], Kind]) -> None:
        """Check each part."""
        for part in self.parts:
            part.check_kinds(kind_of)

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield the fields of the parts."""
        for part in self.parts:
            yield from part.uses()


def build_junction(word: str, parts: Iterable[Predicate]) -> Predicate:
    """Return `and` or `or` of distinct parts in order of text; nested junctions of the same word are flattened."""
    flat: list[Predicate] = []
    for part in parts:
        flat += part.parts if isinstance(part, Junction) and part.word == word else [part]
    decisive = Always(word == "or")
    if decisive in flat:
        return decisive
    flat = [part for part in flat if not isinstance(part, Always)] or flat[:1]
    part_by_text = {part.text(): part for part in flat}
    return (
        flat[0]
        if len(part_by_text) == 1
        else Junction(word, tuple(part_by_text[text] for text in sorted(part_by_text)))
    )


def build_membership(field: str, literals: tuple[Literal, ...]) -> Predicate:
    """Return a membership test; with a single literal it is a comparison."""
    literal_by_text = {spell_literal(literal): literal for literal in literals}
    return Comparison(field, "==", literals[0]) if len(literal_by_text) == 1 else Membership(field, literals)


def get_kind(literal: Literal) -> Kind:
    """Return the kind of a literal."""
    if isinstance(literal, bool):
        return Kind.BOOL
    return Kind.TEXT if isinstance(literal, str) else Kind.NUMBER


def _compare(column: Column, symbol: str, literal: Literal) -> Mask:
    compare = COMPARISONS[symbol]
    if column.kind is Kind.TEXT:
        judged = np.fromiter((compare(label, literal) for label in column.labels), bool, len(column.labels))
        return np.asarray(np.append(judged, False)[column.value])
    target = literal if column.kind is Kind.NUMBER else (TRUE if literal else FALSE)
    with np.errstate(invalid="ignore"):
        return np.asarray(compare(column.value, target))


def _build_truth(column: Column, condition: Mask) -> Truth:
    return np.where(column.present, np.where(condition, TRUE, FALSE), UNKNOWN).astype(np.int8)


def spell_field(field: str) -> str:
    """Return the name, in backquotes where it needs them."""
    return field if _BARE.fullmatch(field) else f"`{field}`"


def spell_literal(literal: Literal) -> str:
    """Return the literal as written in conditions."""
    if isinstance(literal, float) and literal.is_integer() and abs(literal) < 1e15:
        return str(int(literal))
    return json.dumps(literal, ensure_ascii=False)


_BARE = re.compile(
    r"(?!(and|or|not|in|is|missing|true|false|null|None|True|False)\b)[^\W\d]\w*(\[\d+\])*([.-]\w+(\[\d+\])*)*"
)
"""A field name that needs no quotes: `NAME` of the grammar."""
