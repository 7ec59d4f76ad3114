"""Notifies open pages of changes of queries and nodes."""

from __future__ import annotations

from collections.abc import Mapping

from timeline_app.web.core.channel_groups import STATUSES, group_of, send_to_groups


def notify_statuses() -> None:
    """Notify pages that the status of a query changed."""
    send_to_groups((STATUSES, {"type": "status.changed"}))


def notify_nodes(versions: Mapping[str, int]) -> None:
    """Notify pages of new versions of nodes in the revision log, by digest."""
    send_to_groups(
        *(
            (group_of(digest), {"type": "node.advanced", "digest": digest, "version": version})
            for digest, version in versions.items()
        )
    )
