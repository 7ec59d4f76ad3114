"""Bind conditions and values to a stream: which names mean the event's time, and how times are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, overload

from timeline_app.predicates.builder import make_comparison
from timeline_app.predicates.choice import Choice
from timeline_app.predicates.expressions import Arithmetic, Constant, Expression, FieldValue
from timeline_app.predicates.functions import FunctionCall
from timeline_app.predicates.moments import Elapsed, EventTime, Moment, TimeOf
from timeline_app.predicates.relations import AbsentValue, Relation, TextTest
from timeline_app.predicates.tree import Comparison, Junction, Not, Predicate, build_junction


@dataclass(frozen=True, slots=True)
class StreamClock:
    """The names that mean the event's time in a stream, and the unit or format and the zone of its times."""

    names: frozenset[str]
    unit: str
    zone: str | None

    @overload
    def bind(self, part: Expression) -> Expression: ...
    @overload
    def bind(self, part: Predicate) -> Predicate: ...

    def bind(self, part: Expression | Predicate) -> Expression | Predicate:
        """Return the expression with every time bound to its reading: it needs no stream any more."""
        return self._bind_value(part) if isinstance(part, Expression) else self._bind_condition(part)

    def _bind_value(self, part: Expression) -> Expression:
        match part:
            case Arithmetic("-", left, right) if self._is_time(left) or self._is_time(right):
                return Elapsed(self._read_time(left), self._read_time(right))
            case Arithmetic(sign, left, right):
                return Arithmetic(sign, self._bind_side(left), self._bind_side(right))
            case Choice(condition, then, otherwise):
                return Choice(self.bind(condition), self.bind(then), self.bind(otherwise))
            case FunctionCall(name, arguments):
                return FunctionCall(name, tuple(map(self._bind_value, arguments)))
            case Elapsed(left, right):
                return Elapsed(self._read_time(left), self._read_time(right))
            case TimeOf():
                return self._read_time(part)
        return part

    def _bind_side(self, part: Expression) -> Expression:
        """Bind a side; for a time, a sum gives a better error than an undeclared field."""
        return self._read_time(part) if self._is_time(part) else self.bind(part)

    def _bind_condition(self, part: Predicate) -> Predicate:
        match part:
            case Comparison(field, symbol, str() as literal) if field in self.names:
                return make_comparison(EventTime(), symbol, self._read_time(Constant(literal)))
            case Relation(left, symbol, right) if self._is_time(left) or self._is_time(right):
                return make_comparison(self._read_time(left), symbol, self._read_time(right))
            case Relation(left, symbol, right):
                return make_comparison(self.bind(left), symbol, self.bind(right))
            case Not(of):
                return Not(self.bind(of))
            case Junction(word, parts):
                return build_junction(word, map(self._bind_condition, parts))
            case AbsentValue() | TextTest():
                return replace(part, of=self.bind(part.of))
        return part

    def _is_time(self, part: Expression) -> bool:
        return isinstance(part, Moment) or (isinstance(part, FieldValue) and part.name in self.names)

    def _read_time(self, part: Expression) -> Moment:
        """Return the time beside another time."""
        match part:
            case FieldValue(name) if name in self.names:
                return EventTime()
            case TimeOf(of, None):
                return TimeOf(self.bind(of), self.unit, self.zone)
            case TimeOf(of):
                return replace(part, of=self.bind(of))
            case Moment():
                return part
        return TimeOf(self.bind(part), self.unit, self.zone)


class ClockedStream(Protocol):
    """A stream, as far as expressions need to know it."""

    @property
    def clock(self) -> StreamClock:
        """The clock that reads its times."""
