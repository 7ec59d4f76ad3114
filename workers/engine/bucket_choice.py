"""Chooses how many buckets a new query gets: one costs half as much for each batch, two do twice as much at once."""

from __future__ import annotations

from django.conf import settings

from timeline_app.compiler import parse_program
from timeline_app.fs.layout import Places
from timeline_app.web.models import Query
from workers.engine.backlog import count_waiting
from workers.spark.buckets import BUCKETS

MAX_EVENTS_FOR_ONE_BUCKET = 1_000_000
"""One core computes so many in half a minute, or less; for more it is worth to use two."""


def choose_buckets(query: Query, places: Places) -> int:
    """The setting; without it one, or more where so many events are to be computed, also in the nodes that it reads."""
    if settings.BUCKETS is not None:
        return settings.BUCKETS
    program = parse_program(query.program)
    if not program.feeds:
        return 1 if count_waiting(program, places, []) <= MAX_EVENTS_FOR_ONE_BUCKET else BUCKETS
    above = Query.objects.filter(nodes__digest__in=program.inputs).distinct()
    return max((choose_buckets(item, places) for item in above), default=1)
