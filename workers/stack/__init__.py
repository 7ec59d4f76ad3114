"""The whole product on one machine: every process, started, watched, restarted and stopped together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.stack.stack import Stack as Stack

__all__ = ["Stack"]


def __getattr__(name: str) -> Any:
    """`Stack`, when it is asked for: images that start each process by themselves have no supervisord to import."""
    if name != "Stack":
        raise AttributeError(name)
    from workers.stack.stack import Stack  # noqa: PLC0415

    return Stack
