"""What an alert means: a walk over its condition, piece by piece, that remembers whether it fires."""

from __future__ import annotations

from collections.abc import Iterator

from tests.predicates.conditions import UNKNOWN, Value
from tests.referee.points import FLAT, Points, list_instants, list_pieces, normalize_points, read_at


def fires(birth: int | None, condition: Points, begins_after: int | None, ends_after: int | None) -> Points:
    """Return the spans from when the condition has held long enough until it has failed long enough."""
    points: Points = []
    firing = False
    for begin, end in list_pieces(list_instants(condition)):
        value = read_at(condition, begin)[0]
        if value is UNKNOWN:
            points.append((begin, UNKNOWN, FLAT))
            continue
        for time, state in _states(birth, begin, end, firing, bool(value), begins_after, ends_after):
            points.append((time, state, FLAT))
            firing = state is True
    return normalize_points(points)


def _states(
    birth: int | None,
    begin: int | None,
    end: float,
    firing: bool,
    wanted: bool,
    begins_after: int | None,
    ends_after: int | None,
) -> Iterator[tuple[int | None, Value]]:
    """Yield the states in a piece of the condition: as before, until the piece has lasted; counted from birth."""
    delay = begins_after if wanted else ends_after
    if firing == wanted or delay is None:
        yield begin, wanted
        return
    yield begin, firing
    if birth is not None:
        turn = (birth if begin is None else max(begin, birth)) + delay
        if turn < end:
            yield turn, wanted
