"""A store in memory, and the points at which the kit kills its user."""

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
"""The points where a query is killed, in the order in which it reaches them."""


class Killed(BaseException):
    """Ends a simulated process: everything outside a store is lost."""


class Faults:
    """Kills once, when a point is passed for the n-th time."""

    def __init__(self) -> None:
        self.point, self.left = "", 0

    def arm(self, point: str, times: int) -> None:
        """Kill at this point."""
        self.point, self.left = point, times

    def at(self, point: str) -> None:
        """Pass a point."""
        if point == self.point and self.left:
            self.left -= 1
            if not self.left:
                raise Killed(point)


class Memory:
    """A store that outlives its users."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.kept: dict[str, bytes] = {}

    def put(self, name: str, content: bytes) -> bytes:
        """Store a value once; return the stored one."""
        reading = name.startswith("read-")
        if reading:
            self.faults.at("read")
        content = self.kept.setdefault(name, content)
        if reading:
            self.faults.at("noted")
        return content

    def get(self, name: str) -> bytes | None:
        """Return a value."""
        return self.kept.get(name)

    def write(self, name: str, content: bytes) -> None:
        """Replace a value."""
        self.kept[name] = content

    def names(self, beginning: str) -> list[str]:
        """Return the sorted names with a prefix."""
        return sorted(name for name in self.kept if name.startswith(beginning))

    def remove(self, names: Iterable[str]) -> None:
        """Remove names."""
        for name in list(names):
            self.kept.pop(name, None)
