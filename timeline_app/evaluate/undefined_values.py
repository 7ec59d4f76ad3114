"""Values that nodes compute of events, or read of them, and do not get: undefined, or of another type."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import ARRIVAL, UNTIL
from timeline_app.algebra.kinds import Kind
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.declaration import split_key
from timeline_app.events.nested import read_paths
from timeline_app.events.paths import is_path
from timeline_app.events.validate import MAX_EXAMPLES, format_value
from timeline_app.predicates.choice import leaves_out
from timeline_app.predicates.expressions import Expression, select_column, walk
from timeline_app.predicates.moments import TimeOf
from timeline_app.predicates.relations import list_expressions
from timeline_app.problems.problem import Problem, make_warning
from timeline_app.times.units import ISO


def warn_of_undefined(
    value: object, table: EventTable, port: str, node: str | None = None, subject: str = ""
) -> Iterator[Problem]:
    """Warn of undefined values of a computed parameter whose fields are all there.

    `subject` describes the events of the table, such as "newest ".
    """
    for expression in list_expressions(value):
        if leaves_out(expression):
            continue
        rows = table.select_rows(set(expression.field_names()))
        present = np.logical_and.reduce([column.present for column in rows.fields.values()], initial=True)
        count = np.count_nonzero(present & ~select_column(rows, expression).present)
        if count:
            events = f"{count:,} of {subject and 'the '}{subject}{table.size:,} events"
            message = f"{expression} is not defined for {events}, and missing there"
            hint = _suggest(expression)
            stream = table.declaration.name
            yield make_warning("undefined_value", message, hint, node=node, port=port, stream=stream)


def _suggest(expression: Expression) -> str:
    moment = next((part for part in walk(expression) if isinstance(part, TimeOf)), None)
    if moment is None:
        return "is something divided by zero, or too large? choose with if(condition, a, b)"
    other = "%d.%m.%Y %H:%M" if moment.unit == ISO else ISO
    return f'is it no time of {moment.unit}? say how it is written, such as time({moment.of}, "{other}")'


def warn_of_other_types(landed: pa.Table, table: EventTable) -> Iterator[Problem]:
    """Values of landed events that are not of the type that is read: they came while another one was declared."""
    declared = table.declaration
    unreal = {*split_key(declared.key), *declared.time_fields, ARRIVAL, UNTIL, *declared.always_read}
    for name in table.fields:
        kind = declared.kind_of(name)
        if kind is Kind.TEXT or name in unreal or not table.count_missing(name):
            continue
        texts = _read_texts(landed, name)
        is_mistyped = pc.and_(texts.is_valid(), table.table[f"v{table.fields.index(name)}"].is_null())
        if count := pc.sum(is_mistyped).as_py():
            values = f"{count:,} values" if count > 1 else "1 value"
            examples = _show(landed, texts, is_mistyped)
            message = f"{values} of field {name!r} not of type {kind.value}, taken as missing: {examples}"
            hint = f"correct the values, or declare {name!r} as what they are and run the plan again"
            yield make_warning("mistyped", message, hint, stream=declared.name, field=name)


def _read_texts(landed: pa.Table, name: str) -> pa.ChunkedArray:
    """Return the values of a field as the log has them."""
    texts = pc.map_lookup(landed["fields"], pa.scalar(name), "last")
    if not is_path(name):
        return texts
    inside = read_paths(landed["fields"], [name], lambda _: Kind.TEXT)[name]
    return pc.if_else(texts.is_valid(), texts, inside)


def _show(landed: pa.Table, texts: pa.ChunkedArray, is_mistyped: pa.ChunkedArray) -> str:
    mistyped = pa.table({"key": landed["key"], "text": texts}).filter(is_mistyped)
    rows = mistyped.slice(0, MAX_EXAMPLES).to_pylist()
    examples = ", ".join(f"key {row['key']} {format_value(row['text'])}" for row in rows)
    return f"{examples}{', …' if len(mistyped) > len(rows) else ''}"
