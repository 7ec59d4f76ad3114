"""Warms up Spark: what it does for the first time takes several times as long, and somebody would wait for it.

A server that the product has started gets the plan of a demo to run once, over a few of its events, while nothing else
is wanted of it: classes are loaded and compiled, and the processes that Python is forked from are there.
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
from workers.spark.connect.session import SparkAway, forget, get_first_line, get_session
from workers.spark.query import start_query

log = logging.getLogger(__name__)
WARM = "spark.timelines.warm"
"""A setting of the session: this server was warmed up, or something was wanted of it first."""
NAME, EVENTS = "warm-up", 200
_asked: dict[str, Any] = {}
"""The session in which each server was asked last: while something is wanted, once is enough."""


def warm_up() -> Any | None:
    """Start it, once for each server; returns the query, which ends by itself, or none where there is nothing to do."""
    try:
        spark = get_session(settings.SPARK_REMOTE, format_url(settings.TIMELINE_DATA))
        wanted = _has_work()
        if wanted and _asked.get(settings.SPARK_REMOTE) is spark:
            return None
        is_cold = spark.conf.get(OWN, "") and not spark.conf.get(WARM, "")
        _asked[settings.SPARK_REMOTE] = spark
        if not is_cold:
            return None
        spark.conf.set(WARM, "1")
        if wanted:
            return None
        return start_first_plan(spark, settings.TIMELINE_LOCAL / "spark" / NAME)
    except SparkAway:
        forget(settings.SPARK_REMOTE)  # it is starting: asked again soon
    except Exception as problem:
        log.warning("Spark could not be warmed up: %s", get_first_line(problem))
    return None


def _has_work() -> bool:
    return Query.objects.filter(
        ~Q(observed=Query.Observed.STOPPED) | Q(desired=Query.Desired.RUNNING)
    ).exists()


def start_first_plan(spark: Any, folder: Path) -> Any:
    """Start the region of the first demo in an empty folder, over a few of its events; the query ends by itself."""
    demo = next(iter(load_demos().values()))
    compiled = compile_plan(next(iter(demo.examples().values())), {})
    places = Places(folder)
    _land(compiled, places)
    region = merge_programs([program for program in compiled.programs.values() if not program.feeds])
    return start_query(spark, region.to_document(), places, {"availableNow": True}, NAME, parts=1)


def _land(compiled: Compiled, places: Places) -> None:
    for stream, declaration in compiled.streams.items():
        events = [delivery.event for delivery in islice(load_demos()[stream].deliveries(seed=1), EVENTS)]
        batch = read_batch("\n".join(map(json.dumps, events)).encode(), declaration)
        Landing(places.landing, declaration.folder).append(batch)
