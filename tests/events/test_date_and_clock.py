"""A date and a clock in two fields are one time, at every door, by column as one by one."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.events import test_doors
from tests.events.test_doors import TEXT_DOORS, Outcome, list_outcomes
from timeline_app.events.guess.guess import guess
from timeline_app.events.guess.sample import read_sample
from timeline_app.landing.recording import describe_events
from timeline_app.landing.request_body import read_events
from timeline_app.plan import StreamDeclaration
from timeline_app.problems.problem import Refused

ROWS = [("A", "2026-08-03", "10:00:00"), ("A", "2026-08-03", "10:05:00"), ("B", "2026-08-03", "10:00:00")]
TIMES = [1785751200000000, 1785751500000000, 1785751200000000]


def declare(**others: Any) -> StreamDeclaration:
    fields = {"v": "number", "s": "text", "ok": "bool"}
    return StreamDeclaration.from_document(
        "s", {"key": "k", "time": ["date", "clock"], "fields": fields, **others}
    )


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_doors, "DECLARED", declare())


def read_times(body: bytes, folder: Path) -> list[Outcome]:
    return list_outcomes(body, folder, TEXT_DOORS)


def write_csv(rows: list[tuple[str, str, str]], separator: str = ",") -> bytes:
    return "".join(f"{separator.join(row)}\n" for row in [("k", "date", "clock"), *rows]).encode()


def write_lines(rows: list[tuple[str, Any, Any]]) -> bytes:
    return "\n".join(json.dumps(dict(zip(("k", "date", "clock"), row, strict=True))) for row in rows).encode()


@pytest.mark.usefixtures("doors")
def test_both_parts_are_one_time_at_every_door(tmp_path: Path) -> None:
    excel = [(key, f"{date} 00:00:00", f"1899-12-30 {clock}") for key, date, clock in ROWS]
    for body in (
        write_csv(ROWS),
        write_csv(ROWS, ";"),
        write_lines(ROWS),
        write_csv(excel),
        write_lines(excel),
    ):
        for rows in read_times(body, tmp_path):
            assert [row[1] for row in rows] == TIMES


@pytest.mark.usefixtures("doors")
@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("A", "2026-08-03", ""), "'clock', a part of the time, is missing"),
        (("A", "", "10:00"), "'date', a part of the time, is missing"),
        (("A", "2026-08-03", "noon"), "'2026-08-03 noon' does not parse; 'date' and 'clock' is ISO 8601"),
    ],
)
def test_a_row_without_a_part_is_refused_by_line(
    row: tuple[str, str, str], words: str, tmp_path: Path
) -> None:
    for body in (write_csv([*ROWS, row]), write_lines([*ROWS, row])):
        for outcome in read_times(body, tmp_path):
            assert words in outcome[0][1]


def test_dates_and_clocks_of_parquet_are_one_time(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    days = pa.array(["2026-08-03"] * 3).cast(pa.date32())
    clocks = pa.array([36_000, 36_300, 36_000], pa.int32()).cast(pa.time32("s"))
    pq.write_table(pa.table({"k": ["A", "A", "B"], "date": days, "clock": clocks}), buffer)
    (tmp_path / "file").write_bytes(buffer.getvalue())
    from timeline_app.evaluate.files import read_file

    assert read_file(str(tmp_path / "file"), declare(), ()).table["time"].to_pylist() == TIMES


def test_a_zone_and_a_format_apply_to_both_parts_together() -> None:
    declared = declare(unit="%d.%m.%Y %H:%M", zone="Europe/Berlin")
    table = read_events(write_lines([("A", "03.08.2026", "12:00")]), declared)
    assert table["time"].to_pylist() == TIMES[:1]
    assert describe_events(table, declared) == [{"k": "A", "date": "03.08.2026", "clock": "12:00"}]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"unit": "ms"}, "are text, and no number"),
        ({"time": ["date", "date"]}, "each once"),
        ({"key": "date"}, "key and time are one field"),
        ({"until": "clock"}, "is the key, the time or the id already"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(document: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        declare(**document)


@pytest.mark.parametrize(
    ("table", "time", "unit"),
    [
        ("k,date,time\nA,2026-08-03,10:00:00\nA,2026-08-04,10:05:00\n", ["date", "time"], "iso8601"),
        ("k;Datum;Uhrzeit\nA;03.08.2026;10:00\nA;04.08.2026;10:05\n", ["Datum", "Uhrzeit"], "%d.%m.%Y %H:%M"),
        ("k;day;hour\nA;2026-08-03;9\nA;2026-08-03;10\n", ["day", "hour"], "%Y-%m-%d %H"),
        ("k,DATE,TIME\nA,20260803,100000\nA,20260804,100500\n", ["DATE", "TIME"], "iso8601"),
        (
            "k,date,time,offset\nA,2026-08-03,10:00,+01:00\nA,2026-08-04,10:05,+01:00\n",
            ["date", "time", "offset"],
            "iso8601",
        ),
        (
            "k,Date,Time\nA,2026-08-03 00:00:00,1899-12-30 10:00:00\nA,2026-08-04 00:00:00,1899-12-30 10:05:00\n",
            ["Date", "Time"],
            "iso8601",
        ),
    ],
)
def test_the_wizard_proposes_both_fields(table: str, time: list[str], unit: str) -> None:
    guessed = guess(read_sample(table.encode()), {"key": "k"})
    assert json.loads(guessed.document["time"]) == time
    assert guessed.document["unit"] == unit
    assert len(guessed.rows) == 2
    assert not guessed.refused
    repeated = guess(read_sample(table.encode()), {"key": "k", "time": guessed.document["time"]})
    assert (repeated.document, repeated.rows) == (guessed.document, guessed.rows)
