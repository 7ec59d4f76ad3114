"""The sockets that are open in this process."""

from __future__ import annotations

from typing import Any

_open: dict[int, Any] = {}
KINDS = ("node", "ranking", "status", "company")


def count_opened(socket: Any) -> None:
    """A page has come."""
    _open[id(socket)] = socket


def count_closed(socket: Any) -> None:
    """It has gone."""
    _open.pop(id(socket), None)


def count() -> int:
    """How many are open."""
    return len(_open)


def select_sockets(person: int) -> list[Any]:
    """Those of a person, by the person's number."""
    return [socket for socket in list(_open.values()) if socket.user.pk == person]


def count_of(person: int) -> int:
    """How many a person has open in this process."""
    return len(select_sockets(person))


def count_subscriptions_of_person(person: int) -> int:
    """What all pages of a person follow together."""
    return sum(
        len(socket.subscriptions)
        + len(socket.watches)
        + len(socket.company.attended)
        + (socket.coming is not None)
        for socket in select_sockets(person)
    )


def collect_rankings(person: int) -> set[tuple[str, int | None]]:
    """The nodes and instants of which a person's pages follow a ranking."""
    kept = (
        subscription
        for socket in select_sockets(person)
        for subscription in [*socket.subscriptions.values(), socket.coming]
    )
    return {(item.node, item.at) for item in kept if hasattr(item, "top")}


def count_subscriptions() -> dict[str, int]:
    """What their pages follow, by kind: keys of nodes, rankings, the status of plans, who else is on them."""
    counts = dict.fromkeys(KINDS, 0)
    for socket in list(_open.values()):
        kept = list(socket.subscriptions.values())
        rankings = sum(hasattr(item, "top") for item in kept)
        counts["node"] += len(kept) - rankings
        counts["ranking"] += rankings
        counts["status"] += len(socket.watches)
        counts["company"] += len(socket.company.attended)
    return counts
