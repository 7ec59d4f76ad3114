"""Warms up Spark, so that no user waits for the first query, which takes several times as long.

On a server that the product started, a demo's plan runs once over a few events while nothing else is wanted. It loads
and compiles classes, and starts the processes from which Python workers are forked.
"""

from __future__ import annotations

import json
import logging
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q

from timeline_app.compiler import Compiled, compile_plan
from timeline_app.compiler.placement import merge_programs
from timeline_app.demos import load_demos
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import format_url
from timeline_app.landing.log import Landing
from timeline_app.landing.request_body import read_batch
from timeline_app.web.models import Query
from workers.spark.connect.cluster import OWN
from workers.spark.connect.session import SparkAway, drop_session, get_first_line, get_session
from workers.spark.query import start_query

log = logging.getLogger(__name__)
WARMED_UP = "spark.timelines.warm"
"""A setting of the session: the server was warmed up, or had other work first."""
QUERY_NAME, MAX_EVENTS_PER_STREAM = "warm-up", 200
_warmed_sessions: dict[str, Any] = {}
"""The session in which each server was last asked: while other work is wanted, once is enough."""


def warm_up() -> Any | None:
    """Start the warm-up, once per server. Return its query, which ends without a stop, or None where none is needed."""
    try:
        spark = get_session(settings.SPARK_REMOTE, format_url(settings.TIMELINE_DATA))
        has_work = _has_work()
        if has_work and _warmed_sessions.get(settings.SPARK_REMOTE) is spark:
            return None
        is_cold = spark.conf.get(OWN, "") and not spark.conf.get(WARMED_UP, "")
        _warmed_sessions[settings.SPARK_REMOTE] = spark
        if not is_cold:
            return None
        spark.conf.set(WARMED_UP, "1")
        if has_work:
            return None
        return start_first_plan(spark, settings.TIMELINE_LOCAL / "spark" / QUERY_NAME)
    except SparkAway:
        drop_session(settings.SPARK_REMOTE)  # the server is starting: the next round asks again
    except Exception as problem:
        log.warning("Spark could not be warmed up: %s", get_first_line(problem))
    return None


def _has_work() -> bool:
    return Query.objects.filter(
        ~Q(observed=Query.Observed.STOPPED) | Q(desired=Query.Desired.RUNNING)
    ).exists()


def start_first_plan(spark: Any, folder: Path) -> Any:
    """Start the region of the first demo in an empty folder, over a few events. The query ends without a stop."""
    demo = next(iter(load_demos().values()))
    compiled = compile_plan(next(iter(demo.examples().values())), {})
    places = Places(folder)
    _land(compiled, places)
    region = merge_programs([program for program in compiled.programs.values() if not program.feeds])
    return start_query(spark, region.to_document(), places, {"availableNow": True}, QUERY_NAME, buckets=1)


def _land(compiled: Compiled, places: Places) -> None:
    for stream, declaration in compiled.streams.items():
        events = [
            delivery.event
            for delivery in islice(load_demos()[stream].deliveries(seed=1), MAX_EVENTS_PER_STREAM)
        ]
        batch = read_batch("\n".join(map(json.dumps, events)).encode(), declaration)
        Landing(places.landing, declaration.folder).append(batch)
