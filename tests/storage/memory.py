"""Spark's MapState without Spark."""

from __future__ import annotations


class Memory(dict[int, bytes]):
    """A dict as Spark's MapState."""

    def getValue(self, key: tuple[int]) -> tuple[bytes] | None:  # noqa: N802 (Spark's name)
        found = self.get(key[0])
        return None if found is None else (found,)

    def updateValue(self, key: tuple[int], value: tuple[bytes]) -> None:  # noqa: N802 (Spark's name)
        self[key[0]] = value[0]
