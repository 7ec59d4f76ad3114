"""Buckets: where rows go, and that Spark puts each bucket where it is wanted."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.feed.packets import unpack_packet_rows
from timeline_app.events.columns import hash_texts
from workers.spark.buckets import hash_like_spark, list_labels, split_into_buckets

ROWS = pa.schema([("hash", pa.int64()), ("key", pa.string()), ("n", pa.int64())])


def build_key_table(*names: str | None) -> pa.Table:
    """A row for each key."""
    return pa.table({"key": pa.array(names, pa.string()), "n": pa.array(range(len(names)), pa.int64())})


@pytest.mark.parametrize(("number", "known"), [(0, 933_211_791), (1, -559_580_957), (2, 1_765_031_574)])
def test_sparks_hash_is_known(number: int, known: int) -> None:
    assert hash_like_spark(number) == known


@pytest.mark.parametrize("buckets", [1, 2, 3, 8, 200])
def test_every_bucket_has_a_partition_of_its_own(buckets: int) -> None:
    assert [hash_like_spark(label) % buckets for label in list_labels(buckets)] == list(range(buckets))


def test_every_key_goes_to_one_bucket_and_marks_go_to_all() -> None:
    names = [f"key-{number}" for number in range(100)]
    batches = [*split_into_buckets(build_key_table(*names, None), "key", 3)]
    assert [set(batch["bucket"].to_pylist()) for batch in batches] == [{label} for label in list_labels(3)]
    items = [unpack_packet_rows(pa.Table.from_batches([batch]), ROWS) for batch in batches]
    assert sorted(pc.drop_null(pa.concat_tables(items)["key"]).to_pylist()) == sorted(names)
    assert [part["key"].null_count for part in items] == [1, 1, 1]
    assert min(len(part) for part in items) > 20


def test_a_key_has_the_same_hash_in_any_company() -> None:
    alone = hash_texts(build_key_table("é", "b")["key"]).tolist()
    among = hash_texts(pa.chunked_array([["x", "b"], [None, "é", "b"]])).tolist()
    assert [among[3], among[1], among[4], among[2]] == [*alone, alone[1], 0]


def test_nothing_is_sent_of_nothing() -> None:
    assert sum(len(batch) for batch in split_into_buckets(build_key_table(), "key")) == 0


@pytest.mark.spark
@pytest.mark.parametrize("buckets", [2, 7])
def test_spark_puts_each_label_into_the_partition_of_its_place(spark: Any, buckets: int) -> None:
    rows = spark.createDataFrame([(label,) for label in list_labels(buckets)], "label int")
    result = rows.selectExpr("label", f"pmod(hash(label), {buckets}) as place").collect()
    assert {row.label: row.place for row in result} == dict(
        zip(list_labels(buckets), range(buckets), strict=True)
    )
