"""Packets: what goes in comes out, whatever a column says, in as many of them as it takes."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.feed import packets

KINDS = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1) | st.just(0),
    pa.int8(): st.integers(-1, 1),
    pa.float64(): st.none() | st.floats(allow_nan=False),
    pa.string(): st.none() | st.text(max_size=5),
    pa.bool_(): st.none() | st.booleans(),
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Rows of some columns, some of which say nothing."""
    size = draw(st.integers(0, 12))
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=6))
    columns = {}
    for index, kind in enumerate(kinds):
        empty = packets.build_empty_column(size, kind).to_pylist()
        values = st.lists(KINDS[kind], min_size=size, max_size=size)
        columns[f"c{index}"] = pa.array(draw(st.just(empty) | values), kind)
    return pa.table(columns)


@given(tables(), st.integers(1, 15))
def test_rows_come_out_as_they_went_in(rows: pa.Table, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packets, "MAX_ROWS_PER_PACKET", most)
        parts = [*packets.pack_rows(rows)]
    assert all(0 < count <= most for count, _ in parts)
    assert packets.unpack_rows(parts, rows.schema).equals(rows)


def test_a_column_that_says_nothing_costs_nothing() -> None:
    rows = pa.table(
        {"zeros": pa.nulls(1_000, pa.int64()).fill_null(0), "nulls": pa.nulls(1_000, pa.string())}
    )
    ((count, data),) = packets.pack_rows(rows)
    assert (count, pa.ipc.open_stream(data).read_all().column_names) == (1_000, [])


def test_what_a_packet_does_not_have_says_nothing() -> None:
    sent = pa.table({"a": pa.array([1, 2], pa.int64())})
    schema = pa.schema([("a", pa.int64()), ("n", pa.int32()), ("t", pa.string())])
    result = packets.unpack_rows(packets.pack_rows(sent), schema)
    assert result.to_pylist() == [{"a": 1, "n": 0, "t": None}, {"a": 2, "n": 0, "t": None}]


def test_a_whole_number_that_is_missing_stays_missing() -> None:
    rows = pa.table({"n": pa.array([0, None], pa.int64())})
    assert packets.unpack_rows(packets.pack_rows(rows), rows.schema)["n"].to_pylist() == [0, None]
