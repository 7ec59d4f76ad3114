"""The open sockets of this process."""

from __future__ import annotations

from typing import Any

Caller = int | str
"""Whose sockets count together: the number of a person, or a public link."""
_open: dict[int, Any] = {}
KINDS = ("node", "ranking", "status", "presence")


def count_opened(socket: Any) -> None:
    _open[id(socket)] = socket


def count_closed(socket: Any) -> None:
    _open.pop(id(socket), None)


def count() -> int:
    return len(_open)


def select_sockets(caller: Caller) -> list[Any]:
    """Return the sockets of a person or a public link."""
    return [socket for socket in list(_open.values()) if socket.caller == caller]


def count_of(caller: Caller) -> int:
    """Return how many sockets a person or a public link has open in this process."""
    return len(select_sockets(caller))


def count_subscriptions_of(caller: Caller) -> int:
    """Return how many subscriptions all pages of a person or a public link have."""
    return sum(
        len(socket.subscriptions)
        + len(socket.watches)
        + len(socket.presence.plans)
        + (socket.reserved is not None)
        for socket in select_sockets(caller)
    )


def collect_rankings(caller: Caller) -> set[tuple[str, int | None]]:
    """Return the nodes and instants whose ranking the pages of a person or a public link follow."""
    subscriptions = (
        subscription
        for socket in select_sockets(caller)
        for subscription in [*socket.subscriptions.values(), socket.reserved]
    )
    return {(item.node, item.at) for item in subscriptions if hasattr(item, "top")}


def count_subscriptions() -> dict[str, int]:
    """Return subscriptions by kind: keys of nodes, rankings, the status of plans, presence on them."""
    counts = dict.fromkeys(KINDS, 0)
    for socket in list(_open.values()):
        subscriptions = list(socket.subscriptions.values())
        rankings = sum(hasattr(item, "top") for item in subscriptions)
        counts["node"] += len(subscriptions) - rankings
        counts["ranking"] += rankings
        counts["status"] += len(socket.watches)
        counts["presence"] += len(socket.presence.plans)
    return counts
