"""Times in expressions: the event's own, and fields that hold one. Two times are subtracted or compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from timeline_app.algebra.events import TIME, Column
from timeline_app.algebra.kinds import SECOND, Floats, Kind, Labels
from timeline_app.predicates.columns import Fields
from timeline_app.predicates.expressions import WHOLE, Constant, Expression, KindOf, WrongKind, make_numbers
from timeline_app.predicates.tree import Predicate, spell_literal
from timeline_app.times.columns import read_column
from timeline_app.times.formats import BadFormat, compile_format
from timeline_app.times.parts import BadTime
from timeline_app.times.reader import OutOfRange, read_moment
from timeline_app.times.units import COUNTS, EARLIEST, ISO, LATEST, NANOS_PER_MICRO, SCALE
from timeline_app.times.zones import list_zones

TIME_NAME = "time"
"""Means the event's time, unless its stream has a field of that name."""


class Moment(Expression):
    """A time; its column has microseconds since the epoch, which floats keep up to the year 2255."""

    def find_kind(self, kind_of: KindOf) -> Kind:
        """Refuse: a time is no value on its own."""
        self.check_reading(kind_of)
        raise WrongKind(
            f"{self.text()} is a time, which is no value by itself",
            "subtract another time, which gives seconds, such as time - placed_at, or compare both",
        )

    def check_reading(self, kind_of: KindOf) -> None:
        """Raise `WrongKind` if it is read from values that are no times."""


@dataclass(frozen=True, slots=True)
class EventTime(Moment):
    """The time of the event."""

    def compute(self, fields: Fields) -> Column:
        """Return the event's time."""
        return Column(Kind.NUMBER, fields[TIME].value.astype(np.float64))

    def text(self) -> str:
        """Return the call."""
        return f"{TIME_NAME}()"

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield nothing."""
        return iter(())

    def reads_time(self) -> bool:
        """Return True."""
        return True


@dataclass(frozen=True, slots=True)
class TimeOf(Moment):
    """A field, or another value, read as a time in a unit or format; None: as the stream's times are written."""

    of: Expression
    unit: str | None = None
    zone: str | None = None

    def compute(self, fields: Fields) -> Column:
        """Return the times; missing where a value is no time."""
        column, unit = self.of.compute(fields), self.unit or ISO
        if column.kind is not Kind.TEXT:
            return _read_numbers(column.value, unit)
        instants = np.append(_read_labels(column.labels, unit, self.zone), np.nan)
        return Column(Kind.NUMBER, np.asarray(instants[column.value]))

    def text(self) -> str:
        """Return the call."""
        settings = [item for item in (self.unit, self.zone) if item is not None]
        return f"{TIME_NAME}({', '.join([self.of.text(), *map(spell_literal, settings)])})"

    def check_reading(self, kind_of: KindOf) -> None:
        """Accept numbers for units that count, and texts for all."""
        kind, text = self.of.find_kind(kind_of), self.of.text()
        computed = isinstance(self.of, Constant) or self.of.strength < WHOLE
        if computed and kind is not Kind.TEXT:
            hint = "compare the seconds between two times, such as time - placed_at > 5min"
            raise WrongKind(f"{text} stands beside a time, and is none", hint)
        if kind is Kind.BOOL or (kind is Kind.NUMBER and self.unit not in COUNTS):
            form = "a bool" if kind is Kind.BOOL else f"a number, and times of {self.unit} are text"
            raise WrongKind(f"{text} is {form}", f'say what it counts, such as time({text}, "ms")')

    def reads_zone(self) -> bool:
        """Return whether it or its argument names a zone."""
        return self.zone is not None or self.of.reads_zone()

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield the argument."""
        yield self.of


@dataclass(frozen=True, slots=True)
class Elapsed(Expression):
    """The seconds from the right time to the left one; negative if the left one is earlier."""

    left: Moment
    right: Moment

    def compute(self, fields: Fields) -> Column:
        """Return the seconds; missing if one of the times is."""
        return make_numbers((self.left.compute(fields).value - self.right.compute(fields).value) / SECOND)

    def text(self) -> str:
        """Return a difference."""
        return f"{self.left.text()} - {self.right.text()}"

    @property
    def strength(self) -> int:
        """The binding strength of a difference."""
        return 1

    def find_kind(self, kind_of: KindOf) -> Kind:
        """Return a number."""
        self.left.check_reading(kind_of)
        self.right.check_reading(kind_of)
        return Kind.NUMBER

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield both times."""
        yield self.left
        yield self.right


def make_time(of: Expression, *expression: Expression) -> TimeOf:
    """Build `time(field, "unit", "zone")`. Raises `ValueError` for an unknown unit or zone."""
    texts = [part.value for part in expression if isinstance(part, Constant) and isinstance(part.value, str)]
    unit, zone = [*texts, None, None][:2]
    if len(texts) < len(expression) or (unit is not None and not _is_unit(unit)):
        forms = ", ".join(map(spell_literal, (*COUNTS, ISO)))
        raise ValueError(
            f'time takes a field and how its times are written: {forms}, or a format such as "%d.%m.%Y %H:%M"'
        )
    if zone is not None and (unit in COUNTS or zone not in list_zones()):
        problem = f"{unit} counts in UTC" if unit in COUNTS else f"{spell_literal(zone)} is no zone"
        raise ValueError(f'{problem}; time takes the zone of local times, such as "Europe/Berlin"')
    return TimeOf(of, unit, None if zone == "UTC" else zone)


def _is_unit(unit: str) -> bool:
    try:
        return unit in (*COUNTS, ISO) or ("%" in unit and bool(compile_format(unit)))
    except BadFormat:
        return False


def _read_numbers(values: Floats, unit: str) -> Column:
    """Read each number as `read_count` does."""
    with np.errstate(invalid="ignore", over="ignore"):
        micros = np.floor(values / NANOS_PER_MICRO) if unit == "ns" else np.rint(values * SCALE[unit])
        inside = (micros >= EARLIEST) & (micros <= LATEST)
    return Column(Kind.NUMBER, np.where(inside, micros, np.nan))


def _read_labels(labels: Labels, unit: str, zone: str | None) -> Floats:
    """Read each different text once: all together if they are spelled as usual, else one by one."""
    if not len(labels):
        return np.empty(0)
    quick = read_column(pa.array(labels, pa.string()), unit, zone)
    if quick is None and unit in COUNTS:
        quick = read_column(pa.array(labels, pa.string()), ISO, zone)
    if quick is not None:
        return np.asarray(quick.to_numpy(), dtype=np.float64)
    return np.fromiter((_read_label(label, unit, zone) for label in labels), np.float64, len(labels))


def _read_label(label: str, unit: str, zone: str | None) -> float:
    """Read a time; NaN for other texts. A text that is no number of a unit may be ISO 8601."""
    for form in (unit, ISO) if unit in COUNTS else (unit,):
        try:
            return float(read_moment(label, form, zone))
        except (BadTime, OutOfRange):
            continue
    return float("nan")
