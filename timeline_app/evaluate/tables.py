"""All delivered events of one stream, in the columns that a plan uses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import ARRIVAL, UNTIL
from timeline_app.algebra.kinds import Ints, Labels
from timeline_app.events.columns import build_column
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.time_warnings import warn_of_times
from timeline_app.events.validate import EventBatch, Misfits
from timeline_app.landing.log import build_host_table, build_table
from timeline_app.predicates.columns import LooseColumns
from timeline_app.problems.problem import Problem, make_warning


@dataclass(frozen=True, slots=True)
class EventTable:
    """Delivered events in host columns (see `host_schema`), of these fields only; texts may be encoded.

    `texts` gives the canonical JSON texts of some rows (only copies with one id are asked for them); `names` are those
    of all fields that events have. `warnings` say what was found strange while the events were read, `notes` how
    they were decoded.
    """

    declaration: StreamDeclaration
    fields: tuple[str, ...]
    table: pa.Table
    texts: Callable[[Ints], Labels] = field(repr=False)
    mistyped: int = 0
    names: frozenset[str] = frozenset()
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def from_batch(cls, batch: EventBatch, fields: tuple[str, ...]) -> EventTable:
        """Return events that came through the door."""
        table = build_host_table(build_table(batch), batch.declaration, fields)
        texts = np.array(batch.texts, dtype=object)
        declared = batch.declaration
        misfits = warn_of_misfits(batch.misfits, declared, {*declared.fields, *fields})
        warnings = (*misfits, *warn_of_times(batch.local_times, table["time"], declared))
        paths = {name for index, name in enumerate(fields) if table[f"v{index}"].null_count < len(table)}
        names = paths | batch.field_names
        return cls(
            batch.declaration,
            fields,
            table,
            lambda rows: texts[rows],
            batch.mistyped,
            frozenset(names),
            warnings,
        )

    def says_nothing(self, field: str) -> bool:
        """Return whether no event has one of the fields."""
        return self.count_missing(field) == self.size

    def count_missing(self, field: str) -> int:
        """Return how many events do not have one of the fields."""
        return int(self.table[f"v{self.fields.index(field)}"].null_count)

    def count_values(self, field: str) -> pa.StructArray:
        """Return the different `values` of one of the fields, and their `counts`."""
        column = self.table[f"v{self.fields.index(field)}"].drop_null()
        counted = pc.value_counts(column)
        values = counted.field("values")
        decoded = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        return pa.StructArray.from_arrays([decoded, counted.field("counts")], ["values", "counts"])

    def select_rows(self, fields: Collection[str], start: int = 0, stop: int | None = None) -> LooseColumns:
        """Return some of the fields of the events from one place to another, as conditions read them."""
        rows = self.table.slice(start, None if stop is None else stop - start)
        kind_of = self.declaration.kind_of
        columns = {name: build_column(rows[f"v{self.fields.index(name)}"], kind_of(name)) for name in fields}
        return LooseColumns(columns, len(rows), rows["time"].to_numpy())

    @property
    def size(self) -> int:
        """How many events."""
        return int(self.table.num_rows)

    @property
    def last(self) -> int | None:
        """The greatest event time."""
        number: int | None = pc.max(self.table["time"]).as_py()
        return number


def build_table_of_landed(
    landed: pa.Table, declaration: StreamDeclaration, fields: tuple[str, ...]
) -> EventTable:
    """Return the table of landed events, without checking their names or other oddities."""
    texts: pa.ChunkedArray = landed["text"]
    host = build_host_table(landed, declaration, fields)
    read = lambda rows: np.array(texts.take(pa.array(rows)).to_pylist(), dtype=object)  # noqa: E731
    return EventTable(declaration, fields, host, read)


def warn_of_misfits(
    misfits: Misfits, declaration: StreamDeclaration, fields: Collection[str]
) -> Iterator[Problem]:
    """A warning for each of the fields that has values that do not fit its type, and for rows without a span."""
    for name in sorted(misfits.counts.keys() & {*fields, UNTIL}):
        count, kind = misfits.counts[name], declaration.kind_of(name).value
        examples = ", ".join(f"line {line} {text}" for line, text in misfits.examples.get(name, ()))
        more = ", …" if count > len(misfits.examples.get(name, ())) else ""
        if name == UNTIL:
            yield _warn_of_spanless(count, f"{examples}{more}", declaration)
            continue
        values = f"{count:,} values" if count > 1 else "1 value"
        message = f"{values} of field {name!r} not of type {kind}, taken as missing: {examples}{more}"
        hint = f"correct the values, or declare {name!r} as what they are"
        if any(text in ("an object", "a list") for _, text in misfits.examples.get(name, ())):
            hint = f"name what lies inside {name!r} by its path, such as {name}.state or {name}[0]"
        yield make_warning("mistyped", message, hint, stream=declaration.name, field=name)


def _warn_of_spanless(count: int, examples: str, declaration: StreamDeclaration) -> Problem:
    name = declaration.until
    rows = (
        f"{count:,} rows end no later than they begin" if count > 1 else "1 row ends no later than it begins"
    )
    message = f"{rows}: left out, as no event: {name!r} {examples}"
    return make_warning("until_before_time", message, "correct the end", stream=declaration.name, field=name)


NO_ARRIVAL_HINT = (
    f"give them the field {ARRIVAL} (microseconds since the epoch), or run the plan: the door writes it down"
)


def find_missing_arrivals(
    tables: Mapping[str, EventTable], fields: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Return by stream the problem of nodes that use the arrival of events that have none."""
    return {
        name: f"the plan asks when the events of {name!r} arrived, and none of them says it"
        for name, item in tables.items()
        if ARRIVAL in fields.get(name, ()) and item.size and item.says_nothing(ARRIVAL)
    }
