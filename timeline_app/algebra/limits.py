"""How many points one call may make."""

from __future__ import annotations

from timeline_app.algebra.kinds import Ints

MAX_PERIOD_POINTS = 20_000_000
"""The limit of points at beginnings of periods in one call: each needs about 100 bytes."""


class TooFine(ValueError):
    """`every` is too short: the points (or values to rank) that it takes, and how many one call computes."""

    def __init__(self, count: int, limit: int, subject: str) -> None:
        super().__init__(
            f"it takes {count:,} {subject} at the multiples of `every`, and at most {limit:,} are computed at once;"
            " choose a longer one"
        )
        self.count, self.limit, self.subject = count, limit, subject


class TooManyPeriods(TooFine):
    """A timeline that changes with the calendar makes too many points."""

    def __init__(self, count: int) -> None:
        ValueError.__init__(
            self,
            f"it changes {count:,} times with the calendar, and at most {MAX_PERIOD_POINTS:,} such points are"
            " computed at once; choose longer periods, fewer keys or a shorter time",
        )
        self.count, self.limit, self.subject = count, MAX_PERIOD_POINTS, "points"


def check_points(counts: Ints) -> None:
    """Raise `TooManyPeriods` where the calendar makes more points of these counts than one call computes."""
    if (count := float(counts.sum(dtype=float))) > MAX_PERIOD_POINTS:
        raise TooManyPeriods(int(count))
