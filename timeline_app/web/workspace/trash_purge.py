"""Emptying the trash: what lay there for as long as it was said is removed for good."""

from __future__ import annotations

import logging
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from timeline_app.fs import durable
from timeline_app.fs.paths import Place
from timeline_app.web.core import audit_writing
from timeline_app.web.models import Stream
from timeline_app.web.streams.source_services import notes_folder

log = logging.getLogger(__name__)


def purge_trash(now: datetime | None = None) -> list[str]:
    """Remove for good what is due; the landings that are gone. One that cannot be removed is tried again."""
    due = Stream.everything.filter(trashed_at__isnull=False, trashed_until__lte=now or timezone.now())
    return [stream.folder for stream in due.order_by("pk") if _claim(stream) and _purge(stream)]


def _claim(stream: Stream) -> bool:
    """From here on it cannot be restored, also after a kill."""
    due = Stream.everything.filter(pk=stream.pk, trashed_until=stream.trashed_until)
    return bool(due.filter(trashed_at__isnull=False).update(purging=True))


def _purge(stream: Stream) -> bool:
    """Its files first: after a kill in between the row tells that they are to be removed."""
    folders: list[Place] = [settings.LANDING / stream.folder, notes_folder(stream)]
    for folder in folders:
        durable.remove_all(folder)
    if left := [folder for folder in folders if folder.exists()]:
        log.warning("%s cannot be removed; it is tried again", left[0])
        return False
    with transaction.atomic():
        audit_writing.note(user=None, act="stream.purge", thing=stream, before={"events": stream.events})
        stream.delete()
    return True
