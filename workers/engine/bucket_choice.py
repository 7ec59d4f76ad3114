"""Chooses the number of buckets of a new query: one bucket costs half as much per batch, two use two cores."""

from __future__ import annotations

from django.conf import settings

from timeline_app.compiler import parse_program
from timeline_app.fs.layout import Places
from timeline_app.web.models import Query
from workers.engine.backlog import count_waiting
from workers.spark.buckets import BUCKETS

MAX_EVENTS_FOR_ONE_BUCKET = 1_000_000
"""One core computes this many in half a minute or less; beyond that a second core pays off."""


def choose_buckets(query: Query, places: Places) -> int:
    """Return the setting; without one, 1, or more where the query or its inputs have a large backlog."""
    if settings.BUCKETS is not None:
        return settings.BUCKETS
    program = parse_program(query.program)
    if not program.feeds:
        return 1 if count_waiting(program, places, []) <= MAX_EVENTS_FOR_ONE_BUCKET else BUCKETS
    above = Query.objects.filter(nodes__digest__in=program.inputs).distinct()
    return max((choose_buckets(item, places) for item in above), default=1)
