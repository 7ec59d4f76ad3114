"""Values of Parquet, Arrow and Avro that others read differently: int96, decimals, maps in maps, unions."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timeline_app.evaluate.files import read_file
from timeline_app.events.decode import Notes
from timeline_app.events.uploads import read_whole
from timeline_app.plan import StreamDeclaration

TIMES = ["2026-08-03T10:00:00Z", "2026-08-03T10:05:00Z", "2026-08-03T10:10:00Z"]
PATHS = ("ctx.os", "ctx.more.os")
DECLARED = StreamDeclaration.from_document(
    "s", {"key": "k", "time": "at", "unit": "iso8601", "id": "id", "zone": "UTC"}
)


def write_parquet(table: pa.Table, **options: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **options)
    return buffer.getvalue()


def write_arrow(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def write_avro(fields: dict[str, Any], events: list[dict[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    named = [{"name": name, "type": kind} for name, kind in fields.items()]
    fastavro.writer(buffer, {"type": "record", "name": "e", "fields": named}, events)
    return buffer.getvalue()


def read_both(body: bytes, folder: Path, fields: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    """Key, time, id and fields of each event, as a column and as single events are read; both are the same."""
    (folder / "a").write_bytes(body)
    table = read_file(str(folder / "a"), DECLARED, fields).table
    columns = [
        table[name].to_pylist() for name in ("key", "time", "id", *(f"v{i}" for i in range(len(fields))))
    ]
    batch = read_whole(body, DECLARED, 99, Notes())
    singly = list(zip(batch.keys, batch.times, batch.ids, strict=True))
    assert [row[:3] for row in zip(*columns, strict=True)] == singly
    return list(zip(*columns, strict=True))


def test_int96_has_all_years(tmp_path: Path) -> None:
    years = [datetime(1, 1, 1), datetime(1969, 7, 20, 20, 17), datetime(9999, 12, 31, 23)]  # noqa: DTZ001
    table = pa.table({"k": ["A", "A", "B"], "at": pa.array(years, pa.timestamp("us")), "id": ["a", "b", "c"]})
    rows = read_both(write_parquet(table, use_deprecated_int96_timestamps=True), tmp_path)
    assert [row[1] for row in rows] == [-62_135_596_800_000_000, -14_182_980_000_000, 253_402_297_200_000_000]


WHOLE = pa.decimal128(38, 0)


@pytest.mark.parametrize("write", [write_parquet, write_arrow])
def test_decimals_without_a_fraction_are_whole_numbers_with_all_digits(write: Any, tmp_path: Path) -> None:
    numbers = pa.array([Decimal(2**60 + 1), Decimal(2**60 + 3), Decimal(2**64 - 1)], WHOLE)
    rows = read_both(
        write(pa.table({"k": numbers, "at": TIMES, "id": numbers, "n": numbers})), tmp_path, ("n",)
    )
    digits = ["1152921504606846977", "1152921504606846979", "18446744073709551615"]
    assert [(key, identity, value) for key, _, identity, value in rows] == [(text,) * 3 for text in digits]


def test_decimals_of_avro_keep_their_digits(tmp_path: Path) -> None:
    whole = {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 0}
    cents = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
    events = [{"k": Decimal(2**60 + 1), "at": TIMES[0], "id": "a", "n": Decimal("1.50")}]
    [row] = read_both(
        write_avro({"k": whole, "at": "string", "id": "string", "n": cents}, events), tmp_path, ("n",)
    )
    assert row[0::3] == ("1152921504606846977", "1.5")


TEXTS = pa.map_(pa.string(), pa.string())
NESTED = {
    "a map": (TEXTS, [[("os", "ios"), ("n", "1")], [("os", "x"), ("os", "web")], None], "ctx.os"),
    "maps in a map": (pa.map_(pa.string(), TEXTS), [[("more", [("os", "ios")])], [("more", [("os", "web")])], []], ""),
    "a map in a struct": (
        pa.struct([("more", TEXTS)]),
        [{"more": [("os", "ios")]}, {"more": [("os", "web")]}, None],
        "",
    ),
    "a struct in a map": (
        pa.map_(pa.string(), pa.struct([("os", pa.string())])),
        [[("more", {"os": "ios"})], [("more", {"os": "web"})], []],
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("write", [write_parquet, write_arrow])
def test_maps_are_read_by_path(name: str, write: Any, tmp_path: Path) -> None:
    kind, values, path = NESTED[name]
    table = pa.table(
        {"k": ["A", "A", "B"], "at": TIMES, "id": ["a", "b", "c"], "ctx": pa.array(values, kind)}
    )
    rows = read_both(write(table), tmp_path, (path or "ctx.more.os",))
    assert [row[3] for row in rows] == ["ios", "web", None]


OLD = {"type": "record", "name": "old", "fields": [{"name": "os", "type": "string"}]}
NEW = {
    "type": "record",
    "name": "new",
    "fields": [{"name": "os", "type": ["null", "string"]}, {"name": "v", "type": "int"}],
}


def test_unions_of_avro_are_the_values_that_they_hold(tmp_path: Path) -> None:
    kinds = {
        "k": ["string", "long"],
        "at": ["null", "string"],
        "id": ["string", "long"],
        "ctx": ["null", OLD, NEW],
    }
    events: list[dict[str, Any]] = [
        {"k": "A", "at": TIMES[0], "id": "a", "ctx": {"os": "ios"}},
        {"k": 7, "at": TIMES[1], "id": 9, "ctx": {"os": "web", "v": 2}},
        {"k": "7", "at": TIMES[2], "id": 10, "ctx": None},
    ]
    rows = read_both(write_avro(kinds, events), tmp_path, ("ctx.os",))
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("A", "a", "ios"),
        ("7", "9", "web"),
        ("7", "10", None),
    ]


def test_logical_types_of_avro(tmp_path: Path) -> None:
    kinds = {
        "k": {"type": "string", "logicalType": "uuid"},
        "at": ["null", {"type": "long", "logicalType": "timestamp-micros"}],
        "id": "string",
        "day": {"type": "int", "logicalType": "date"},
        "clock": {"type": "int", "logicalType": "time-millis"},
        "state": {"type": "enum", "name": "E", "symbols": ["on", "off"]},
        "raw": {"type": "fixed", "size": 2, "name": "F"},
    }
    moment = datetime(2026, 8, 3, 10, tzinfo=UTC)
    event = {
        "k": UUID(int=5), "at": moment, "id": "a", "day": date(2026, 8, 3), "clock": time(10), "state": "off",
        "raw": b"\xff\0",
    }  # fmt: skip
    [row] = read_both(write_avro(kinds, [event]), tmp_path, ("day", "clock", "state", "raw"))
    assert row[0] == "00000000-0000-0000-0000-000000000005"
    assert row[1] == 1_785_751_200_000_000
    assert row[3:] == ("2026-08-03", "10:00:00", "off", "ff00")
