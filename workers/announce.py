"""Waking the open pages when queries and nodes have got on."""

from __future__ import annotations

from timeline_app.web.groups import STATUSES, group_of, wake


def statuses_changed() -> None:
    """Some query's status changed."""
    wake(STATUSES, {"type": "status.changed"})


def node_advanced(digest: str, version: int) -> None:
    """The revision log holds a new version of a node."""
    wake(group_of(digest), {"type": "node.advanced", "digest": digest, "version": version})
