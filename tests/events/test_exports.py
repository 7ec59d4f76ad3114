"""What other products export: right, or refused in words that name it, and every door says the same."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.events.test_doors import (
    CSV,
    DECLARED,
    DOORS,
    EVENTS,
    EXPECTED,
    LINES,
    TEXT_DOORS,
    list_outcomes,
    read_by_evaluate,
    write_table,
)
from timeline_app.evaluate.files import read_file
from timeline_app.events.decode import DecodeError
from timeline_app.events.guess.guess import guess
from timeline_app.events.guess.sample import read_sample
from timeline_app.plan import StreamDeclaration

T = "2026-08-03T10:00:00Z"
ROWS = [[event.get(name) for name in ("k", "at", "v")] for event in EVENTS]
HEAD = "".join(f"{mark},x,x,x,x,x\n" for mark in ("#group", "#datatype", "#default"))
RIGHT = {
    "annotations of InfluxDB": HEAD + CSV.replace("\n", ",\n"),
    "annotations again": CSV + HEAD.replace(",x,x,x,x,x", ",x,x,x,x") + CSV,
    "the words of Germans": CSV.replace(",True", ",J").replace(",False", ",N"),
    "the words of French": CSV.replace(",True", ",O").replace(",False", ",N"),
    "bools that pandas made floats": CSV.replace(",True", ",1.0").replace(",False", ",0.0"),
}
FOREIGN = {
    "syslog": ("<34>1 2026-08-03T10:00:00Z host app - - - hi, there\n", "This is syslog."),
    "a dump": ("-- MySQL dump 10.13\nINSERT INTO `e` VALUES ('A','2026-08-03',1);\n", "This is SQL"),
    "an insert": ("INSERT INTO e VALUES ('A', '2026-08-03', 1);\n", "This is SQL"),
    "psql": (" k | at | v \n---+----+---\n A | 1 | 2\n(1 row)\n", "a table that is drawn for people. Export it as CSV"),
    "mysql": ("+---+----+\n| k | at |\n+---+----+\n| A | 1 |\n+---+----+\n", "a table that is drawn for people"),
    "Markdown": ("| k | at |\n|---|---|\n| A | 1 |\n", "a table that is drawn for people"),
    "W3C": ("#Software: IIS\n#Fields: date time k v\n2026-08-03 10:00:00 A 1\n", "a log of the W3C form"),
    "metrics": ("# HELP up x\n# TYPE up gauge\nup 1\n", "a page of metrics for Prometheus"),
    "line protocol with texts": ('cpu,host=b msg="a b c",x=1 1785751200000000000\n', "the line protocol of InfluxDB"),
    "line protocol without times": ("cpu,host=a usage=1\n", "the line protocol of InfluxDB"),
    "a log with JSON": ("".join(f"2026-08-03 10:00 INFO {line}\n" for line in LINES.splitlines()), "behind other text"),
    "a key and a colon": ("".join(f"A:{line}\n" for line in LINES.splitlines()), "behind other text ('A:')"),
    "the syslog of BSD": ("Mar  5 14:05:00 web app[1]: a, b\nMar  5 14:05:01 web app[1]: c, d\n", "This is syslog."),
    "an access log": (
        '127.0.0.1 - ann [05/Mar/2024:14:05:00 +0100] "GET /a, b HTTP/1.0" 200 2\n' * 2,
        "This is the access log of a web server. Let the server write JSON",
    ),
    "logfmt": ('time=2024-03-05T14:05:00Z level=info msg="a, b" k=A\n' * 2, "This is logfmt"),
    "YAML": ("- k: A\n  at: 2024-03-05\n", "This is YAML."),
    "a document of YAML": ("---\nk: A\nat: 2024-03-05\n", "This is YAML."),
    "TOML": ('[[event]]\nk = "A"\nat = 2024-03-05\n', "This is a file of settings (TOML or INI)."),
    "iCalendar": ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20240305T140500Z\n", "This is a calendar"),
    "fixed width": ("KEY   AT                    V\nA     2024-03-05T14:05:00Z  1\n", "lined up by blanks"),
    "rows of pandas": (
        json.dumps({"columns": ["k", "at", "v"], "index": [0, 1, 2], "data": ROWS}),
        "rows as lists ('data') beside the names of their columns ('columns')",
    ),
    "rows of a query engine": (
        json.dumps({"columns": [{"name": name} for name in ("k", "at", "v")], "rows": ROWS}, indent=1),
        "rows as lists ('rows') beside the names of their columns ('columns')",
    ),
    "a list of lists": (json.dumps([EVENTS]), "this is a list of such; write each event as an object"),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_exports_are_the_same_rows_at_every_door(name: str, tmp_path: Path) -> None:
    for rows in list_outcomes(RIGHT[name].encode(), tmp_path, TEXT_DOORS):
        assert rows in (EXPECTED, EXPECTED * 2)


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_table_and_no_json_is_named_at_every_door(name: str, tmp_path: Path) -> None:
    text, words = FOREIGN[name]
    for outcome in list_outcomes(text.encode(), tmp_path, TEXT_DOORS):
        assert words in outcome[0][1]


@pytest.mark.parametrize("name", ["rows of pandas", "rows of a query engine", "syslog", "psql", "a dump"])
def test_what_is_named_proposes_no_stream(name: str) -> None:
    with pytest.raises(DecodeError):
        read_sample(FOREIGN[name][0].encode())


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2,25-", "-2.25"),
        ("1.234,50-", "-1234.5"),
        ("\u22122,25", "-2.25"),
        ("2,25 -", None),
        ("-2,25-", None),
    ],
)
def test_a_minus_behind_a_number_is_its_sign(text: str, number: str | None, tmp_path: Path) -> None:
    body = write_table(";", decimal=",").replace("2,25", text).encode()
    for outcome in list_outcomes(body, tmp_path, TEXT_DOORS):
        if number is not None or outcome[0][0] == "A":
            assert [row[2] for row in outcome] == ["1.5", number, "10.0"]
        else:
            assert "'v' is declared number, but is" in outcome[0][1]


def write_parquet(column: pa.Array, names: tuple[str, ...] = ("k", "at", "v")) -> bytes:
    buffer, rows = io.BytesIO(), [pa.array(["A"] * len(column)), pa.array([T] * len(column)), column]
    pq.write_table(pa.Table.from_arrays([*rows, column][: len(names)], names=names), buffer)
    return buffer.getvalue()


def write_ipc(**columns: pa.Array) -> bytes:
    size = len(next(iter(columns.values())))
    table = pa.table({"k": ["A"] * size, "at": [T] * size} | columns)
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def test_columns_of_arrow_that_are_encoded_are_the_same_values(tmp_path: Path) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([1.5]))
    bools = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8()))
    for rows in list_outcomes(write_ipc(v=runs, ok=bools), tmp_path, DOORS):
        assert [row[2:] for row in rows] == [("1.5", None, "true"), ("1.5", None, "false")]


def test_runs_inside_objects_are_the_same_values(tmp_path: Path) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([1.5]))
    body = write_ipc(o=pa.StructArray.from_arrays([runs], ["x"]), v=pa.array([2.5, 3.5]))
    for rows in list_outcomes(body, tmp_path, DOORS):
        assert [row[2] for row in rows] == ["2.5", "3.5"]
    assert read_sample(body).events[1]["o"] == {"x": 1.5}


def test_an_interval_is_a_text_of_iso_8601(tmp_path: Path) -> None:
    body = write_ipc(s=pa.array([pa.MonthDayNano([14, -3, 1_500_000_000])]))
    for rows in list_outcomes(body, tmp_path, DOORS):
        assert rows[0][3] == "P14M-3DT1.5S"


def test_a_name_that_two_columns_of_parquet_have_is_refused(tmp_path: Path) -> None:
    body = write_parquet(pa.array([1.0]), ("k", "at", "v", "v"))
    for outcome in list_outcomes(body, tmp_path, DOORS):
        assert "'v' is the name of 2 columns" in outcome[0][1]
    (tmp_path / "other").write_bytes(write_parquet(pa.array([1.0]), ("k", "at", "x", "x")))
    assert read_by_evaluate((tmp_path / "other").read_bytes(), tmp_path)[0][:2] == ("A", 1785751200000000)


def read_notes(text: str, tmp_path: Path, **declared: Any) -> tuple[list[str], list[str]]:
    """The codes of warnings, and the notes."""
    (tmp_path / "file").write_text(text)
    declaration = StreamDeclaration.from_document("s", DECLARED.to_document() | declared)
    table = read_file(str(tmp_path / "file"), declaration, ("v",))
    return [f"{warning.code}: {warning.message}" for warning in table.warnings], list(table.notes)


@pytest.mark.parametrize(
    ("other", "is_clear"), [("12.500", False), ("0.5", True), ("1.234.567", True), ("1,5", True)]
)
def test_a_point_that_may_mark_thousands_is_told(other: str, is_clear: bool, tmp_path: Path) -> None:
    _, notes = read_notes(f"k;at;v\nA;{T};1.234\nA;{T};{other}\n", tmp_path)
    assert is_clear != any("1.234 are read with a decimal point" in note for note in notes)


def test_cells_that_are_formulas_are_told(tmp_path: Path) -> None:
    _, notes = read_notes(f'k,at,v\n="007",{T},1\n', tmp_path)
    assert any('="007" are formulas of a spreadsheet' in note for note in notes)


def test_days_of_a_spreadsheet_are_told(tmp_path: Path) -> None:
    text = "k,at,v\nA,46237.4166666667,1\nA,46237.5,2\n"
    warnings, _ = read_notes(text, tmp_path, unit="s")
    [warning] = [item for item in warnings if item.startswith("spreadsheet_days")]
    assert "46237.41667 is 2026-08-03 10:00" in warning
    guessed = guess(read_sample(text.encode()), {"key": "k"})
    [unit] = [item for item in guessed.guesses if item.what == "unit"]
    assert "days of a spreadsheet" in unit.why
    assert unit.confidence < 0.5


def test_titles_above_a_table_are_no_names() -> None:
    sample = read_sample(f"Report of plant 7;;\nMade today;;\n;;\nk;at;v\nA;{T};1\n".encode())
    assert sample.events == [{"k": "A", "at": T, "v": "1"}]
