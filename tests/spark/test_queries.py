"""Through real Spark: whatever the order of arrival, the cuts, the copies and the restarts, the evaluator's answer."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pyspark.errors import StreamingQueryException

from tests.spark.feeds import fold_batches, fold_timelines, list_batches
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.feed import segments
from timeline_app.feed.feed_rows import select_progress_rows
from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.landing.dedup import Receipt
from timeline_app.landing.log import Landing, build_table
from timeline_app.landing.request_body import read_batch
from timeline_app.landing.requests import Request
from timeline_app.plan import EventBatch
from workers.spark.buckets import BUCKETS
from workers.spark.connect.session import Failure
from workers.spark.query import start_query
from workers.stack import health

pytestmark = pytest.mark.spark
PLAN: dict[str, Any] = {
    "version": 1,
    "name": "CIRR, by CDN and above",
    "streams": {"player": {"key": "session_id", "time": "t", "id": "event_id", "allowed_lateness": "30s"}},
    "nodes": {
        "played": {"op": "has_existed", "stream": "player", "params": {"where": 'player_state == "play"'}},
        "seeking": {
            "op": "has_existed_within",
            "stream": "player",
            "params": {"where": 'user_action == "seek"', "duration": "5s"},
        },
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
        "state": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "player_state"}},
        "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
        "cdn": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "cdn"}},
        "induced": {"op": "and", "inputs": {"of": ["played", "calm", "buffering"]}},
        "cirr": {"op": "duration_where", "inputs": {"of": "induced"}},
        "cirr_by_cdn": {
            "op": "aggregate",
            "inputs": {"of": "cirr", "by": "cdn"},
            "params": {"function": "sum"},
        },
        "buffering_now": {"op": "aggregate", "inputs": {"of": "induced"}, "params": {"function": "count"}},
        "nobody": {"op": "equal_to", "inputs": {"of": "buffering_now"}, "params": {"value": 0}},
    },
}
BEGIN = 1_719_820_800_000


def make_events(seed: int, size: int) -> list[dict[str, Any]]:
    """Sessions with late, unordered, doubled and contradicting events."""
    chance = random.Random(seed)
    kinds: list[dict[str, str]] = [
        {"player_state": "play"},
        {"player_state": "buffer"},
        {"user_action": "seek"},
        {"cdn": "CDN1"},
        {"cdn": "CDN2", "player_state": "pause"},
    ]
    events = [
        {
            "session_id": f"s{chance.randrange(size // 15)}",
            "t": BEGIN + 250 * chance.randrange(600),
            "event_id": f"e{number}",
            **chance.choice(kinds),
        }
        for number in range(size)
    ]
    copies = [dict(event) for event in chance.sample(events, size // 10)]
    conflicts = [event | {"player_state": "stop"} for event in chance.sample(events, size // 50)]
    everything = events + copies + conflicts
    chance.shuffle(everything)
    return everything


def read_events(compiled: Compiled, events: list[dict[str, Any]]) -> EventBatch:
    """The events through the door."""
    return read_batch("\n".join(map(json.dumps, events)).encode(), compiled.streams["player"])


def run_all(spark: Any, compiled: Compiled, places: Places, parts: int = BUCKETS) -> None:
    """Every query until it has read everything, several at once; feeds before those that read them."""
    for depth in sorted({_measure_depth(compiled, digest) for digest in compiled.programs}):
        level = [
            item for digest, item in compiled.programs.items() if _measure_depth(compiled, digest) == depth
        ]
        starts = [
            partial(start_query, spark, item.to_document(), places, {"availableNow": True}, buckets=parts)
            for item in level
        ]
        for start, query in [(start, start()) for start in starts]:
            _finish(query, start)


def _finish(query: Any, again: Callable[[], Any], tries: int = 3) -> None:
    """Until it has read everything. Where the machine is too busy to start its Python in time, it is started again, as
    the product does.
    """
    try:
        query.awaitTermination()
        assert query.exception() is None
    except StreamingQueryException as why:
        if not Failure.from_exception(why).of_start or tries == 1:
            raise
        _finish(again(), again, tries - 1)


def _measure_depth(compiled: Compiled, digest: str) -> int:
    return max((1 + _measure_depth(compiled, below) for below in compiled.programs[digest].inputs), default=0)


@pytest.mark.parametrize("buckets", [1, 3])
def test_every_node_ends_with_the_evaluators_answer(spark: Any, tmp_path: Path, buckets: int) -> None:
    compiled, places = compile_plan(PLAN, {}), Places(tmp_path)
    chance = random.Random()
    seed = chance.randrange(1_000_000)
    print(f"seed {seed}")  # a new one each time: shown when the test fails
    chance.seed(seed)
    events = make_events(seed, 600)
    landing = Landing(places.landing, "player")
    cuts = sorted(chance.sample(range(1, len(events)), 5))
    parts = [events[start:end] for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True)]
    for index, part in enumerate(parts):
        landing.append(read_events(compiled, part))
        if index in (2, 5):  # the second time new queries go on from the checkpoints of the old ones
            run_all(spark, compiled, places, parts=buckets if index == 2 else 5)
    assert {path.read_text() for path in places.data.glob("checkpoints/*/buckets")} == {str(buckets)}
    truth = evaluate(compiled, {"player": read_events(compiled, events)})
    for name, digest in compiled.names.items():
        published = fold_batches(compiled.programs[digest].kind, list_batches(FileFeed(places.feed(digest))))
        assert published == fold_timelines(truth[digest]), name
    assert any(len(points) > 3 for _, points in fold_timelines(truth[compiled.names["cirr"]]).values())


LONG: dict[str, Any] = {
    **PLAN,
    "nodes": {
        "state": PLAN["nodes"]["state"],
        "buffering": PLAN["nodes"]["buffering"],
        "buffered": {"op": "duration_where", "inputs": {"of": "buffering"}},
        "by_state": {
            "op": "aggregate",
            "inputs": {"of": "buffered", "by": "state"},
            "params": {"function": "sum"},
        },
    },
    "results": ["by_state"],
}


@pytest.mark.long
def test_long_keys_with_events_from_long_ago_end_with_the_evaluators_answer(
    spark: Any, tmp_path: Path
) -> None:
    """Their heads are cut in the first runs; the last one brings late events and copies that reach the tails."""
    compiled, places, chance = compile_plan(LONG, {}), Places(tmp_path), random.Random(5)
    events = [
        {
            "session_id": f"s{number % 2}",
            "t": BEGIN + 500 * number,
            "event_id": f"e{number}",
            "player_state": chance.choice(["play", "buffer", "pause"]),
        }
        for number in range(3_000)
    ]
    late = [events[place] for place in (10, 700, 701)]
    copies = [events[5], events[400] | {"player_state": "stop"}, events[900] | {"t": BEGIN + 10_000_000}]
    in_order = [event for event in events if event not in late]
    landing = Landing(places.landing, "player")
    for part in (in_order[:1_500], in_order[1_500:], [*late, *copies]):
        landing.append(read_events(compiled, part))
        run_all(spark, compiled, places)
    truth = evaluate(compiled, {"player": read_events(compiled, [*events, *copies])})
    for name, digest in compiled.names.items():
        published = fold_batches(compiled.programs[digest].kind, list_batches(FileFeed(places.feed(digest))))
        assert published == fold_timelines(truth[digest]), name
    marks = [
        select_progress_rows(table).to_pylist()
        for table in list_batches(FileFeed(places.feed(compiled.names["state"])))
    ]
    counted = [row for rows in marks for row in rows]
    assert sum(row["duplicates"] for row in counted) == len(copies)
    assert sum(row["conflicts"] for row in counted) == 2


def test_queries_go_on_when_their_feeds_are_packed_and_new_ones_read_the_packs(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "UNCOMPACTED_BATCHES", 0)
    monkeypatch.setattr(segments, "REMOVE_AFTER_S", -1.0)
    late = {"op": "aggregate", "inputs": {"of": "buffered"}, "params": {"function": "max"}}
    plans = LONG, {**LONG, "nodes": {**LONG["nodes"], "longest": late}, "results": ["by_state", "longest"]}
    compiled, more = (compile_plan(plan, {}) for plan in plans)
    places, events = Places(tmp_path), make_events(3, 600)
    landing = Landing(places.landing, "player")
    for start in range(0, 600, 300):
        landing.append(read_events(compiled, events[start : start + 300]))
        run_all(spark, compiled, places)
    for digest in compiled.programs:
        feed = FileFeed(places.feed(digest))
        held = len(list_batches(feed))
        while feed.compact(held, 2):
            pass
        assert len(list(feed.path.glob("_spark_metadata/[0-9]*"))) == held % 2
        assert len(list_batches(feed)) == held
    landing.append(read_events(more, events[600:]))
    run_all(spark, more, places)
    truth = evaluate(more, {"player": read_events(more, events)})
    for name, digest in more.names.items():
        published = fold_batches(more.programs[digest].kind, list_batches(FileFeed(places.feed(digest))))
        assert published == fold_timelines(truth[digest]), name


def test_marks_count_events_copies_and_conflicts_and_say_how_far_it_is(spark: Any, tmp_path: Path) -> None:
    compiled, places = compile_plan(PLAN, {}), Places(tmp_path)
    event = {"session_id": "s1", "t": BEGIN, "event_id": "e1", "player_state": "play"}
    late = {"session_id": "s1", "t": BEGIN - 31_000, "event_id": "e0", "player_state": "buffer"}
    landing = Landing(places.landing, "player")
    program = compiled.programs[compiled.names["state"]]
    for part in ([event, event], [late, event | {"player_state": "stop"}]):
        landing.append(read_events(compiled, part))
        start_query(spark, program.to_document(), places, {"availableNow": True}).awaitTermination()
    marks = [
        select_progress_rows(table).to_pylist()
        for table in list_batches(FileFeed(places.feed(program.digest)))
    ]
    counted = [
        {name: row[name] for name in ("events", "late", "duplicates", "conflicts")} for (row,) in marks
    ]
    assert counted == [
        {"events": 2, "late": 0, "duplicates": 1, "conflicts": 0},
        {"events": 2, "late": 1, "duplicates": 1, "conflicts": 1},
    ]
    assert [row["t"] for (row,) in marks] == [(BEGIN - 30_000) * 1000] * 2
    assert [row["source"] for (row,) in marks] == ["player", "player"]


@pytest.mark.long
def test_what_an_idle_stream_said_is_final_in_every_node_and_a_new_query_that_reads_the_log_says_the_same(
    spark: Any, tmp_path: Path
) -> None:
    compiled, places = compile_plan(LONG, {}), Places(tmp_path)
    events = make_events(4, 100)
    landing, until = Landing(places.landing, "player"), (BEGIN + 3_600_000) * 1_000
    landing.append(read_events(compiled, events[:50]))
    run_all(spark, compiled, places)
    for moment in (until - 1_000_000, until):
        landing.beat(moment)
    run_all(spark, compiled, places)
    landing.append(read_events(compiled, events[50:]))
    run_all(spark, compiled, places)
    truth = evaluate(compiled, {"player": read_events(compiled, events)})
    anew = Places(tmp_path / "anew")
    (tmp_path / "anew").mkdir()
    (tmp_path / "anew" / "landing").symlink_to(require_path(places.landing))
    run_all(spark, compiled, anew)
    for name, digest in compiled.names.items():
        for item in (list_batches(FileFeed(places.feed(digest))), list_batches(FileFeed(anew.feed(digest)))):
            assert fold_batches(compiled.programs[digest].kind, item) == fold_timelines(truth[digest]), name
            assert (
                max(row["t"] for table in item for row in select_progress_rows(table).to_pylist())
                == until - 30_000_000
            )
    (*_, last) = list_batches(FileFeed(places.feed(compiled.names["state"])))
    assert sum(row["late"] for row in select_progress_rows(last).to_pylist()) == len(events) - 50, (
        "they came after all was final"
    )


def test_a_server_answers_the_greeting_by_which_one_that_hangs_is_found(
    spark_remote: str, spark: Any
) -> None:
    assert spark.version
    port = urlsplit(spark_remote).port
    assert port is not None
    assert health.Line(port, health.TO_HTTP2)()


def test_a_query_of_the_same_name_is_refused_while_one_runs(spark: Any, tmp_path: Path) -> None:
    compiled, places = compile_plan(PLAN, {}), Places(tmp_path)
    document = compiled.programs[compiled.names["played"]].to_document()
    query = start_query(spark, document, places, {"processingTime": "1 second"})
    try:
        with pytest.raises(Exception, match="already active"):
            start_query(spark, document, places, {"processingTime": "1 second"})
        assert [item.name for item in spark.streams.active] == [query.name]
    finally:
        query.stop()


def test_what_a_source_says_of_itself_is_final_in_every_node_and_again_for_one_that_reads_it_anew(
    spark: Any, tmp_path: Path
) -> None:
    compiled, begin = compile_plan(LONG, {}), BEGIN * 1_000
    landing = Landing(tmp_path / "one" / "landing", "player")
    for number in range(3):
        events = [
            {"session_id": f"s{item}", "t": BEGIN + 60_000 * number, "event_id": f"{number} {item}"}
            for item in range(9)
        ]
        table = build_table(read_events(compiled, [event | {"player_state": "buffer"} for event in events]))
        landing.commit([Request(table, Receipt("", "", -1, "", 9), watermark=begin + number * 1_000_000)])
    assert list_final(spark, compiled, tmp_path / "one") == {begin + 2_000_000}
    landing.beat(begin + 80_000_000, holds=True)
    assert list_final(spark, compiled, tmp_path / "one") == {begin + 80_000_000}
    shutil.copytree(require_path(landing.path), tmp_path / "other" / "landing" / "player")
    assert list_final(spark, compiled, tmp_path / "other") == {begin + 80_000_000}


def list_final(spark: Any, compiled: Compiled, data: Path) -> set[int]:
    """Up to when each of its nodes is final, once all was read."""
    run_all(spark, compiled, Places(data))
    items = [list_batches(FileFeed(Places(data).feed(digest))) for digest in compiled.programs]
    return {
        max(max(select_progress_rows(rows)["t"].to_pylist(), default=0) for rows in item) for item in items
    }
