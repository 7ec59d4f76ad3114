"""Conditions on computed values: `price * quantity > limit`, `starts_with(lower(path), "/api")`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import FALSE, TRUE, UNKNOWN, Kind, Labels
from timeline_app.predicates.columns import Fields
from timeline_app.predicates.expressions import (
    Constant,
    Expression,
    FieldValue,
    KindOf,
    WrongKind,
    compare,
    require_kind,
    require_same_kind,
)
from timeline_app.predicates.moments import Moment
from timeline_app.predicates.tree import (
    COMPARISONS,
    OPPOSITES,
    Junction,
    Literal,
    Not,
    Predicate,
    Truth,
    spell_literal,
)


@dataclass(frozen=True, slots=True)
class Relation(Predicate):
    """A comparison of two values."""

    left: Expression
    symbol: str
    right: Expression

    def judge(self, fields: Fields) -> Truth:
        """Compare the values; unknown if one is missing."""
        return compare(COMPARISONS[self.symbol], self.left.compute(fields), self.right.compute(fields))

    def text(self) -> str:
        """`left == right`."""
        return f"{self.left.text()} {self.symbol} {self.right.text()}"

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield the fields of both sides."""
        yield from ((name, None) for side in (self.left, self.right) for name in side.field_names())

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literal that its left side is compared with, if any."""
        return (self.right.value,) if isinstance(self.right, Constant) else ()

    def negate(self) -> Predicate:
        """Return the opposite comparison."""
        return Relation(self.left, OPPOSITES[self.symbol], self.right)

    def reads_time(self) -> bool:
        """Return whether a side uses the event's time."""
        return self.left.reads_time() or self.right.reads_time()

    def reads_zone(self) -> bool:
        """Return whether a side names a zone."""
        return self.left.reads_zone() or self.right.reads_zone()

    def depth(self) -> int:
        """Return one more than its deeper side."""
        return 1 + max(self.left.depth(), self.right.depth())

    def check_kinds(self, kind_of: KindOf) -> None:
        """Require sides of one kind; true and false have no order."""
        if isinstance(self.left, Moment) and isinstance(self.right, Moment):
            self.left.check_reading(kind_of)
            self.right.check_reading(kind_of)
            return
        kind = require_same_kind([self.left, self.right], kind_of, f"`{self.symbol}`")
        if kind is Kind.BOOL and self.symbol not in ("==", "!="):
            raise WrongKind(f"{self.left.text()} is bool, which has no order", "write == or !=")


@dataclass(frozen=True, slots=True)
class AbsentValue(Predicate):
    """True if a computed value is missing; never unknown."""

    of: Expression

    def judge(self, fields: Fields) -> Truth:
        """Return True where the value is missing."""
        return np.where(self.of.compute(fields).present, FALSE, TRUE).astype(np.int8)

    def text(self) -> str:
        """`(value) is missing`."""
        return f"{self.of.text()} is missing"

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield the fields of the value."""
        yield from ((name, None) for name in self.of.field_names())

    def reads_time(self) -> bool:
        """Return whether the value uses the event's time."""
        return self.of.reads_time()

    def reads_zone(self) -> bool:
        """Return whether the value names a zone."""
        return self.of.reads_zone()

    def depth(self) -> int:
        """Return one more than the value."""
        return 1 + self.of.depth()

    def check_kinds(self, kind_of: KindOf) -> None:
        """Check the kinds inside the value."""
        if isinstance(self.of, Moment):
            self.of.check_reading(kind_of)
            return
        self.of.find_kind(kind_of)


def list_expressions(value: object) -> Iterator[Expression]:
    """Yield the values that a parameter computes: an expression, or those of its conditions."""
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, Relation):
        yield from (side for side in (value.left, value.right) if not isinstance(side, FieldValue | Constant))
    elif isinstance(value, Not):
        yield from list_expressions(value.of)
    elif isinstance(value, Junction):
        for part in value.parts:
            yield from list_expressions(part)


def _match_pattern(labels: Labels, pattern: str) -> Labels:
    texts = pa.array(labels, type=pa.string())
    return np.asarray(pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False), dtype=bool)


def _make_label_test(test: Callable[[str, str], bool]) -> Callable[[Labels, str], Labels]:
    return lambda labels, value: np.fromiter((test(label, value) for label in labels), bool, len(labels))


TEXT_TESTS: dict[str, Callable[[Labels, str], Labels]] = {
    "starts_with": _make_label_test(str.startswith),
    "ends_with": _make_label_test(str.endswith),
    "contains": _make_label_test(str.__contains__),
    "matches": _match_pattern,
}
"""Tests of a text, with what each looks for; `matches` finds a pattern of RE2 anywhere, in linear time."""
MAX_PATTERN_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class TextTest(Predicate):
    """A test of a text: `contains(message, "timeout")`."""

    name: str
    of: Expression
    sought: str

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The text that it looks for."""
        return (self.sought,)

    def judge(self, fields: Fields) -> Truth:
        """Test each different text once."""
        column = self.of.compute(fields)
        passes = TEXT_TESTS[self.name](column.labels, self.sought)
        truth = np.append(np.where(passes, TRUE, FALSE), UNKNOWN).astype(np.int8)
        return np.asarray(truth[column.value])

    def text(self) -> str:
        """Return the call."""
        return f"{self.name}({self.of.text()}, {spell_literal(self.sought)})"

    def uses(self) -> Iterator[tuple[str, Kind | None]]:
        """Yield the fields of the text."""
        kind = Kind.TEXT if isinstance(self.of, FieldValue) else None
        yield from ((name, kind) for name in self.of.field_names())

    def reads_time(self) -> bool:
        """Return whether the text uses the event's time."""
        return self.of.reads_time()

    def reads_zone(self) -> bool:
        """Return whether the text names a zone."""
        return self.of.reads_zone()

    def depth(self) -> int:
        """Return one more than the text."""
        return 1 + self.of.depth()

    def check_kinds(self, kind_of: KindOf) -> None:
        """Check that the tested value is text."""
        require_kind(self.of, Kind.TEXT, kind_of, f"`{self.name}`")


def find_pattern_problem(pattern: str) -> str | None:
    """Return what is wrong with a pattern of RE2, in RE2's words; None where it is valid."""
    if len(pattern) > MAX_PATTERN_CHARS:
        return f"it has {len(pattern):,} characters; at most {MAX_PATTERN_CHARS:,} are read"
    try:
        pc.match_substring_regex(pa.array([""]), pattern)
    except pa.ArrowInvalid as problem:
        return str(problem).removeprefix("Invalid regular expression: ").splitlines()[0]
    return None
