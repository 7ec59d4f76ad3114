"""Parquet files of events: every type of column says what its values would say one by one."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluate.reading import SETTINGS, STREAMS, read_by_column, read_by_event
from timeline_app.evaluate.files import read_file
from timeline_app.events.decode import parquet
from timeline_app.plan import BadEvents, StreamDeclaration


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that every file has several."""
    monkeypatch.setattr(parquet, "MAX_ROWS_PER_CHUNK", 3)


NOON = datetime(2024, 7, 1, 12, 0, 0, 7, UTC)
COLUMNS: list[tuple[pa.DataType, Sequence[Any]]] = [
    (pa.string(), ["a", "1", "2.5", "2024-07-01T08:00:00Z", "", None]),
    (pa.string(), ["1", "2", "-3"]),
    (pa.string(), ["1.5", "2.25", "-3.125"]),
    (pa.string(), ["2024-07-01T08:00:00Z", "2024-07-01 08:00:00.123+05:30"]),
    (pa.large_string(), ["a", "7", None]),
    (pa.dictionary(pa.int8(), pa.string()), ["a", "7", None]),
    (pa.dictionary(pa.int32(), pa.int64()), [7, None]),
    (pa.bool_(), [True, False, None]),
    (pa.int64(), [0, 1, -(2**63), 2**53 + 1, None]),
    (pa.uint64(), [0, 2**64 - 1, None]),
    (pa.int8(), [1, -2]),
    (pa.float64(), [0.0, -0.0, 1.5, math.nan, math.inf, 1e300, None]),
    (pa.float64(), [0.5, 1.5, 1719820800.123456]),
    (pa.float32(), [0.1, 1.5]),
    (pa.float16(), [np.float16(1.5), None]),
    (pa.decimal128(10, 2), [Decimal("2.5"), Decimal("-0.00"), None]),
    (pa.timestamp("us", "UTC"), [NOON, None]),
    (pa.timestamp("us"), [NOON.replace(tzinfo=None)]),
    (pa.timestamp("ns", "Europe/Berlin"), [NOON]),
    (pa.timestamp("ns"), [-1, 1_500]),
    (pa.timestamp("ms"), [datetime(1969, 12, 31, 23, 59, 59, 999_000)]),  # noqa: DTZ001
    (pa.timestamp("s"), [datetime(1, 1, 1), datetime(9999, 12, 31)]),  # noqa: DTZ001
    (pa.date32(), [date(2024, 7, 1), date(1, 1, 1), None]),
    (pa.date64(), [date(2024, 7, 1)]),
    (pa.time64("us"), [NOON.time(), None]),
    (pa.duration("ms"), [timedelta(1)]),
    (pa.binary(), [b"\xff", None]),
    (pa.binary(), [b"a", b"\xc3\xa4", b"7"]),
    (pa.binary(2), [b"\xff\0", b"ab", None]),
    (pa.large_binary(), [b"a", None]),
    (pa.string_view(), ["a", "7", None]),
    (pa.uuid(), [b"0123456789abcdef", None]),
    (pa.decimal256(50, 3), [Decimal("7.125"), None]),
    (pa.dictionary(pa.int8(), pa.float64()), [7.5, None]),
    (pa.large_list(pa.string()), [["a"], None]),
    (pa.map_(pa.string(), pa.int64()), [[("a", 1)], None]),
    (pa.binary_view(), [b"\xff", None]),
    (pa.list_(pa.int64()), [[1], None]),
    (pa.struct([("y", pa.int64())]), [{"y": 1}, None]),
    (pa.null(), [None]),
]  # fmt: skip


def draw_columns(size: int, *places: int) -> st.SearchStrategy[pa.Array]:
    """A column of any type, or of one of those at some places."""

    def some(kind: tuple[pa.DataType, Sequence[Any]]) -> st.SearchStrategy[pa.Array]:
        values = st.lists(st.sampled_from(kind[1]), min_size=size, max_size=size)
        return values.map(lambda drawn: pa.array(drawn, kind[0]))

    return st.sampled_from([COLUMNS[place] for place in places] or COLUMNS).flatmap(some)


@st.composite
def parquet_tables(draw: st.DrawFn) -> tuple[StreamDeclaration, pa.Table]:
    stream, size = draw(st.sampled_from(STREAMS)), draw(st.integers(0, 8))
    times = (3, 17, 18, 19, 20, 21) if stream.unit == "iso8601" else (1, 2, 10, 12, 13)
    keys = st.lists(st.sampled_from("abc"), min_size=size, max_size=size).map(
        lambda drawn: pa.array(drawn, pa.string())
    )
    bad = draw(st.integers(0, 2)) == 0
    made = {
        "k": draw(draw_columns(size) if bad else keys),
        "t": draw(draw_columns(size) if bad else draw_columns(size, *times)),
        **{
            name: draw(draw_columns(size))
            for name in draw(st.sets(st.sampled_from(["id", "n", "on", "x", "z"])))
        },
    }
    return stream, pa.table({name: made[name] for name in draw(st.permutations(list(made)))})


@pytest.mark.deep
@pytest.mark.parametrize("stream", STREAMS, ids=range(len(STREAMS)))
def test_every_type_of_column_holds_fields_keys_and_times(tmp_path: Path, stream: StreamDeclaration) -> None:
    path = tmp_path / "e.parquet"
    moment = "2024-07-01T08:00:00Z" if stream.unit == "iso8601" else "7"
    for kind, values in COLUMNS:
        size, column = len(values), pa.array(values, kind)
        usual = {"k": ["a"] * size, "t": [moment] * size}
        fields = dict.fromkeys(("id", "n", "on", "x"), column)
        for table in ({**usual, **fields}, {**usual, "k": column}, {**usual, "t": column}):
            pq.write_table(pa.table(table), path)
            assert read_by_column(path, stream) == read_by_event(enumerate(read_rows(path), 1), stream)
        for value in values if None in values else ():
            pq.write_table(pa.table({"k": pa.array([value], kind), "t": [moment]}), path)
            assert read_by_column(path, stream) == read_by_event(enumerate(read_rows(path), 1), stream)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows as JSON has them."""
    rows = pq.read_table(path).to_pylist(maps_as_pydicts="lossy")
    return [{name: convert_to_json(value) for name, value in row.items()} for row in rows]


@pytest.mark.deep
@settings(SETTINGS, max_examples=300)
@given(case=parquet_tables())
def test_parquet_is_read_as_its_rows_would_be(
    tmp_path: Path, case: tuple[StreamDeclaration, pa.Table]
) -> None:
    stream, table = case
    path = tmp_path / "e.parquet"
    pq.write_table(table, path, row_group_size=4)
    assert read_by_column(path, stream) == read_by_event(enumerate(read_rows(path), 1), stream)


def convert_to_json(value: Any) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, bytes):
        return value.hex() if b"\xff" in value else value.decode()
    if isinstance(value, uuid.UUID):
        return str(value)
    return value.isoformat() if isinstance(value, (date, time)) else value


@pytest.mark.parametrize(
    ("kind", "late"), [(pa.timestamp("us"), 10**18), (pa.timestamp("s", "UTC"), 10**15), (pa.date32(), 10**9)]
)
def test_a_moment_after_the_year_9999_is_refused_as_a_time_and_told_as_a_field(
    tmp_path: Path, kind: pa.DataType, late: int
) -> None:
    [stream, *_] = [item for item in STREAMS if item.unit == "iso8601"]
    path = tmp_path / "e.parquet"
    moments = pa.array([1, late], pa.int32() if pa.types.is_date(kind) else pa.int64()).cast(kind)
    pq.write_table(pa.table({"k": ["a", "b"], "t": moments}), path)
    with pytest.raises(BadEvents, match=r"line 2: the time '\d+ \w+\[.*\]' does not parse"):
        read_file(str(path), stream, ())
    pq.write_table(pa.table({"k": ["a", "b"], "t": ["2024-07-01"] * 2, "x": moments}), path)
    assert read_file(str(path), stream, ("x",)).size == 2
