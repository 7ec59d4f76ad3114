"""A store in memory, and the places at which whoever uses it dies."""

from __future__ import annotations

from collections.abc import Iterable

POINTS = {
    "planned": "after a batch was planned, before its offset was written",
    "offset": "after the offset was written, before anything was read",
    "row": "in the middle of reading",
    "read": "after reading, before that was noted",
    "noted": "after reading was noted, before anybody had the rows",
    "published": "after the rows were published, before the batch was committed",
    "committed": "after the batch was committed, before it was acknowledged",
    "acknowledged": "in the middle of acknowledging",
}
"""Where a query is killed, in the order in which it comes there."""


class Killed(BaseException):
    """Everything that is not in a store is gone."""


class Faults:
    """Kills once, when a point is passed for the n-th time."""

    def __init__(self) -> None:
        self.point, self.left = "", 0

    def arm(self, point: str, times: int) -> None:
        """Kill there."""
        self.point, self.left = point, times

    def at(self, point: str) -> None:
        """A point is passed."""
        if point == self.point and self.left:
            self.left -= 1
            if not self.left:
                raise Killed(point)


class Memory:
    """A store that outlives those who use it."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.kept: dict[str, bytes] = {}

    def put(self, name: str, content: bytes) -> bytes:
        """Written once."""
        reading = name.startswith("read-")
        if reading:
            self.faults.at("read")
        content = self.kept.setdefault(name, content)
        if reading:
            self.faults.at("noted")
        return content

    def get(self, name: str) -> bytes | None:
        """What is there."""
        return self.kept.get(name)

    def write(self, name: str, content: bytes) -> None:
        """Replaced."""
        self.kept[name] = content

    def names(self, beginning: str) -> list[str]:
        """Sorted."""
        return sorted(name for name in self.kept if name.startswith(beginning))

    def remove(self, names: Iterable[str]) -> None:
        """Gone."""
        for name in list(names):
            self.kept.pop(name, None)
