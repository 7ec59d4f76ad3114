"""Ids: which comes after which, and that none loses a digit on its way."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.algebra.events import Texts
from timeline_app.algebra.kinds import Kind
from timeline_app.evaluate.files import read_file
from timeline_app.events.columns import build_events, sort_names
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.ids import rank_ids
from timeline_app.events.validate import BadEvents
from timeline_app.landing.log import build_host_table
from timeline_app.landing.request_body import read_batch, read_events

WHOLE = st.integers(-(10**30), 10**30) | st.integers(-20, 20)
OTHERS = st.sampled_from(["", "007", "-0", "-", "+1", "1e3", "9.5", "a", "a10", "a9", "é", "٣", "1\n"])


def sort_ids(ids: list[str], kind: Kind) -> list[str]:
    ranks = rank_ids(pa.array(ids, pa.string()), kind).tolist()
    assert sorted(ranks) == list(range(len(ids)))
    return [item for _, item in sorted(zip(ranks, ids, strict=True))]


@given(st.lists(WHOLE), st.lists(OTHERS))
def test_whole_numbers_come_by_value_and_before_all_others(whole: list[int], others: list[str]) -> None:
    ids = [*others, *map(str, whole)]
    assert sort_ids(ids, Kind.TEXT) == [*map(str, sorted(whole)), *sorted(others)]


@given(st.lists(st.integers(-(2**64), 2**64) | st.floats(-(2.0**53), 2.0**53)))
def test_ids_that_are_declared_numbers_come_by_value(ids: list[float]) -> None:
    spelled = [str(int(item)) if item == int(item) else repr(item) for item in ids]
    assert list(map(Fraction, sort_ids(spelled, Kind.NUMBER))) == sorted(map(Fraction, spelled))


def build_stream(**more: Any) -> StreamDeclaration:
    return StreamDeclaration.from_document("s", {"key": "k", "time": "t", "id": "id", **more})


def order_of_ids(
    table: pa.Table, declaration: StreamDeclaration, texts: Texts | None = None
) -> tuple[list[Any], int]:
    """The field of all events in their order, and how many copies there were."""
    events, collected = build_events(table, declaration, ("x",), sort_names(table["key"]), texts)
    return [events.fields["x"].scalar(row) for row in range(events.size)], collected.duplicates


@pytest.mark.parametrize("fields", [{}, {"id": "number"}])
@pytest.mark.parametrize(
    "ids", [[9, 10], [2**53, 2**53 + 1], [2**63, 2**63 + 1], [-10, -9], [2**64 - 2, 2**64 - 1]]
)
def test_the_greater_number_comes_last_in_every_format(
    tmp_path: Path, ids: list[int], fields: dict[str, str]
) -> None:
    declaration = build_stream(fields=fields)
    rows = [{"k": "a", "t": 1, "id": number, "x": f"{index}"} for index, number in enumerate(ids)][::-1]
    rows.append(rows[0])
    body = "\n".join(map(json.dumps, rows)).encode()
    landed = build_host_table(read_events(body, declaration), declaration, ("x",))
    assert order_of_ids(landed, declaration) == (["0", "1"], 1)
    assert read_batch(body, declaration).ids == [str(row["id"]) for row in rows]
    (tmp_path / "e.jsonl").write_bytes(body)
    cells = [",".join(map(str, row.values())) for row in rows]
    (tmp_path / "e.csv").write_text("\n".join([",".join(rows[0]), *cells]))
    column = pa.array([row["id"] for row in rows], pa.uint64() if max(ids) >= 2**63 else pa.int64())
    table = pa.Table.from_pylist(rows, pa.schema([("k", "string"), ("t", "int64"), ("x", "string")]))
    pq.write_table(table.append_column("id", column), tmp_path / "e.parquet")
    for name in ("e.jsonl", "e.csv", "e.parquet"):
        read = read_file(str(tmp_path / name), declaration, ("x",))
        assert order_of_ids(read.table, declaration, read.texts) == (["0", "1"], 1), name


@pytest.mark.parametrize("name", ["k", "id"])
@pytest.mark.parametrize("fields", [{}, {"id": "number"}])
def test_a_number_that_lost_its_digits_is_neither_key_nor_id(name: str, fields: dict[str, str]) -> None:
    event = {"k": "a", "t": 1, "id": 1, name: 2**64 + 1}
    with pytest.raises(BadEvents, match=r"more than 64 bits .* send it as text"):
        read_events(json.dumps(event).encode(), build_stream(fields=fields))
    assert read_events(json.dumps({**event, name: str(2**64 + 1)}).encode(), build_stream()).num_rows == 1
