"""Waking the open pages when queries and nodes have got on."""

from __future__ import annotations

from collections.abc import Mapping

from timeline_app.web.groups import STATUSES, group_of, wake


def notify_statuses() -> None:
    """Some query's status changed."""
    wake((STATUSES, {"type": "status.changed"}))


def notify_nodes(versions: Mapping[str, int]) -> None:
    """The revision log holds a new version of these nodes: their digests, and which version."""
    wake(
        *(
            (group_of(digest), {"type": "node.advanced", "digest": digest, "version": version})
            for digest, version in versions.items()
        )
    )
