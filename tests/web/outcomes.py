"""What the door answers of a request."""

from __future__ import annotations

from typing import Any


def build_outcome(taken: int, batch: int | None, **others: int) -> dict[str, Any]:
    """The answer where nothing else is said of the events."""
    counted = dict.fromkeys(("late", "too_late", "duplicates", "rejected"), 0)
    return {"taken": taken, "batch": batch, **counted, **others}
