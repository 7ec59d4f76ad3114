"""`make bench-formats`: measure the rows per second of each format, beside pyarrow, DuckDB and Polars.

All read the same columns of the same events into memory. Every run is a process of its own, on one core; the product
also reads times, keys and ids as a plan needs them, finds repeated names and counts values of wrong types.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

import fastavro
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet as pq
import zstandard

from benchmarks.evaluate import ONE_CORE
from benchmarks.events import USED, print_progress, write_events
from benchmarks.peers.table import write

ROWS, RUNS = 300_000, 3
PAGE = Path(__file__).parents[1] / "docs" / "formats.md"
BEGIN = "<!-- measured by make bench-formats -->"
COLUMNS = [*USED, "event_id"]
Reader = Callable[[Path], int]


def _write_lines(table: pa.Table, file: IO[bytes]) -> None:
    for row in table.to_pylist():
        file.write(
            json.dumps({name: value for name, value in row.items() if value is not None}).encode() + b"\n"
        )


def _write_array(table: pa.Table, path: Path) -> None:
    rows = [{name: value for name, value in row.items() if value is not None} for row in table.to_pylist()]
    path.write_text(json.dumps(rows))


def _write_semicolons(table: pa.Table, path: Path) -> None:
    options = pa.csv.WriteOptions(delimiter=";", quoting_style="none")
    pa.csv.write_csv(table, path, options)


def _write_avro(table: pa.Table, path: Path) -> None:
    types = [
        {"name": name, "type": ["null", "long" if name == "t" else "string"]} for name in table.column_names
    ]
    schema = fastavro.parse_schema({"type": "record", "name": "event", "fields": types})
    with path.open("wb") as file:
        fastavro.writer(file, schema, table.to_pylist(), codec="deflate")


def _write_arrow(table: pa.Table, path: Path) -> None:
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=1 << 16)


def _write_to(opened: Callable[..., Any]) -> Callable[[pa.Table, Path], None]:
    def write_lines(table: pa.Table, path: Path) -> None:
        with opened(path) as file:
            _write_lines(table, file)

    return write_lines


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "jsonl": _write_to(partial(open, mode="wb")),
    "json": _write_array,
    "jsonl.gz": _write_to(partial(gzip.open, mode="wb", compresslevel=6)),
    "jsonl.zst": _write_to(partial(zstandard.open, mode="wb")),
    "jsonl.bz2": _write_to(partial(bz2.open, mode="wb")),
    "csv": pa.csv.write_csv,
    "semicolons.csv": _write_semicolons,
    "parquet": pq.write_table,
    "arrow": _write_arrow,
    "avro": _write_avro,
}
TITLES = {
    "jsonl": "JSON lines", "json": "JSON array", "jsonl.gz": "JSON lines, gzip", "jsonl.zst": "JSON lines, zstd",
    "jsonl.bz2": "JSON lines, bz2", "csv": "CSV", "semicolons.csv": "CSV, semicolons", "parquet": "Parquet",
    "arrow": "Arrow IPC", "avro": "Avro",
}  # fmt: skip


def read_by_product(path: Path) -> int:
    """Read as `manage.py evaluate` does."""
    from timeline_app.evaluate.files import read_file  # noqa: PLC0415 (after the core was chosen)
    from timeline_app.events.declaration import StreamDeclaration  # noqa: PLC0415

    document = {"key": "session_id", "time": "t", "unit": "ms", "id": "event_id"}
    return read_file(str(path), StreamDeclaration.from_document("player", document), tuple(USED[2:])).size


def read_by_pyarrow(path: Path) -> int:
    """Read with pyarrow, which cannot read JSON arrays and Avro."""
    suffix = "".join(path.suffixes[:1])
    if ".jsonl" in path.suffixes:
        source = pa.input_stream(path, compression="detect")
        return int(pa.json.read_json(source, pa.json.ReadOptions(use_threads=False)).num_rows)
    if path.suffix == ".csv":
        parse = pa.csv.ParseOptions(delimiter=";" if suffix == ".semicolons" else ",")
        convert = pa.csv.ConvertOptions(include_columns=COLUMNS)
        options = pa.csv.ReadOptions(use_threads=False)
        return int(pa.csv.read_csv(path, options, parse, convert).num_rows)
    if suffix == ".arrow":
        with pa.OSFile(str(path)) as file:
            return int(pa.ipc.open_file(file).read_all().num_rows)
    return int(pq.read_table(path, columns=COLUMNS, use_threads=False).num_rows)


def read_by_duckdb(path: Path) -> int:
    """Read with DuckDB, which guesses the types of JSON and CSV."""
    import duckdb  # noqa: PLC0415 (comes with benchmarks/requirements.txt)

    call = (
        "read_parquet" if path.suffix == ".parquet" else "read_csv" if path.suffix == ".csv" else "read_json"
    )
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(f"create table events as select {', '.join(COLUMNS)} from {call}('{path}')")
    return int(connection.execute("select count(*) from events").fetchall()[0][0])


def read_by_polars(path: Path) -> int:
    import polars  # noqa: PLC0415 (comes with benchmarks/requirements.txt)

    if path.suffix == ".csv":
        separator = ";" if ".semicolons" in path.suffixes else ","
        return int(polars.read_csv(path, separator=separator, columns=COLUMNS).height)
    if path.suffix == ".parquet":
        return int(polars.read_parquet(path, columns=COLUMNS).height)
    if path.suffix == ".arrow":
        return int(polars.read_ipc(path, columns=COLUMNS).height)
    if path.suffix == ".avro":
        return int(polars.read_avro(path, columns=COLUMNS).height)
    return int((polars.read_json if path.suffix == ".json" else polars.read_ndjson)(path).height)


READERS: dict[str, tuple[Reader, frozenset[str]]] = {
    "product": (read_by_product, frozenset(WRITERS)),
    "pyarrow": (read_by_pyarrow, frozenset(WRITERS) - {"json", "avro"}),
    "duckdb": (read_by_duckdb, frozenset(WRITERS) - {"arrow", "avro", "jsonl.bz2"}),
    "polars": (read_by_polars, frozenset(WRITERS) - {"jsonl.gz", "jsonl.zst", "jsonl.bz2"}),
}
"""The readers, and the formats of each."""


def run_child(reader: str, path: Path, small_file: Path) -> dict[str, float]:
    """Read once in this process, after a few rows that load the libraries; return seconds and rows."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    pa.set_cpu_count(1)
    read, _ = READERS[reader]
    read(small_file)
    started, spent = time.perf_counter(), time.process_time()
    rows = read(path)
    return {"wall": time.perf_counter() - started, "cpu": time.process_time() - spent, "rows": rows}


def _run(reader: str, path: Path, small_file: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.formats", "--child", reader, str(path), str(small_file)]
    process = subprocess.run(command, capture_output=True, env=os.environ | ONE_CORE, check=False)
    if process.returncode:
        raise SystemExit(f"{reader} of {path.name}: {process.stderr.decode()}")
    result: dict[str, float] = json.loads(process.stdout)
    return result


def measure(folder: Path, rows: int, runs: int) -> dict[str, dict[str, int]]:
    """Return rows per second and core by format and reader; exit if readers disagree on the number of rows."""
    sizes = {}
    for name, size in (("few", 1_000), ("events", rows)):
        write_events(folder / "made.parquet", size)
        table = pq.read_table(folder / "made.parquet")
        sizes[name] = table.num_rows
        for suffix, write_file in WRITERS.items():
            write_file(table, folder / f"{name}.{suffix}")
    return {suffix: dict(_measure_rates(folder, suffix, sizes["events"], runs)) for suffix in WRITERS}


def _measure_rates(folder: Path, suffix: str, rows: int, runs: int) -> Iterator[tuple[str, int]]:
    path, small_file = folder / f"events.{suffix}", folder / f"few.{suffix}"
    for reader, (_, formats) in READERS.items():
        if suffix in formats:
            items = [_run(reader, path, small_file) for _ in range(runs)]
            if {item["rows"] for item in items} != {rows}:
                raise SystemExit(f"{reader} reads {items} of {rows} rows of {path.name}")
            rate = rows / statistics.median(item["cpu"] for item in items)
            print_progress(f"{TITLES[suffix]}: {reader} {rate:,.0f} rows/s")
            yield reader, round(rate)


def format_table(result: Mapping[str, Mapping[str, int]]) -> str:
    """Return a Markdown table in thousands of rows per second."""
    head = "| 1,000 rows/s of a core | timelines | pyarrow | DuckDB | Polars |\n| --- | ---: | ---: | ---: | ---: |\n"
    lines = (
        f"| {TITLES[suffix]} | {' | '.join(_format_rate(rates.get(reader)) for reader in READERS)} |\n"
        for suffix, rates in result.items()
    )
    return head + "".join(lines)


def _format_rate(rate: int | None) -> str:
    return "" if rate is None else f"{float(f'{rate / 1_000:.2g}'):,.0f}"


def main() -> None:
    """Write the files, read them, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--write", action="store_true", help="put the table into docs/formats.md")
    parser.add_argument("--child", nargs=3, metavar=("READER", "FILE", "FEW"))
    arguments = parser.parse_args()
    if arguments.child:
        reader, path, small_file = arguments.child
        print(json.dumps(run_child(reader, Path(path), Path(small_file))))
        return
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        document: dict[str, Any] = measure(Path(folder), arguments.rows, arguments.runs)
    if arguments.write:
        write(PAGE, format_table(document), BEGIN)
    print(json.dumps(document))


if __name__ == "__main__":
    main()
