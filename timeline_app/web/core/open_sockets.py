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


def of_person(person: int) -> list[Any]:
    """Those of a person, by the person's number."""
    return [socket for socket in list(_open.values()) if socket.user.pk == person]


def count_of(person: int) -> int:
    """How many a person has open in this process."""
    return len(of_person(person))


def subscriptions_of(person: int) -> int:
    """What all pages of a person follow together."""
    return sum(
        len(one.subscriptions) + len(one.watches) + len(one.company.attended) + (one.coming is not None)
        for one in of_person(person)
    )


def rankings_of(person: int) -> set[tuple[str, int | None]]:
    """The nodes and instants of which a person's pages follow a ranking."""
    kept = (one for socket in of_person(person) for one in [*socket.subscriptions.values(), socket.coming])
    return {(one.node, one.at) for one in kept if hasattr(one, "top")}


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
