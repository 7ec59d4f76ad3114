"""A key has one spelling, whatever the format of the file: rules by value, the same for CSV, JSON, Parquet and Avro."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.events.test_doors import DOORS, TEXT_DOORS, list_outcomes

T = "2026-08-03T10:00:00Z"
TEXTS = [
    "12",
    "12.0",
    "1e3",
    "007",
    " 7 ",
    "NULL",
    "null",
    "nan",
    "true",
    "True",
    "1,5",
    "Ä",
    "a b",
    "0x10",
    "-0",
    "+1",
]


def write_parquet(key: pa.Array) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"k": key, "at": pa.array([T] * len(key))}), buffer)
    return buffer.getvalue()


def write_avro(keys: list[Any], kind: Any) -> bytes:
    buffer = io.BytesIO()
    fields = [{"name": "k", "type": kind}, {"name": "at", "type": "string"}]
    fastavro.writer(
        buffer, {"type": "record", "name": "e", "fields": fields}, [{"k": key, "at": T} for key in keys]
    )
    return buffer.getvalue()


def write_csv(keys: list[str]) -> bytes:
    return ("k;at\n" + "".join(f'"{key}";{T}\n' for key in keys)).encode()


def write_lines(keys: list[Any]) -> bytes:
    return "\n".join(json.dumps({"k": key, "at": T}) for key in keys).encode()


def list_keys(body: bytes, folder: Path, doors: Any) -> list[list[Any]]:
    return [[row[0] for row in rows] for rows in list_outcomes(body, folder, doors)]


def test_texts_are_keys_as_they_stand(tmp_path: Path) -> None:
    for body in (write_csv(TEXTS), write_lines(TEXTS)):
        assert list_keys(body, tmp_path, TEXT_DOORS) == [TEXTS] * len(TEXT_DOORS)
    for body in (write_parquet(pa.array(TEXTS)), write_avro(TEXTS, "string")):
        assert list_keys(body, tmp_path, DOORS) == [TEXTS] * len(DOORS)


def test_whole_numbers_are_their_digits(tmp_path: Path) -> None:
    numbers = [12, 0, -7, 2**53 + 1]
    expected = [str(number) for number in numbers]
    assert list_keys(write_lines(numbers), tmp_path, TEXT_DOORS) == [expected] * len(TEXT_DOORS)
    for body in (
        write_parquet(pa.array(numbers)),
        write_avro(numbers, "long"),
        write_avro(numbers, ["null", "long"]),
    ):
        assert list_keys(body, tmp_path, DOORS) == [expected] * len(DOORS)


def test_floats_are_their_json(tmp_path: Path) -> None:
    numbers, expected = [12.0, 1000.0, 0.5], ["12.0", "1000.0", "0.5"]
    assert list_keys(write_lines(numbers), tmp_path, TEXT_DOORS) == [expected] * len(TEXT_DOORS)
    for body in (write_parquet(pa.array(numbers)), write_avro(numbers, "double")):
        assert list_keys(body, tmp_path, DOORS) == [expected] * len(DOORS)


@pytest.mark.parametrize("key", ["", None, True])
def test_no_key_and_a_bool_are_refused(key: Any, tmp_path: Path) -> None:
    bodies = [write_lines(["A", key])]
    if isinstance(key, str):
        bodies.append(write_csv(["A", key]))
    for body in bodies:
        for outcome in list_outcomes(body, tmp_path, TEXT_DOORS):
            assert "the key 'k' " in outcome[0][1]
    kind = pa.bool_() if key is True else pa.string()
    for outcome in list_outcomes(write_parquet(pa.array([key], kind)), tmp_path, DOORS):
        assert "the key 'k' " in outcome[0][1]
