"""Converts the output of `process` to record batches that match the schema exactly."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pyarrow as pa

from timeline_app.connectors.source_contract import Given, Resume, Row, Stop
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.tracker import Tracker

ROWS_PER_BATCH = 10_000
Batches = Generator[pa.RecordBatch, None, Resume | Stop | None]


def build_batches(batch: Given, schema: pa.Schema, tracker: Tracker) -> Batches:
    """Combine rows. Raises `BrokenSourcePromise` for anything unexpected. Return what `batch` returns."""
    rows: list[Row] = []
    while True:
        try:
            portion = next(batch)
        except StopIteration as end:
            if rows:
                yield _build_batch(rows, schema)
            return _check_return(end.value)
        _require_claim(tracker)
        if isinstance(portion, pa.RecordBatch):
            if rows:
                yield _build_batch(rows, schema)
                rows = []
            if portion.num_rows:
                yield _cast_exactly(portion, schema)
            continue
        rows.append(portion)
        if len(rows) == ROWS_PER_BATCH:
            yield _build_batch(rows, schema)
            rows = []


def _require_claim(tracker: Tracker) -> None:
    if tracker.refused:
        raise BrokenSourcePromise(
            "claims", "a row was given after a refusal; return when try_claim says False"
        )
    if not tracker.claims:
        raise BrokenSourcePromise(
            "claims", "a row was given before anything was claimed; ask try_claim first"
        )


def _check_return(result: Any) -> Resume | Stop | None:
    if result is None or isinstance(result, (Resume, Stop)):
        return result
    raise BrokenSourcePromise(
        "return", f"process returned {result!r}; it returns resume(seconds), stop() or nothing"
    )


def _build_batch(rows: list[Row], schema: pa.Schema) -> pa.RecordBatch:
    wrong_row = next(
        (row for row in rows if not isinstance(row, (tuple, list)) or len(row) != len(schema)), None
    )
    if wrong_row is not None:
        names = ", ".join(schema.names)
        raise BrokenSourcePromise(
            "schema", f"{wrong_row!r} is no row; a row is a tuple of {len(schema)} values: {names}"
        )
    try:
        columns = [
            pa.array(values, column.type)
            for values, column in zip(zip(*rows, strict=True), schema, strict=True)
        ]
        return _refuse_nulls(pa.RecordBatch.from_arrays(columns, schema=schema), schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as why:
        raise BrokenSourcePromise("schema", f"{_find_wrong_value(rows, schema)}: {why}") from None


def _find_wrong_value(rows: list[Row], schema: pa.Schema) -> str:
    """Describe the first value that does not fit."""
    for row in rows:
        for value, column in zip(row, schema, strict=True):
            try:
                pa.array([value], column.type)
            except pa.ArrowException:
                return f"{value!r} does not fit the column {column.name!r} ({column.type})"
    return "a value does not fit its column"


def _cast_exactly(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if batch.schema.names != schema.names or batch.schema.types != schema.types:
        columns = ", ".join(f"{field.name} {field.type}" for field in batch.schema)
        declared_columns = ", ".join(f"{field.name} {field.type}" for field in schema)
        raise BrokenSourcePromise(
            "schema", f"a record batch has the columns {columns}; the schema says {declared_columns}"
        )
    return _refuse_nulls(pa.RecordBatch.from_arrays(batch.columns, schema=schema), schema)


def _refuse_nulls(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    for column, values in zip(schema, batch.columns, strict=True):
        if not column.nullable and values.null_count:
            raise BrokenSourcePromise(
                "schema", f"the column {column.name!r} has no value in a row, and the schema says it has"
            )
    return batch
