"""`if(condition, a, b)`: one value or the other, or none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.events import Column
from timeline_app.algebra.kinds import FALSE, TRUE, Kind
from timeline_app.predicates.columns import Fields
from timeline_app.predicates.expressions import (
    Expression,
    KindOf,
    WrongKind,
    align_kinds,
    require_same_kind,
    walk,
)
from timeline_app.predicates.tree import Predicate


@dataclass(frozen=True, slots=True)
class Absent(Expression):
    """No value, of any kind: what `if` gives to leave a value out."""

    def compute(self, fields: Fields) -> Column:
        """Return a column without a kind of its own: `Choice` takes that of its other value."""
        raise NotImplementedError

    def text(self) -> str:
        """Return its keyword."""
        return "missing"

    def find_kind(self, kind_of: KindOf) -> Kind:  # noqa: ARG002 (it looks at no field)
        """Refuse: the kind is that of the other value of `if`."""
        raise WrongKind("missing alone has no kind", "write it as one of both values of if(condition, a, b)")

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield nothing."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Choice(Expression):
    """`if(condition, a, b)`: missing where the condition is unknown."""

    condition: Predicate
    then: Expression
    otherwise: Expression

    def compute(self, fields: Fields) -> Column:
        """Return the one value or the other."""
        computed = [part.compute(fields) for part in self._present_values()]
        then, otherwise = align_kinds(self._fill_absent(computed))
        truth = self.condition.judge(fields)
        value = np.where(
            truth == TRUE, then.value, np.where(truth == FALSE, otherwise.value, then.kind.unknown)
        )
        return Column(then.kind, value.astype(then.kind.dtype), then.labels)

    def text(self) -> str:
        """Return it as a call."""
        return f"if({self.condition.text()}, {self.then.text()}, {self.otherwise.text()})"

    def find_kind(self, kind_of: KindOf) -> Kind:
        """Return the kind of both values."""
        self.condition.check_kinds(kind_of)
        return require_same_kind(self._present_values(), kind_of, "`if`")

    def _present_values(self) -> list[Expression]:
        return [part for part in (self.then, self.otherwise) if not isinstance(part, Absent)]

    def _fill_absent(self, computed: list[Column]) -> list[Column]:
        if len(computed) == 2:
            return computed
        present = computed[0]
        absent = Column(present.kind, np.array([present.kind.unknown], present.kind.dtype), present.labels)
        return [absent, present] if isinstance(self.then, Absent) else [present, absent]

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield the condition and both values."""
        yield self.condition
        yield self.then
        yield self.otherwise


def leaves_out(expression: Expression) -> bool:
    """Return whether its `missing` deliberately leaves values out."""
    return any(isinstance(part, Absent) for part in walk(expression))
