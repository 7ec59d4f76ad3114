"""Stores the values of groups in the same state as those of keys: a second state would cost each batch a commit."""

from __future__ import annotations

from dataclasses import dataclass

from workers.spark.state.pages import MapState, StateKey


@dataclass(frozen=True, slots=True)
class SumsState:
    """A state that holds the groups alone."""

    state: MapState

    def getValue(self, key: StateKey) -> tuple[bytes] | None:
        """Return the value of a key."""
        return self.state.getValue(_mark_key(key))

    def updateValue(self, key: StateKey, value: tuple[bytes]) -> None:
        """Set the value of a key."""
        self.state.updateValue(_mark_key(key), value)

    def removeKey(self, key: StateKey) -> None:
        """Remove the value of a key."""
        self.state.removeKey(_mark_key(key))


def _mark_key(key: StateKey) -> StateKey:
    kind, name, number = key
    return f"sums {kind}", name, number
