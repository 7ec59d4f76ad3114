"""What people write into the cells of tables: units, money, bools of many languages, shortened numbers."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.events.test_doors import CSV, DECLARED, DOORS, TEXT_DOORS, list_outcomes, write_table
from timeline_app.evaluate.files import read_file
from timeline_app.events.guess import Guessed, guess, read_sample
from timeline_app.events.truth_words import TRUTH
from timeline_app.plan import StreamDeclaration

T = "2026-08-03T10:00:00Z"


def guessed(*rows: str) -> Guessed:
    return guess(read_sample("\n".join(rows).encode()), {})


def read(tmp_path: Path, body: bytes, **declared: Any) -> Any:
    (tmp_path / "f").write_bytes(body)
    document = {"key": "k", "time": "at", "unit": "iso8601"} | declared
    declaration = StreamDeclaration.from_document("s", document)
    return read_file(str(tmp_path / "f"), declaration, tuple(declaration.fields))


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (("1,5 %", "2,25 %", "10 %"), ("1.5", "2.25", "10.0")),
        (("1,5 °C", "-2,25 °C", "10 °C"), ("1.5", "-2.25", "10.0")),
        (("1,5kWh", "2,25kWh", "10kWh"), ("1.5", "2.25", "10.0")),
        (("1,5 m3/h", "2,25", "10 m3/h"), ("1.5", "2.25", "10.0")),
        (("1,50 €", "1.200,00 €", "-10 €"), ("1.5", "1200.0", "-10.0")),
        (("$1.50", "($1,200.00)", "-$10"), ("1.5", "-1200.0", "-10.0")),
        (("CHF 1'200.50", "CHF 2", "CHF 10"), ("1200.5", "2.0", "10.0")),
        (("(1,5)", "2,25", "10"), ("-1.5", "2.25", "10.0")),
        (("1,23,456.50", "2", "10"), ("123456.5", "2.0", "10.0")),
    ],
)
def test_the_one_unit_of_a_column_is_read_past_at_every_door(
    cells: tuple[str, ...], numbers: tuple[str, ...], tmp_path: Path
) -> None:
    body = write_table(";")
    for old, new in zip((";1.5;", ";2.25;", ";10.0;"), cells, strict=True):
        body = body.replace(old, f";{new};")
    for rows in list_outcomes(body.encode(), tmp_path, TEXT_DOORS):
        assert tuple(row[2] for row in rows) == numbers


@pytest.mark.parametrize(
    "cells", [("12 kg", "300 g"), ("12A", "14A"), ("0x2", "0x3"), ("5 to 6", "7 to 8"), ("v12", "v13")]
)
def test_what_is_no_one_unit_is_no_number(cells: tuple[str, str], tmp_path: Path) -> None:
    rows = [f"A;{T};{cell}" for cell in cells]
    assert guessed("machine;at;v", *rows).document["fields"] == {"v": "text"}
    for outcome in list_outcomes("\n".join(["k;at;v", *rows]).encode(), tmp_path, TEXT_DOORS):
        assert all(row[2] is None if len(row) > 2 else "declared number" in row[1] for row in outcome)


def test_the_unit_is_told(tmp_path: Path) -> None:
    table = read(tmp_path, f"k;at;v\nA;{T};12 %\nA;{T};n/a\n".encode(), fields={"v": "number"})
    assert "numbers of 'v' have the unit %; they are read without it" in table.notes
    [warning] = table.warnings
    assert (warning.code, "'n/a'" in warning.message) == ("mistyped", True)
    sample = read_sample(f"machine;at;load\nA;{T};12 %\nB;{T};7 %\n".encode())
    assert "'load' have the unit %" in sample.why
    assert guess(sample, {}).document["fields"] == {"load": "number"}


@pytest.mark.parametrize(
    ("yes", "no"),
    [("WAHR", "FALSCH"), ("VRAI", "FAUX"), ("ONWAAR", "WAAR"), ("ja", "nein"), ("oui", "non"), ("Sim", "Não"),
     ("ИСТИНА", "ЛОЖЬ"), ("TOSI", "EPÄTOSI"), ("YANLIŞ", "DOĞRU"), ("はい", "いいえ"), ("Y", "N"), ("✓", "✗")],
)  # fmt: skip
def test_words_for_true_and_false_are_bools_to_the_guess_and_at_every_door(
    yes: str, no: str, tmp_path: Path
) -> None:
    rows = [f"A;{T};{yes}", f"B;{T};{no}", f"A;{T};{yes}"]
    assert guessed("machine;at;ok", *rows).document["fields"] == {"ok": "bool"}
    spelled = {True: "true", False: "false"}
    expected = [spelled[TRUTH[yes.lower()]], spelled[TRUTH[no.lower()]]]
    body = CSV.replace(",True", f",{yes}").replace(",False", f",{no}")
    for outcome in list_outcomes(body.encode(), tmp_path, TEXT_DOORS):
        assert [row[4] for row in outcome] == [*expected, None]


@pytest.mark.parametrize(
    "words", [("on", "off"), ("ja", "ja"), ("ja", "vielleicht"), ("yes", "nein"), ("1", "0")]
)
def test_what_may_be_a_state_is_no_bool_to_the_guess(words: tuple[str, str]) -> None:
    result = guessed("machine;at;ok", *(f"A;{T};{word}" for word in (*words, *words)))
    assert result.document["fields"]["ok"] in ("text", "number")
    [field] = [field for field in result.fields if field.name == "ok"]
    assert ("bool" in field.alternatives) is (
        words in (("on", "off"), ("ja", "ja"), ("yes", "nein"), ("1", "0"))
    )


def test_numbers_beside_words_that_say_there_is_none_are_numbers() -> None:
    rows = [f"A;{T};{cell}" for cell in ("1.5", "n/a", "2", "unavailable", "3")]
    assert guessed("machine;at;power", *rows).document["fields"] == {"power": "number"}
    rows = [f"A;{T};{cell}" for cell in ("1.5", "high", "2", "3")]
    assert guessed("machine;at;power", *rows).document["fields"] == {"power": "text"}


def test_shortened_times_are_told(tmp_path: Path) -> None:
    body = "k,at\nA,1785751200000\nA,1.78575E+12\n"
    [warning] = read(tmp_path, body.encode(), unit="ms").warnings
    assert (warning.code, warning.field) == ("shortened_time", "at")
    assert "line 3 1.78575E+12" in warning.message
    [warning] = [
        item
        for item in guessed(*body.replace("k,", "machine,").splitlines()).warnings
        if item.code == "shortened_time"
    ]
    assert "line 3 1.78575E+12" in warning.message
    assert read(tmp_path, b"k,at\nA,1.7857512001234E+12\n", unit="ms").warnings == ()


def test_days_beside_a_clock_are_told() -> None:
    rows = [f"A,2026-08-0{day},23:59:3{day},1" for day in (1, 2, 3)]
    sample = read_sample("\n".join(["machine,date,clock,v", *rows]).encode())
    [warning, *_] = guess(sample, {"time": "date"}).warnings
    assert (warning.code, warning.field) == ("days_only", "date")
    assert 'declare time = ["date", "clock"]' in warning.hint
    for other in (guess(sample, {}), guessed("machine,date,v", "A,2026-08-01,1")):
        assert all(item.code != "days_only" for item in other.warnings)


def test_marks_that_nobody_sees_are_no_part_of_a_name(tmp_path: Path) -> None:
    for mark in ("\u200b", "\u00a0", "\ufeff"):
        table = read(tmp_path, f"{mark}k,at{mark},v\nA,{T},1\n".encode(), fields={"v": "number"})
        assert table.table["key"].to_pylist() == ["A"]


def test_a_key_that_is_no_number_is_missing(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    names = ("k", "at", "v", "s", "ok")
    columns = [pa.array([7.0, float("nan")]), [T, T], [1.0, 2.0], ["a", "b"], [True, False]]
    pq.write_table(pa.table(columns, names=names), buffer)
    assert DECLARED.key == "k"
    for outcome in list_outcomes(buffer.getvalue(), tmp_path, DOORS):
        assert any("the key 'k' is missing" in str(part) for row in outcome for part in row)
