"""What a plan asks of its events and none of them has: nothing is silently missing."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import pyarrow as pa

from timeline_app.algebra.events import ARRIVAL, UNTIL
from timeline_app.compiler import Compiled
from timeline_app.evaluate.identity_warnings import warn_of_identities
from timeline_app.evaluate.long_numbers import warn_of_long_numbers
from timeline_app.evaluate.tables import EventTable
from timeline_app.evaluate.undefined_values import warn_of_undefined
from timeline_app.evaluate.value_warnings import describe_values, list_some, warn_of_values
from timeline_app.events.future_times import CODE, format_instant, select_ahead
from timeline_app.events.validate import MAX_EXAMPLES, format_value
from timeline_app.operators import operators
from timeline_app.operators.parameters import spell_duration
from timeline_app.plan.document import PlanNode
from timeline_app.predicates import Predicate
from timeline_app.predicates.columns import LooseColumns
from timeline_app.predicates.expressions import select_column
from timeline_app.predicates.relations import Relation, TextTest
from timeline_app.predicates.tree import Always, Comparison, Junction, Membership, Missing
from timeline_app.problems.problem import Problem, Problems, make_warning
from timeline_app.problems.spelling import close_names, list_digits

_FIRST_ROWS = 1 << 16
"""Most conditions are met by one of the first events; the others are checked only where none meets them."""
UNREAD_FIELD = "absent_unread_field"
"""The code of a declared field that no event has and no node reads."""
NEAR_CUTOFF = 0.8
FIELD_CUTOFF = 0.7
"""The similarity of field names that may be confused."""


def list_warnings(
    compiled: Compiled, tables: Mapping[str, EventTable], nodes: Collection[str] = ()
) -> list[Problem]:
    """Return the warnings of the plan, its events, and nodes that ask for what no event has; by default of all nodes.

    `tables` hold the fields that the nodes use.
    """
    graph = compiled.checked.graph
    nodes_to_check = [graph.nodes[name] for name in graph.order if not nodes or name in nodes]
    shown_problems = Problems()
    for problem in _plan_warnings(compiled, {node.name for node in nodes_to_check}, tables):
        shown_problems.append(problem)
    for name in sorted(tables):
        asker = _Asker(
            compiled, tables[name], [node for node in nodes_to_check if _is_reading(compiled, node, name)]
        )
        identities = chain(warn_of_identities(tables[name]), warn_of_long_numbers(tables[name]))
        values = warn_of_values(compiled, tables[name], nodes_to_check)
        for problem in chain(
            tables[name].warnings, warn_of_events_ahead(tables[name]), identities, asker.warnings(), values
        ):
            if not _is_explained(problem, shown_problems):
                shown_problems.append(problem)
    return shown_problems


def _is_reading(compiled: Compiled, node: PlanNode, stream: str) -> bool:
    """Return whether a node directly reads the events of a stream."""
    return stream in (node.stream, *operators()[node.op].reads(compiled.checked.params[node.name]))


def _is_explained(problem: Problem, shown_problems: Iterable[Problem]) -> bool:
    """Return whether another warning at the same place covers it, and why."""
    reason = {"unmet_condition": ("never_true",), "unseen_value": ("never_true", "unmet_condition")}
    codes = reason.get(problem.code, ())
    return any(
        other_problem.code in codes
        and (other_problem.node, other_problem.port) == (problem.node, problem.port)
        for other_problem in shown_problems
    )


def _plan_warnings(
    compiled: Compiled, nodes: Collection[str], tables: Mapping[str, EventTable]
) -> Iterator[Problem]:
    """Yield the warnings of the plan's check for these nodes, with the fields of the given events."""
    for problem in compiled.checked.problems:
        node = compiled.checked.graph.nodes.get(problem.node or "")
        is_read = node is not None and any(_is_reading(compiled, node, stream) for stream in tables)
        answered = problem.code == "unseen_field" and is_read
        if (node is None or node.name in nodes) and not answered:
            yield problem


@dataclass(frozen=True)
class _Asker:
    """Some nodes of a plan, and the events of the stream that they read."""

    compiled: Compiled
    table: EventTable
    nodes: list[PlanNode]

    def warnings(self) -> Iterator[Problem]:
        """Fields that no event has, and conditions that no event meets."""
        declared = self.table.declaration
        if not self.table.size:
            hint = "check that the right file is given, and that it is whole"
            yield make_warning("no_events", "there are no events", hint, stream=declared.name)
            return
        yield from self._absent_ends()
        yield from self._absent_fields()
        yield from self._near_fields()
        yield from self._unmet_conditions()
        yield from self._undefined_values()

    def _absent_ends(self) -> Iterator[Problem]:
        declared, names = self.table.declaration, self.table.names
        if declared.until is not None and UNTIL in self.table.fields and self.table.says_nothing(UNTIL):
            lack = "has a field" if declared.until not in names else "has a value in"
            message = f"no event {lack} {declared.until!r}, the end of a row: every row is open"
            hint = _suggest_fields([declared.until], names - self._unreal(declared.fields))
            yield make_warning("absent_field", message, hint, stream=declared.name, field=declared.until)

    @cached_property
    def _absent(self) -> frozenset[str]:
        """The fields that nodes use and no event has."""
        declared = self.table.declaration
        real = set(self.table.fields) - {declared.key, declared.time, ARRIVAL, UNTIL}
        return frozenset(name for name in real if self.table.says_nothing(name))

    def _absent_fields(self) -> Iterator[Problem]:
        mistyped = {warning.field for warning in self.table.warnings if warning.field is not None}
        declared, names = self.table.declaration, self.table.names | mistyped
        for name in sorted(self._absent - mistyped):
            users = [node.name for node in self.nodes if name in self._fields(node)]
            message = (
                f"no event has a field {name!r}"
                if name not in names
                else f"{name!r} has no value in any event"
            )
            yield make_warning(
                "absent_field",
                f"{message}; it counts as missing",
                _suggest_fields([name], names - self._unreal(self.table.fields)),
                node=users[0] if users else None,
                stream=declared.name,
                field=name,
            )
        unread = set(declared.fields) - self._unreal(self.table.fields)
        if unused := sorted(unread - names):
            other_names = names - self._unreal(declared.fields)
            message = f"the stream declares {list_some(map(repr, unused))}, and no event has it"
            yield make_warning(
                UNREAD_FIELD,
                message,
                _suggest_fields(unused, other_names),
                stream=declared.name,
                field=unused[0],
            )

    def _near_fields(self) -> Iterator[Problem]:
        """Warn of fields that some events lack while they have another one with nearly the same name."""
        declared = self.table.declaration
        other_names = self.table.names - self._unreal([*self.table.fields, *declared.fields])
        for name in sorted({*self.table.fields} - self._absent - {ARRIVAL, UNTIL}):
            lacking = self.table.count_missing(name)
            suggestions = [
                field
                for field in close_names(name, other_names, NEAR_CUTOFF)
                if list_digits(field) == list_digits(name)
            ]
            if lacking and suggestions and name not in (declared.key, declared.time):
                other = suggestions[0]
                message = (
                    f"{lacking:,} of {self.table.size:,} events have no {name!r}, and events have {other!r}"
                )
                hint = f"rename {other!r} if it is a slip, or declare it in the stream if it is another field"
                yield make_warning("near_field", message, hint, stream=declared.name, field=name)

    def _unreal(self, fields: Iterable[str]) -> set[str]:
        """Return these fields, and names that are no fields: key, time and the end of a row."""
        declared = self.table.declaration
        return {*fields, declared.key, *declared.time_fields, declared.until or declared.time}

    def _fields(self, node: PlanNode) -> set[str]:
        params = self.compiled.checked.params[node.name]
        declared = (parameter for parameter in operators()[node.op].parameters if parameter.name in params)
        fields = {name for item in declared for name, _ in item.type.uses(params[item.name])}
        stream = self.table.declaration.name
        reads = operators()[node.op].reads(params).get(stream, ())
        return fields.union(*(where.field_names() for where in reads if where is not None))

    def _unmet_conditions(self) -> Iterator[Problem]:
        fields_known = (
            set(self.table.fields) - self._absent - {self.table.declaration.key, self.table.declaration.time}
        )
        conditions = [
            (node, port, condition)
            for node in self.nodes
            for port, stream, condition in operators()[node.op].conditions(
                self.compiled.checked.params[node.name]
            )
            if stream in (None, self.table.declaration.name)
            and not isinstance(condition, Always)
            and fields_known.issuperset(condition.fields)
        ]
        unmet = _select_unmet({condition.text(): condition for _, _, condition in conditions}, self.table)
        for node, port, condition in conditions:
            if condition.text() in unmet:
                message = f"no event meets the condition {condition.text()}"
                hint = (
                    " ".join(_explain(condition, self.table))
                    or "each part of it is met, but never by one event"
                )
                own_stream = self.table.declaration.name
                yield make_warning(
                    "unmet_condition", message, hint, node=node.name, port=port, stream=own_stream
                )

    def _undefined_values(self) -> Iterator[Problem]:
        params = self.compiled.checked.params
        for node in self.nodes:
            for port, value in params[node.name].items():
                yield from warn_of_undefined(value, self.table, port, node.name)


def warn_of_events_ahead(table: EventTable) -> Iterator[Problem]:
    """A file knows no arrival: events that lie too far after the present, which a stream would reject."""
    declared, now = table.declaration, time.time_ns() // 1_000
    ahead = select_ahead(table.table["time"].to_numpy(), declared, now)
    if not len(ahead) or declared.allowed_ahead is None:
        return
    rows = table.table.select(["key", "time"]).take(pa.array(ahead[:MAX_EXAMPLES])).to_pylist()
    named = [f"{format_value(row['key'])} at {format_instant(row['time'])}" for row in rows]
    more = ", …" if len(ahead) > MAX_EXAMPLES else ""
    events = "1 event lies" if len(ahead) == 1 else f"{len(ahead):,} events lie"
    message = (
        f"{events} more than {spell_duration(declared.allowed_ahead)} after now: {', '.join(named)}{more}"
    )
    hint = "set the clock of its sender right: a stream rejects it; or declare a longer allowed_ahead"
    yield make_warning(CODE, message, hint, stream=declared.name, field=declared.time)


def _select_unmet(conditions: Mapping[str, Predicate], table: EventTable) -> dict[str, Predicate]:
    """Return those conditions, by text, that no event of a table meets."""
    unmet = dict(conditions)
    first = min(_FIRST_ROWS, table.size)
    for start, stop in ((0, first), (first, table.size)):
        if unmet and start < stop:
            rows = table.select_rows({name for item in unmet.values() for name in item.fields}, start, stop)
            unmet = {text: value for text, value in unmet.items() if not value.matches(rows).any()}
    return unmet


def _explain(condition: Predicate, table: EventTable) -> Iterator[str]:
    """Yield what events have instead of what parts of a condition ask for that no event has."""
    for part in _split_conditions(condition):
        rows = table.select_rows(part.fields)
        if not part.matches(rows).any():
            yield _explain_part(part, rows)


def _explain_part(part: Predicate, events: LooseColumns) -> str:
    if isinstance(part, (Comparison, Membership)):
        literals = part.literals if isinstance(part, Membership) else (part.literal,)
        return f"{part.field}: {describe_values(events.fields[part.field], literals)}"
    if isinstance(part, (Relation, TextTest)):
        of = part.left if isinstance(part, Relation) else part.of
        column = select_column(events, of)
        return (
            f"{of}: {describe_values(column, part.literals) if column.present.any() else 'no event has it'}"
        )
    return f"{' '.join(part.fields)}: {'every' if isinstance(part, Missing) else 'no'} event has it"


def _split_conditions(condition: Predicate) -> tuple[Predicate, ...]:
    """Return the conditions that it joins, each once."""
    if not isinstance(condition, Junction):
        return (condition,)
    return tuple({part.text(): part for item in condition.parts for part in _split_conditions(item)}.values())


def _suggest_fields(fields: Iterable[str], names: Collection[str]) -> str:
    close = [suggestion for field in fields for suggestion in close_names(field, names, FIELD_CUTOFF)]
    if close:
        return f"did you mean {' or '.join(dict.fromkeys(close))}?"
    return f"events have {list_some(sorted(names))}" if names else "leave it out, or give events that have it"
