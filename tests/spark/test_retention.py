"""Through real Spark: what a backfill computes does not depend on how its keys are spread over buckets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from tests.spark.feeds import fold_batches, list_batches
from tests.spark.test_queries import read_events, run_all
from timeline_app.compiler import compile_plan
from timeline_app.feed.feed_rows import select_progress_rows
from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing

pytestmark = pytest.mark.spark
STREAM = {"key": "device", "time": "t", "unit": "s", "retention": "7d", "allowed_lateness": "1min"}
PLAN: dict[str, Any] = {
    "version": 1,
    "streams": {"player": STREAM},
    "nodes": {"count": {"op": "event_count", "stream": "player"}},
}
DAY, BEGIN = 86_400, 1_789_257_600
KEYS = [f"device {number}" for number in range(40)]


@pytest.mark.parametrize(("ahead", "right"), [(6, 40), (8, 0)])
def test_all_keys_of_a_backfill_count_or_none(spark: Any, tmp_path: Path, ahead: int, right: int) -> None:
    """One device went on for some days alone; a week of retention covers the others, or covers none of them."""
    compiled, places = compile_plan(PLAN, {}), Places(tmp_path)
    landing = Landing(places.landing, "player")
    landing.append(read_events(compiled, [{"device": "alone", "t": BEGIN + ahead * DAY}]))
    run_all(spark, compiled, places, parts=3)
    for number in range(2):
        events = [{"device": name, "t": BEGIN + 60 * number} for name in KEYS]
        landing.append(read_events(compiled, events))
    run_all(spark, compiled, places, parts=3)
    digest = compiled.names["count"]
    answer = list_batches(FileFeed(places.feed(digest)))
    result = fold_batches(compiled.programs[digest].kind, answer)
    assert sum(result[name][1][-1][1] == 2 for name in KEYS if name in result) == right
    lost = sum(pc.sum(select_progress_rows(rows)["too_late"]).as_py() or 0 for rows in answer)
    assert lost == 2 * (40 - right)
