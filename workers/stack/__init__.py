"""The whole product on one machine: starts, watches, restarts and stops every process together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.stack.stack import Stack as Stack

__all__ = ["Stack"]


def __getattr__(name: str) -> Any:
    """Import `Stack` on first use: container images that run one process have no supervisord to import."""
    if name != "Stack":
        raise AttributeError(name)
    from workers.stack.stack import Stack  # noqa: PLC0415

    return Stack
