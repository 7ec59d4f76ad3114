"""A timeline: what a node says of a key, at every instant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from typing import TYPE_CHECKING, Any

from timelines.times import Time, micros, moment

if TYPE_CHECKING:
    import pandas
    from plotly.graph_objects import Figure

Value = bool | str | float | None


@dataclass(frozen=True)
class Line:
    """A number that changes by `slope` a second."""

    value: float
    slope: float = 0.0

    def after(self, micros: int) -> Line:
        """The same line, seen from later."""
        return replace(self, value=self.value + self.slope * micros / 1e6) if self.slope else self

    def near(self, other: Line) -> bool:
        """Whether both are one line, but for what is lost in computing."""
        return isclose(self.value, other.value, rel_tol=1e-9, abs_tol=1e-9) and self.slope == other.slope


@dataclass(frozen=True)
class Point:
    """From `t` on (None: since ever) the timeline says `value`; None is unknown.

    Numbers change by `slope` a second. A ratio has `num` and `den` instead.
    """

    t: int | None
    value: Value = None
    slope: float | None = None
    num: Line | None = None
    den: Line | None = None

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Point:
        """As the server tells it."""
        num, den = (Line(**document[name]) if document.get(name) else None for name in ("num", "den"))
        value = document.get("value")
        if num and den:
            value = num.value / den.value if den.value else None
        return cls(document["t"], value, document.get("slope"), num, den)

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Point:
        """As a live message tells it: time, value; of numbers the slope; of ratios numerator, then denominator."""
        if len(row) < 5:
            return cls(*row)
        lines = [{"value": row[at], "slope": row[at + 1]} if row[at] is not None else None for at in (1, 3)]
        return cls.from_json({"t": row[0], "num": lines[0], "den": lines[1]})

    def at(self, t: int) -> Point:
        """The same, seen from a later instant."""
        if self.t is None:
            return replace(self, t=t)
        if self.num and self.den:
            num, den = self.num.after(t - self.t), self.den.after(t - self.t)
            return Point(t, num.value / den.value if den.value else None, None, num, den)
        if self.slope and isinstance(self.value, int | float):
            return replace(self, t=t, value=Line(self.value, self.slope).after(t - self.t).value)
        return replace(self, t=t)

    def goes_on(self, before: Point) -> bool:
        """Whether it says nothing that the one before did not say, as exactly as numbers are kept."""
        point = before.at(self.t if self.t is not None else 0)
        if self.num and self.den and point.num and point.den:
            return self.num.near(point.num) and self.den.near(point.den)
        numbers = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        if numbers and isinstance(point.value, int | float) and not isinstance(point.value, bool):
            return Line(float(self.value or 0), self.slope or 0.0).near(Line(point.value, point.slope or 0.0))
        return (type(self.value), self.value) == (type(point.value), point.value)


@dataclass(frozen=True)
class Span:
    """From `start` to `end` the timeline says this; `provisional`: late events may still change it."""

    start: int
    end: int
    first: Point
    last: Value
    provisional: bool

    @property
    def value(self) -> Value:
        """What it says, of a number at the start."""
        return self.first.value

    @property
    def seconds(self) -> float:
        """How long it is."""
        return (self.end - self.start) / 1e6


@dataclass(frozen=True)
class Timeline:
    """What a node says of a key: points in the order of time, each true until the next.

    What lies before `final_until` is final, what comes after it is provisional: late events may change it. What comes
    after `known_until` (None: the server did not say) is projected: what will be if nothing more comes.

    >>> told = [{"t": None, "value": False}, {"t": 1_000_000, "value": True}]
    >>> timeline = Timeline("d", "s1", "bool", tuple(map(Point.from_json, told)), final_until=500_000)
    >>> timeline.value_at(0), timeline.value_at(1_000_000), timeline.is_final(1_000_000)
    (False, True, False)
    """

    node: str
    key: str
    kind: str
    points: tuple[Point, ...]
    final_until: int | None = None
    as_of: int | None = None
    version: int = -1
    known_until: int | None = None

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Timeline:
        """As the server tells it."""
        names = ("node", "key", "kind", "final_until", "as_of", "version")
        read = [
            Point.from_json(point) if isinstance(point, Mapping) else Point.of_row(point)
            for point in document["points"]
        ]
        known_until = document.get("known_until")
        return cls(points=tuple(read), known_until=known_until, **{name: document[name] for name in names})

    def value_at(self, at: Time) -> Value:
        """The value at an instant; None where it is unknown."""
        point = self.point_at(micros(at))
        return point.value if point else None

    def point_at(self, at: int) -> Point | None:
        """What it says at an instant, as a point there."""
        result = None
        for point in self.points:
            if point.t is not None and point.t > at:
                break
            result = point
        return result.at(at) if result else None

    def is_final(self, at: Time) -> bool:
        """Whether no late event can change what it says there."""
        return self.final_until is not None and micros(at) < self.final_until

    def is_projected(self, at: Time) -> bool:
        """Whether nothing is known of that time yet, as far as the server said: it has not come, or was not seen."""
        return self.known_until is not None and micros(at) > self.known_until

    def spans(self, start: Time | None = None, end: Time | None = None) -> Iterator[Span]:
        """What it says from `start` to `end`, cut where it changes and where it becomes provisional."""
        low, high = self.window(start, end)
        for point, following in zip(self.points, [*self.points[1:], None], strict=True):
            begin = low if point.t is None else max(low, point.t)
            stop = high if following is None or following.t is None else min(high, following.t)
            for left, right in self._cut(begin, stop):
                yield Span(left, right, point.at(left), point.at(right).value, not self.is_final(left))

    def _cut(self, begin: int, stop: int) -> Iterator[tuple[int, int]]:
        cut = self.final_until
        if cut is not None and begin < cut < stop:
            yield from ((begin, cut), (cut, stop))
        elif begin < stop:
            yield begin, stop

    def window(self, start: Time | None = None, end: Time | None = None) -> tuple[int, int]:
        """From a little before the first change until now as the server knows it, unless said otherwise."""
        dated = [point.t for point in self.points if point.t is not None]
        marks = [*dated, *(instant for instant in (self.final_until,) if instant is not None)] or [
            self.as_of or 0
        ]
        room = max(1_000_000, (max(marks) - min(marks)) // 20)
        low = min(marks) - room if start is None else micros(start)
        return low, max(low, max(marks) + room if end is None else micros(end))

    def revised(
        self, start: int | None, end: int | None, pieces: Sequence[Point], **standing: Any
    ) -> Timeline:
        """The same timeline, saying something else from `start` to `end` (None: since ever, open)."""
        before = [
            point for point in self.points if start is not None and (point.t is None or point.t < start)
        ]
        after: list[Point] = []
        if end is not None:
            end_point = self.point_at(end)
            after = [end_point] if end_point else []
            after += [point for point in self.points if point.t is not None and point.t > end]
        joined: list[Point] = []
        for point in (*before, *pieces, *after):
            if not joined or not point.goes_on(joined[-1]):
                joined.append(point)
        return replace(self, points=tuple(joined), **standing)

    def plot(self, start: Time | None = None, end: Time | None = None) -> Figure:
        """A Plotly figure: unknown is hatched, what is provisional is lighter and hatched."""
        from timelines.plot import build_figure  # noqa: PLC0415  (Plotly is there for those who want it)

        return build_figure(self, start, end)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each point: `t` (NaT: since ever), `value`, `slope`, and whether it is `final`."""
        try:
            import pandas  # noqa: PLC0415
        except ImportError as why:
            raise ImportError("to_pandas() needs pandas: pip install timelines-client[pandas]") from why
        times = [None if point.t is None else moment(point.t).isoformat() for point in self.points]
        final = [point.t is None or self.is_final(point.t) for point in self.points]
        columns = {"value": [point.value for point in self.points], "final": final}
        if self.kind == "number":
            columns["slope"] = [point.slope or 0.0 for point in self.points]
        return pandas.DataFrame(
            {"t": pandas.to_datetime(pandas.Series(times), utc=True, format="ISO8601"), **columns}
        )
