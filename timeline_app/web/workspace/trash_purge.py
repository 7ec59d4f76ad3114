"""Purging the trash: items whose time is over are removed for good."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from timeline_app.fs import durable
from timeline_app.fs.paths import Place
from timeline_app.web.core import audit_writing
from timeline_app.web.models import Node, Stream
from timeline_app.web.models.terms import NodeTerm, Term
from timeline_app.web.streams.source_services import notes_folder

log = logging.getLogger(__name__)


def purge_trash(now: datetime | None = None) -> list[str]:
    """Purge due items; return their landings. A failed removal is retried later."""
    due = Stream.everything.filter(trashed_at__isnull=False, trashed_until__lte=now or timezone.now())
    return [stream.folder for stream in due.order_by("pk") if _claim(stream) and _purge(stream)]


def _claim(stream: Stream) -> bool:
    """Make a row unrestorable, also after a crash; return whether it was due."""
    due = Stream.everything.filter(pk=stream.pk, trashed_until=stream.trashed_until)
    return bool(due.filter(trashed_at__isnull=False).update(purging=True))


def _end_results(stream: Stream) -> None:
    """Let results that were computed from these events end with them."""
    terms = NodeTerm.objects.filter(kind=Term.Kind.STREAM, value=stream.name)
    nodes = Node.objects.filter(pk__in=terms.values("thing"), uses=None).only("program")
    of_it = [node.pk for node in nodes if _generation(node.program, stream.name) == stream.generation]
    Node.objects.filter(pk__in=of_it).update(unused_since=datetime.fromtimestamp(0, UTC))


def _generation(program: dict[str, Any], name: str) -> int | None:
    """Return which generation of a stream a program reads; None if it reads another node instead."""
    declared = program.get("streams", {}).get(name)
    return None if declared is None else int(declared.get("generation", 0))


def _purge(stream: Stream) -> bool:
    """Remove the files first: after a crash the row still says that they are to be removed."""
    folders: list[Place] = [settings.LANDING / stream.folder, notes_folder(stream)]
    for folder in folders:
        durable.remove_all(folder)
    if folders_left := [folder for folder in folders if folder.exists()]:
        log.warning("%s cannot be removed; it is tried again", folders_left[0])
        return False
    with transaction.atomic():
        _end_results(stream)
        audit_writing.note(user=None, act="stream.purge", thing=stream, before={"events": stream.events})
        stream.delete()
    return True
