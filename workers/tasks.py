"""The tasks: a few lines each; what they do lies in the supervisor."""

from __future__ import annotations

from celery import shared_task

from timeline_app.web.alerts import incident_retention
from timeline_app.web.core import idempotency_keys
from timeline_app.web.core.leases import lease
from timeline_app.web.core.log_context import log_facts
from timeline_app.web.nodes import feed_compaction, feed_pruning, log_compaction, log_retention, removed_nodes
from timeline_app.web.people import logins, token_services
from timeline_app.web.streams import idle_streams, landing_compaction
from timeline_app.web.workspace import ended_rights, trash_purge, unused_nodes
from workers.engine import launcher, supervisor, warming


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def supervise() -> None:
    """Reconcile what is wanted with what is; sent by beat every two seconds, and whenever a plan changes.

    Says of streams without events that time passes, too: a message of its own costs more than that.
    """
    try:
        _beat_idle_streams()
    finally:
        for name in supervisor.reconcile():
            launch.delay(name)


def _beat_idle_streams() -> None:
    with lease("idle", 30) as acquired:
        if acquired:
            idle_streams.release_held_back()
            idle_streams.advance_idle_streams()


@shared_task  # type: ignore[untyped-decorator]
def launch(name: str) -> None:
    """Start the Spark query of that name, which the supervisor has claimed."""
    with log_facts(query=name):
        launcher.launch(name)


@shared_task  # type: ignore[untyped-decorator]
def warm_up() -> None:
    """Let a new Spark server do once what it will have to do; sent by beat every five seconds."""
    with lease("warm_up", 120) as acquired:
        if acquired:
            warming.warm_up()


@shared_task  # type: ignore[untyped-decorator]
def end_lost_rights() -> None:
    """End what goes on by a right that was taken in whichever way; sent by beat every ten seconds."""
    with lease("rights", 60) as acquired:
        if acquired:
            ended_rights.end_lost_rights()


@shared_task  # type: ignore[untyped-decorator]
def compact() -> None:
    """Compact the revision log, and forget what has expired; sent by beat every ten minutes."""
    with lease("compact", 600) as acquired:
        if acquired:
            token_services.delete_expired_tokens()
            idempotency_keys.delete_old_answers()
            logins.delete_old_logins()
            log_compaction.compact_log()


@shared_task  # type: ignore[untyped-decorator]
def tidy_up() -> None:
    """Remove old trash, nodes that nothing uses, old results and incidents; sent by beat every ten minutes."""
    with lease("tidy_up", 600) as acquired:
        if acquired:
            trash_purge.purge_trash()
            unused_nodes.remove_unused_nodes()
            removed_nodes.remove_leftovers()
            log_retention.remove_old_results()
            incident_retention.remove_old_incidents()


@shared_task  # type: ignore[untyped-decorator]
def compact_landings() -> None:
    """Make few large files of the many small ones in which events land; sent by beat every minute."""
    with lease("compact_landings", 600) as acquired:
        if acquired:
            landing_compaction.compact_landings()


@shared_task  # type: ignore[untyped-decorator]
def pack_feeds() -> None:
    """Make few large files of the many small ones that queries publish, and prune; sent by beat every minute."""
    with lease("pack_feeds", 1_800) as acquired:
        if acquired:
            feed_compaction.pack_feeds()
            feed_pruning.prune_feeds()
