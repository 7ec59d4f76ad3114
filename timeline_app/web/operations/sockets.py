"""The sockets that are open in this process."""

from __future__ import annotations

from typing import Any

_open: dict[int, Any] = {}
KINDS = ("node", "ranking", "status", "company")


def opened(socket: Any) -> None:
    """A page has come."""
    _open[id(socket)] = socket


def closed(socket: Any) -> None:
    """It has gone."""
    _open.pop(id(socket), None)


def count() -> int:
    """How many are open."""
    return len(_open)


def subscriptions() -> dict[str, int]:
    """What their pages follow, by kind: keys of nodes, rankings, the status of plans, who else is on them."""
    found = dict.fromkeys(KINDS, 0)
    for socket in list(_open.values()):
        kept = list(socket.subscriptions.values())
        rankings = sum(hasattr(one, "top") for one in kept)
        found["node"] += len(kept) - rankings
        found["ranking"] += rankings
        found["status"] += len(socket.watches)
        found["company"] += len(socket.company.attended)
    return found
