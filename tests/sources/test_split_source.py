"""What stands between a source and Spark, as far as it needs no Spark."""

from __future__ import annotations

import json
import os
import pickle
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema

from tests.sources.lines import Lines, LinesWorld
from timeline_app.sources.redis_streams import RedisStreams
from workers.spark.split_source import SplitReader, _apart, _format


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[SplitReader]:
    before = signal.getsignal(signal.SIGTERM)
    (tmp_path / "logs").mkdir()
    LinesWorld(tmp_path / "logs").send(range(20))
    told = {"most": 10, "parallelism": 2, "heartbeat": None}
    options = {
        "source": json.dumps({"path": str(tmp_path / "logs")}),
        "secrets": "{}",
        "state": str(tmp_path / "state"),
        "told": json.dumps(told),
    }
    yield SplitReader(Lines, options)
    signal.signal(signal.SIGTERM, before)


def test_a_planner_that_is_terminated_ends_and_is_closed(
    reader: SplitReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    monkeypatch.setattr(Lines, "close", lambda self: closed.append("closed"))
    assert reader.initialOffset() == {"number": 0}
    try:
        with pytest.raises(SystemExit):
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        reader.stop()
    assert closed == ["closed"]


def test_record_batches_are_as_spark_compares_them(reader: SplitReader) -> None:
    start = reader.initialOffset()
    end = reader.latestOffset(start, reader.getDefaultReadLimit())
    source = _format(Lines)(reader.options)
    schema = to_arrow_schema(source.schema(), timezone="UTC")
    tasks = [pickle.loads(pickle.dumps(task)) for task in reader.partitions(start, end)]
    batches = [batch for task in tasks for batch in reader.read(task)]
    assert all(batch.schema.equals(schema) for batch in batches)
    assert schema.field("at").type == pa.timestamp("us", "UTC")
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert [row["number"] for row in rows if row["_beat"]] == [None]
    assert len([row for row in rows if not row["_beat"]]) == 10
    assert all(row["_wm"] is not None for row in rows)


def test_what_was_read_is_not_held_open_where_it_is_sent(reader: SplitReader) -> None:
    assert pickle.loads(pickle.dumps(reader)).made is None


def test_secrets_travel_under_a_name_that_spark_does_not_show() -> None:
    given: dict[str, Any] = {"url": "redis://here", "password": "open sesame"}
    told = _apart(RedisStreams, given)
    assert "open sesame" not in told["source"]
    assert json.loads(told["secrets"]) == {"password": "open sesame"}
