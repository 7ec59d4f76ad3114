"""Launching the Spark query of a node: claimed by the supervisor, adopted if it is there already."""

from __future__ import annotations

import logging

from django.conf import settings
from pyspark.errors import PySparkException

from timeline_app.storage.places import Places
from timeline_app.web.models import Query
from workers.announce import statuses_changed
from workers.spark.query import start_query
from workers.spark.session import SparkAway, active, first_line, forget, session
from workers.supervisor import failed, observe

log = logging.getLogger(__name__)


def launch(name: str) -> None:
    """Start the query, unless it is no longer claimed for that; a failure is counted and tried again."""
    query = Query.objects.get(name=name)
    if query.observed != Query.Observed.STARTING or query.desired != Query.Desired.RUNNING:
        return
    try:
        running = _start(query)
    except SparkAway as away:
        forget(settings.SPARK_REMOTE)
        observe(query, Query.Observed.RETRYING, f"waiting for the Spark server: {away}")
    except PySparkException as problem:
        log.warning("query %s did not start: %s", name, first_line(problem))
        forget(settings.SPARK_REMOTE)
        failed(query, first_line(problem))
    else:
        query.spark_query_id, query.spark_run_id = running
        observe(query, Query.Observed.STARTING, "starting")
    statuses_changed()


def _start(query: Query) -> tuple[str, str]:
    spark = session(settings.SPARK_REMOTE, str(settings.TIMELINE_DATA))
    running = active(spark).get(query.name)
    if running is None:
        places, trigger = Places(settings.TIMELINE_DATA), {"processingTime": settings.TRIGGER}
        try:
            running = start_query(spark, query.program, places, trigger)
        except PySparkException:
            running = active(spark).get(query.name)  # another worker may have been quicker
            if running is None:
                raise
    return str(running.id), str(running.runId)
