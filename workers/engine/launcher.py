"""Launches a Spark query that the supervisor has claimed, and adopts one that already runs."""

from __future__ import annotations

import logging

from django.conf import settings
from pyspark.errors import PySparkException

from timeline_app.compiler import parse_program
from timeline_app.compiler.step import OtherOperator
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import format_url
from timeline_app.web.models import Query
from workers.engine import handover
from workers.engine.bucket_choice import choose_buckets
from workers.engine.checkpoint_repair import repair_checkpoint
from workers.engine.rebuild import rebuild
from workers.engine.status import record_end, record_failure, record_start
from workers.notify import notify_statuses
from workers.spark.checkpoint import Unreadable
from workers.spark.connect.session import (
    Failure,
    SparkAway,
    drop_session,
    get_first_line,
    get_session,
    list_active_queries,
)
from workers.spark.query import count_buckets, start_query
from workers.spark.state.pages import ForeignState

log = logging.getLogger(__name__)


def launch(name: str) -> None:
    """Start the query unless the claim is gone. Failures are counted and retried."""
    query = Query.objects.get(name=name)
    row = Query.objects.filter(pk=query.pk, claimed_until=query.claimed_until)
    if query.observed != Query.Observed.STARTING or query.claimed_until is None:
        return
    if query.desired != Query.Desired.RUNNING:
        row.update(claimed_until=None)
        return
    try:
        query_id, run_id = _start(query)
    except SparkAway as error:
        drop_session(settings.SPARK_REMOTE)
        query.claimed_until = None
        log.warning("query %s did not start: %s", name, error)
        record_start(query, error.words)
    except OtherOperator as problem:
        log.warning("query %s did not start: %s", name, problem)
        query.claimed_until = None
        record_start(query, str(problem))
    except (ForeignState, Unreadable) as problem:
        log.warning("query %s did not start: %s", name, problem)
        record_failure(query, str(problem))
        rebuild(query)
    except Exception as problem:
        foreseen = isinstance(problem, PySparkException | OSError)
        log.warning("query %s did not start: %s", name, get_first_line(problem), exc_info=not foreseen)
        drop_session(settings.SPARK_REMOTE)
        record_end(query, Failure.from_exception(problem))
    else:
        row.update(spark_query_id=query_id, spark_run_id=run_id)
    notify_statuses()


def _start(query: Query) -> tuple[str, str]:
    spark = get_session(settings.SPARK_REMOTE, format_url(settings.TIMELINE_DATA))
    running = list_active_queries(spark).get(query.name)
    if running is None:
        places, trigger = Places(settings.TIMELINE_DATA), {"processingTime": settings.TRIGGER_INTERVAL}
        repair_checkpoint(query)
        handover.record_positions(query)
        handover.begin_lineages(query)
        bucket_count = query.buckets or choose_buckets(query, places)
        try:
            running = start_query(
                spark, query.program, places, trigger, query.name, query.taken_over, bucket_count
            )
            query.buckets = count_buckets(
                parse_program(query.program), places.checkpoint(query.name), bucket_count
            )
            query.save(update_fields=["buckets"])
        except PySparkException:
            running = list_active_queries(spark).get(query.name)  # another worker may have been faster
            if running is None:
                raise
    return str(running.id), str(running.runId)
