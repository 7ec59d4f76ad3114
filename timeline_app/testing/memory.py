"""Spark's MapState without Spark."""

from __future__ import annotations

from workers.spark.state.pages import StateKey


class Memory(dict[StateKey, bytes]):
    """A dict as Spark's MapState."""

    def getValue(self, key: StateKey) -> tuple[bytes] | None:  # noqa: N802 (Spark's name)
        """Return a value, None where there is none."""
        value = self.get(key)
        return None if value is None else (value,)

    def updateValue(self, key: StateKey, value: tuple[bytes]) -> None:  # noqa: N802 (Spark's name)
        """Keep a value."""
        self[key] = value[0]

    def removeKey(self, key: StateKey) -> None:  # noqa: N802 (Spark's name)
        """Forget a value."""
        self.pop(key, None)
