"""Fills the revision log as the publisher does, in the Django of a stack.

It is given a JSON list of [digest, known_at or null, final_until or null, newest event or null, revisions, counted],
each revision [key, birth, start, end, points], counted by name of the counter; one entry is one version of its node, as
a batch of the engine would be.
"""

from __future__ import annotations

import json
from typing import Any

Entry = tuple[str, int | None, int | None, int | None, list[list[Any]], dict[str, int]]


def publish_version(entry: Entry) -> None:
    """Publish one version of a node."""
    from django.db import transaction

    from tests.web.revising import build_revisions
    from timeline_app.algebra.kinds import Kind
    from timeline_app.web.models import Node
    from timeline_app.web.nodes.revision_log import append, compute_next_known_at
    from workers.engine.alert_writer import write_alerts
    from workers.notify import notify_nodes

    digest, known_at, final_until, newest, rows, counted = entry
    with transaction.atomic():
        node = Node.objects.select_for_update().get(digest=digest)
        node.version, node.as_of = node.version + 1, known_at or compute_next_known_at(node)
        node.final_until, node.newest = final_until or node.final_until, newest or node.newest
        revisions = build_revisions(
            Kind(node.kind), [(k, birth, start, end, list(p)) for k, birth, start, end, p in rows]
        )
        append(node, node.version, node.as_of, revisions)
        for name, count in {"revisions": len(rows), **counted}.items():
            setattr(node, name, getattr(node, name) + count)
        node.save()
        write_alerts(node, revisions, node.newest, node.as_of)
    notify_nodes({node.digest: node.version})


def publish_entries(text: str) -> None:
    """Publish all of them, in their order."""
    for entry in json.loads(text):
        publish_version(entry)
