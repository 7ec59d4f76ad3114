"""Why a node says what it says of a key at an instant: what an operator is asked, and what it answers.

Every operator declares a function `why` in its own file. It is given a `Question` (its own moment, its parameters, and
a look at its inputs) and gives a `Reason`: one sentence, the inputs concerned, the boundary events that made it so,
and what would end it. Times are microseconds since the epoch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from timeline_app.algebra.fold import Point, move_point
from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.operators.words import format_names, format_value, mark_instant
from timeline_app.predicates import Expression, Predicate


@dataclass(frozen=True, slots=True)
class Seen:
    """One key's whole timeline at a node: its points, its birth (None: never born), and up to when it is final."""

    kind: Kind
    points: Sequence[Point]
    birth: int | None
    final_until: int | None


def evaluate_point(kind: Kind, point: Point, at: int) -> Any:
    """Return what a piece says at an instant; None is unknown, a ratio is divided out."""
    point_at = move_point(kind, point, at)
    if kind is not Kind.RATIO or point_at[1] is None:
        return point_at[1]
    return point_at[1] / point_at[3] if point_at[3] else None


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of a node for a key at an instant."""

    node: str
    key: str
    at: int
    seen: Seen
    place: int

    @classmethod
    def build(cls, node: str, key: str, at: int, seen: Seen) -> Moment:
        """Find the piece that holds at the instant."""
        index = bisect_right(seen.points, at, key=lambda point: BEGINNING if point[0] is None else point[0])
        return cls(node, key, at, seen, max(index - 1, 0))

    @property
    def value(self) -> Any:
        """The value; None is unknown, a ratio is divided out."""
        return self._value(self.place, self.at)

    @property
    def since(self) -> int | None:
        """Where the piece begins; None is unbounded."""
        time: int | None = self.seen.points[self.place][0]
        return time

    @property
    def until(self) -> int | None:
        """Where the piece ends, as far as known; None is open."""
        following = self.seen.points[self.place + 1 : self.place + 2]
        return following[0][0] if following else None

    @property
    def before(self) -> Any:
        """The final value of the previous piece; None where there is none."""
        return self._value(self.place - 1, self.since) if self.place and self.since is not None else None

    @property
    def after(self) -> Any:
        """The first value of the next piece; None where there is none."""
        return None if self.until is None else self._value(self.place + 1, self.until)

    @property
    def slope(self) -> float:
        """How much a number changes in a second; 0 for everything else, and for a ratio, which is no line."""
        return float(self.seen.points[self.place][2]) if self.seen.kind is Kind.NUMBER else 0.0

    @property
    def moves(self) -> bool:
        """Whether the value changes within the piece."""
        return self.value is not None and any(self.seen.points[self.place][2::2])

    @property
    def birth(self) -> int:
        """When the key was born; ask `born` first."""
        assert self.seen.birth is not None
        return self.seen.birth

    @property
    def born(self) -> bool:
        """Whether the key had had an event by then."""
        return self.seen.birth is not None and self.seen.birth <= self.at

    @property
    def begun(self) -> int:
        """Where the piece begins, but not before birth: since then it has lasted."""
        return self.birth if self.since is None else max(self.since, self.birth)

    def pieces_since_birth(self) -> Iterator[tuple[int, Point]]:
        """Yield the pieces that end after birth, each with where it begins, birth at the earliest."""
        points = self.seen.points
        for index, point in enumerate(points):
            if index + 1 == len(points) or points[index + 1][0] > self.birth:
                yield self.birth if point[0] is None else max(point[0], self.birth), point

    def within(self, duration: int) -> list[tuple[int, Any]]:
        """Return the values during the last `duration`, since birth: by piece, the last such instant and value."""
        points, pieces = self.seen.points, []
        for index, point in enumerate(points[: self.place + 1]):
            begin = self.birth if point[0] is None else max(point[0], self.birth)
            last = self.at if index == self.place else points[index + 1][0] - 1
            if begin <= last and last > self.at - duration:
                pieces.append((last, self._value(index, begin)))
        return pieces

    @property
    def last_known_before(self) -> int | None:
        """The last instant at which an earlier piece was known; None where there is none."""
        points = self.seen.points
        indices = (index for index in reversed(range(self.place)) if points[index][1] is not None)
        index = next(indices, None)
        return None if index is None else points[index + 1][0] - 1

    def _value(self, index: int, at: int) -> Any:
        return evaluate_point(self.seen.kind, self.seen.points[index], at)


@dataclass(frozen=True, slots=True)
class Member:
    """What a key that may count in a group has at an instant: its birth and value."""

    birth: int
    value: Any


Look = Callable[[str, str, int], Moment]
"""Returns the state of a node for a key at an instant."""
Everyone = Callable[[str, int], Mapping[str, Member] | int]
"""Returns the state of a node for every key at an instant, or the number of keys where these are too many."""


Wanted = Predicate | Expression | str | tuple["Wanted", ...] | None
"""What the wanted events have: a condition that holds, a value, or several of these; None: any event."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """An event that made it so: when it was, and which of that instant are meant.

    `wants` are conditions, fields or computed values that they have, or None for all.
    `by_rank`: of several the last counts. With `after`, all those later than that and up to `time` are meant; with
    `missed`, the first of them, which came too late for that limit. `stream` is that of the event, where the node does
    not name it.
    """

    time: int
    wants: Wanted = None
    by_rank: bool = False
    after: int | None = None
    missed: int | None = None
    stream: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence; the inputs concerned; the boundary events; what would end it. Instants in both are marked."""

    sentence: str
    because: tuple[Moment, ...] = ()
    events: tuple[Boundary, ...] = ()
    ends: str = ""


Why = Callable[["Question"], Reason]


@dataclass(frozen=True, slots=True)
class Question:
    """What an operator is asked: why does it say this of the key at the instant?

    `wires` are the names of its inputs by port; `stream` is empty where it reads none. `canonical` are its parameters
    as they are part of its identity.
    """

    op: str
    result: Moment
    params: Mapping[str, Any]
    canonical: Mapping[str, Any]
    stream: str
    wires: Mapping[str, tuple[str, ...]]
    look: Look
    everyone: Everyone

    @property
    def at(self) -> int:
        """The instant."""
        return self.result.at

    @property
    def head(self) -> str:
        """The beginning of most sentences: `and` is false."""
        return f"`{self.op}` is {format_value(self.result.value)}"

    def inputs(self, port: str = "of") -> tuple[Moment, ...]:
        """Return what the inputs of a port say, each once."""
        return tuple(
            self.look_at_input(port, index) for index in _find_first_places(self.wires.get(port, ()))
        )

    def look_at_input(
        self, port: str = "of", index: int = 0, *, at: int | None = None, key: str | None = None
    ) -> Moment:
        """Return what one input says, perhaps at another instant or of another key."""
        wire = self.wires[port][index]
        return self.look(wire, self.result.key if key is None else key, self.at if at is None else at)

    def clock(self, time: int) -> str:
        """Return an instant in words."""
        return mark_instant(time)

    def tell(self, moment: Moment) -> str:
        """`calm` is false (since 12:03:36)."""
        words = f"`{moment.node}` is {format_value(moment.value)}"
        if moment.moves:
            return f"{words} and {_describe_direction(moment)}"
        since = "ever" if moment.since is None else self.clock(moment.since)
        return f"{words} (since {since})"

    def ends(self, otherwise: str, how: str = "") -> str:
        """Return when it ends and `how`; `otherwise` where no end is known yet."""
        until = self.result.until
        if until is None:
            return otherwise
        return f"{'ended' if self.is_over(until) else 'ends'} at {self.clock(until)}{how or self._turning(until)}"

    def is_over(self, until: int | None) -> bool:
        """Return whether an end is final: no late event can move it."""
        final = self.result.seen.final_until
        return until is not None and final is not None and until <= final

    def nothing(self, matching: str) -> str:
        """No such event has come; of a leaf."""
        birth = self.result.seen.birth
        if birth is None:
            return f"no event of `{self.stream}` has arrived yet for `{self.result.key}`"
        if not self.result.born:
            first = f"the first one is of {self.clock(birth)}"
            return f"no event of `{self.stream}` had come for `{self.result.key}` by then; {first}"
        return f"no event {matching} has arrived yet for `{self.result.key}`".replace("  ", " ")

    def unborn(self, moment: Moment) -> str:
        """Say that an input's key has had no event, so that nothing counts yet."""
        birth = moment.seen.birth
        born = "has had no event yet" if birth is None else f"was born only at {self.clock(birth)}"
        return f"`{moment.key}` {born}, and nothing counts before that"

    def _turning(self, until: int) -> str:
        """Return which inputs change at an instant."""
        later = [self.look(wire, self.result.key, until) for wires in self.wires.values() for wire in wires]
        turning = {item.node: item for item in later if item.since == until}
        if not turning:
            return "" if self.is_over(until) else ", as things stand"
        if len(turning) > 1:
            return f", with changes of {format_names(turning)}"
        [item] = turning.values()
        return f", with a change of `{item.node}`" + ("" if item.moves else f" to {format_value(item.value)}")


def _find_first_places(wires: tuple[str, ...]) -> list[int]:
    return [index for index, wire in enumerate(wires) if wire not in wires[:index]]


def _describe_direction(moment: Moment) -> str:
    if moment.seen.kind is Kind.RATIO:
        return "moves"
    return "climbs" if moment.slope > 0 else "falls"
