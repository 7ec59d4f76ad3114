"""Who is compared with the product answers the same question: all give the answer of `manage.py evaluate`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchmarks.cirr import WAYS as ON_CDN
from benchmarks.events import LAST, Events
from benchmarks.peers import product
from benchmarks.peers.evaluated import build_document, evaluate_plan
from benchmarks.peers.question import Answer, describe_difference
from benchmarks.peers.run import ROOT, build_way_environment
from benchmarks.peers.ways import AT_ONCE, BY_HAND, find_way
from timeline_app.compiler import compile_plan

SIZE, SESSIONS, A_FILE = 600, 20, 250


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Events:
    new_events = Events(tmp_path_factory.mktemp("events"))
    new_events.write(SIZE, SESSIONS, A_FILE)
    return new_events


@pytest.fixture(scope="module")
def right(events: Events) -> dict[str, int]:
    return map_micros_by_session(evaluate_plan(build_document(), events.whole, LAST))


def map_micros_by_session(answer: Answer | None) -> dict[str, int]:
    assert answer is not None
    sessions, micros = answer
    return dict(zip(sessions, micros.tolist(), strict=True))


def test_the_events_give_something_to_compare(events: Events, right: dict[str, int]) -> None:
    assert sum(events.count_by_file()) == events.size
    assert len(events.count_by_file()) > 2
    assert len(right) == SESSIONS
    assert len(set(right.values())) > SESSIONS / 2
    table = pq.read_table(events.whole)
    assert set(table["cdn"].drop_null().to_pylist()) == {"CDN1", "CDN2", "CDN3"}


@pytest.mark.deep
@pytest.mark.parametrize("name", [*AT_ONCE, "bytewax", "bytewax_durable"])
def test_who_needs_no_spark_gives_the_right_answer(
    name: str, events: Events, right: dict[str, int], tmp_path: Path
) -> None:
    answer = find_way(name)(events, LAST, tmp_path)
    assert describe_difference(right, map_micros_by_session(answer.answer)) == ""
    assert [batch.rows for batch in answer.queries[0]] == [events.size]


@pytest.mark.deep
@pytest.mark.parametrize("name", list(ON_CDN))
def test_the_ways_of_evaluate_agree_on_one_cdn(name: str, events: Events, right: dict[str, int]) -> None:
    on_cdn = map_micros_by_session(evaluate_plan(build_document(cdn="CDN1"), events.whole, LAST))
    assert describe_difference(on_cdn, map_micros_by_session(ON_CDN[name](events.whole, LAST))) == ""
    assert 0 < sum(on_cdn.values()) < sum(right.values())


@pytest.mark.spark
def test_the_product_tells_the_right_answer_in_its_feed(
    spark: Any, events: Events, right: dict[str, int], tmp_path: Path
) -> None:
    compiled = compile_plan(build_document(), {})
    assert len(compiled.programs) == 8
    answer = product.run_programs(
        spark, product.place_together(compiled), compiled.names["cirr"], events, LAST, tmp_path
    )
    assert describe_difference(right, map_micros_by_session(answer.answer)) == ""
    assert all(sum(batch.rows for batch in batches) == events.size for batches in answer.queries)


BY_HAND_IN_ONE = """
import json, sys
from pathlib import Path
from benchmarks.events import Events
from benchmarks.peers import spark_streams
from benchmarks.peers.spark_batch import answer
from benchmarks.peers.spark_session import open_spark_session
from benchmarks.peers.spark_streams import BY_HAND, answer_in_session, run_shuffle

spark_streams.ROWS_A_BATCH = 1  # a file in each
folder, work, last = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
events = Events(folder)
with open_spark_session(work) as spark:
    found = {name: answer_in_session(name, spark, events, last, work / name) for name in BY_HAND}
    nothing = run_shuffle(spark, events, work / "noop")
    sessions, micros = answer(spark, events.whole, last)
answers = {name: dict(zip(told.answer[0], told.answer[1].tolist())) for name, told in found.items()}
rows = {name: [batch.rows for batch in told.queries[0]] for name, told in {**found, "noop": nothing}.items()}
print(json.dumps({"answers": {**answers, "batch": dict(zip(sessions, micros.tolist()))}, "rows": rows}))
"""


@pytest.mark.spark
@pytest.mark.long
def test_what_is_written_by_hand_for_spark_gives_the_right_answer(
    events: Events, right: dict[str, int], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", BY_HAND_IN_ONE, str(events.folder), str(tmp_path), str(LAST)]
    process = subprocess.run(command, cwd=ROOT, env=build_way_environment(), capture_output=True, check=False)
    assert process.returncode == 0, process.stderr.decode()[-3_000:]
    document = json.loads(process.stdout.splitlines()[-1])
    assert document["answers"].keys() == {*BY_HAND, "batch"}
    assert {
        name: describe_difference(right, answer)
        for name, answer in document["answers"].items()
        if answer != right
    } == {}
    assert document["rows"] == dict.fromkeys([*BY_HAND, "noop"], events.count_by_file())
