"""Repairs the checkpoint of a stopped query, and records what was done."""

from __future__ import annotations

import logging

from django.conf import settings
from django.utils import timezone

from timeline_app.compiler import parse_program
from timeline_app.fs.layout import Places
from timeline_app.web.models import Query
from workers.spark.checkpoint import Checkpoint, find_newest

log = logging.getLogger(__name__)


def repair_checkpoint(query: Query) -> None:
    """Make the checkpoint readable, and record what was done. Raises `Unreadable`."""
    offsets_by_batch = {int(batch): offsets for batch, offsets in query.offsets.items()}
    program, places = parse_program(query.program), Places(settings.TIMELINE_DATA)
    checkpoint = Checkpoint(
        places, query.name, program, offsets_by_batch, query.spark_query_id, query.position
    )
    if repairs := "; ".join(checkpoint.mend()):
        log.warning("the checkpoint of %s was mended: %s", query.name, repairs)
        last = find_newest(places.checkpoint(query.name) / "offsets")
        kept_offsets = {
            batch: offsets
            for batch, offsets in offsets_by_batch.items()
            if last is not None and batch <= last
        }
        message = f"{timezone.now():%Y-%m-%d %H:%M:%S} UTC: {repairs}"
        # A recomputed batch may order its rows differently: publish all of its slices again.
        republish = {"slice_rows": 0, "slice_known_at": None}
        Query.objects.filter(pk=query.pk).update(offsets=kept_offsets, mended=message, **republish)
