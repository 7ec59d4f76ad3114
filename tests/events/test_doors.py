"""One decoder: every door says the same of the same bytes, rows and words."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import json
import lzma
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timeline_app.connectors.files.source import JsonLinesFiles
from timeline_app.connectors.messages import decode_messages
from timeline_app.connectors.reading import Message
from timeline_app.connectors.splits.notes import Folder
from timeline_app.connectors.splits.portions import Carried
from timeline_app.evaluate.files import read_file
from timeline_app.events.decode import DecodeError, Notes
from timeline_app.events.guess.sample import read_sample
from timeline_app.events.uploads import read_whole
from timeline_app.events.validate import WrongEvent
from timeline_app.landing.request_body import read_events, read_lines
from timeline_app.plan import BadEvents, EventBatch, LineProblem, StreamDeclaration
from timeline_app.web.core.parsers import unpack_body

DECLARED = StreamDeclaration.from_document(
    "s", {"key": "k", "time": "at", "unit": "iso8601", "fields": {"v": "number", "s": "text", "ok": "bool"}}
)
FIELDS = ("v", "s", "ok")
ROWS = [
    ("A", "2026-08-03T10:00:00Z", 1.5, "läuft", True),
    ("A", "2026-08-03T10:05:00Z", 2.25, "steht", False),
    ("B", "2026-08-03T10:00:00Z", 10.0, "läuft", None),
]
Outcome = list[tuple[Any, ...]]


def write_table(separator: str = ",", end: str = "\n", decimal: str = ".", head: str = "") -> str:
    """The rows as a table."""
    lines = [separator.join(("k", "at", *FIELDS))]
    for key, at, number, text, truth in ROWS:
        ok = "" if truth is None else str(truth)
        lines.append(separator.join((key, at, str(number).replace(".", decimal), text, ok)))
    return head + end.join([*lines, ""])


EVENTS = [dict(zip(("k", "at", *FIELDS), row, strict=True)) for row in ROWS]
LINES = "\n".join(map(json.dumps, EVENTS))
CSV = write_table()


def write_zip(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, CSV)
    return buffer.getvalue()


def write_arrow(*, stream: bool = False) -> bytes:
    buffer, table = io.BytesIO(), pa.Table.from_pylist(EVENTS)
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def write_avro(codec: str) -> bytes:
    buffer = io.BytesIO()
    types = {"k": "string", "at": "string", "v": "double", "s": "string", "ok": ["null", "boolean"]}
    fields = [{"name": name, "type": kind} for name, kind in types.items()]
    fastavro.writer(buffer, {"type": "record", "name": "e", "fields": fields}, EVENTS, codec)
    return buffer.getvalue()


def write_parquet() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(EVENTS), buffer)
    return buffer.getvalue()


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": gzip.compress,
    "two members": lambda body: gzip.compress(body[:20]) + gzip.compress(body[20:]),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda body: bytes(pa.compress(body, "zstd", asbytes=True)),
    "lz4": lambda body: bytes(pa.compress(body, "lz4", asbytes=True)),
}
RIGHT = {
    "lines": LINES,
    "an array": json.dumps(EVENTS, indent=1),
    "wrapped": json.dumps({"page": 1, "records": EVENTS}),
    "wrapped deeper": json.dumps({"meta": {"n": 3}, "data": {"items": EVENTS}}, indent=1),
    "one after the other": "".join(map(json.dumps, EVENTS)),
    "pretty": "\n".join(json.dumps(event, indent=2) for event in EVENTS),
    "lines that end with commas": ",\n".join(map(json.dumps, EVENTS)) + ",\n",
    "lines that end with carriage returns": LINES.replace("\n", "\r\n"),
    "blank lines": "\n\n" + LINES.replace("\n", "\n  \n\n") + "\n",
    "bools of Excel in German": CSV.replace(",True", ",WAHR").replace(",False", ",FALSCH"),
    "bools as digits": CSV.replace(",True", ",1").replace(",False", ",0"),
    "bools in words": CSV.replace(",True", ",Yes").replace(",False", ",no"),
    "the end of a file of DOS": CSV + "\x1a",
    "an exponent": CSV.replace("2.25", "2.25E+00"),
    "record separators": "".join(f"\x1e{json.dumps(event)}\n" for event in EVENTS),
    "carriage returns": write_table(end="\r"),
    "sep": write_table("|", head='"sep=|"\r\n', end="\r\n"),
    "preamble": write_table(";", head="Report of plant 7;;\n\n", decimal=","),
    "comments": write_table(head="# made by logger 2.1\n# twice\n"),
    "header twice": CSV + CSV,
    "marks in the middle": CSV + "\ufeff" + CSV,
    "trailing commas": "".join(f"{line},,\n" for line in CSV.splitlines()),
    "trailing commas below": CSV.splitlines()[0] + "".join(f"\n{line},," for line in CSV.splitlines()[1:]),
    "empty rows": CSV + ",,,,\n,,,,\n",
    "index column": "".join(f"{'' if index == 0 else index},{line}\n" for index, line in enumerate(CSV.splitlines())),
    "blanks": CSV.replace(",", ", "),
    "blanks in the header": CSV.replace("k,at,v,s,ok", "k, at, v, s, ok"),
    "quotes": "\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in CSV.splitlines()),
}  # fmt: skip
AVRO_CODECS = ("null", "deflate", "bzip2", "xz", "snappy", "zstandard", "lz4")
BINARY = {
    "parquet": write_parquet(), "arrow": write_arrow(), "arrow stream": write_arrow(stream=True),
    **{f"avro {codec}": write_avro(codec) for codec in AVRO_CODECS},
}  # fmt: skip
WRONG: dict[str, tuple[bytes, str]] = {
    "cut line": (LINES.encode()[:-9], "the event is cut off at column"),
    "NaN": (LINES.encode().replace(b"2.25", b"NaN"), "'v' is NaN, which JSON does not have; write null"),
    "infinity": (LINES.encode().replace(b"2.25", b"-Infinity"), "'v' is -Infinity"),
    "half a character": (LINES.encode().replace(b"steht", b"\\ud83d"), "'s' holds half of a character"),
    "a name twice": (LINES.encode().replace(b'"s": "steht"', b'"v": 3'), "'v' stands twice in one object"),
    "a name twice, one before a blank": (LINES.encode().replace(b'"s": "steht"', b'"v" : 3'), "'v' stands twice"),
    "a name twice, hidden by another line": (
        LINES.encode().replace(b'"s": "steht"', b'"v": 3').replace(b'"k":', b'"k" :', 1),
        "'v' stands twice",
    ),
    "a NUL in a cell": (CSV.replace("steht", "st\0ht").encode(), "'s' holds a NUL character; leave it out"),
    "a NUL in a text": (LINES.encode().replace(b"steht", b"st\\u0000ht"), "'s' holds a NUL character; leave it out"),
    "a long text": (LINES.replace("steht", "x" * 65_537).encode(), "'s' has 65,537 characters; a value may have 65"),
    "a long cell": (CSV.replace("steht", "x" * 65_537).encode(), "'s' has 65,537 characters; a value may have 65"),
    "a comment": (b"# logger\n" + LINES.encode(), "is a comment, and JSON has none"),
    "a comment before an array": (b"// made by x\n" + json.dumps(EVENTS, indent=1).encode(), "is a comment, and JSON"),
    "a comment of C": (b"/* made by x */ " + json.dumps(EVENTS).encode(), "'/* made by x' is a comment, and JSON has"),
    "a comment in an array": (
        json.dumps(EVENTS, indent=1).replace('"A",', '"A", // the key', 1).encode(),
        "'// the key' is a comment, and JSON has none; leave it out",
    ),
    "Python": (str(EVENTS).encode(), "a text stands in single quotes; JSON has double quotes"),
    "words of Python": (LINES.replace("null", "None").encode(), "None is Python, no JSON; write null"),
    "events by name over lines": (
        json.dumps({f"-M{index}": event for index, event in enumerate(EVENTS)}, indent=1).encode(),
        "holds 3 events under names ('-M0', …). Send them as a list",
    ),
    "columns as lists": (
        json.dumps({name: [event[name] for event in EVENTS] for name in EVENTS[0]}).encode(),
        "'k' must be text or a number, but is a list; write each event as an object of its own",
    ),
    "a message of a schema registry": (b"\0\0\0\0\7\x02A\x02B", "of a schema registry, whose schema it does not hold"),
    "JSON in Latin-1": (LINES.encode().replace(b"steht", b"l\xe4uft"), "0xE4 at column"),
    "several lists": (json.dumps({"a": EVENTS, "b": EVENTS}).encode(), "wraps 2 lists of objects (a, b)"),
    "half an array": (json.dumps(EVENTS, indent=1).encode()[:-9], "the array is cut off"),
    "too many cells": (CSV.encode() + b"B,2026-08-03T10:00:00Z,1,x,true,more\n", "6 cells, but the header in line 1"),
    "a footer": (CSV.encode() + b"# 3 rows\n", "1 cells, but the header in line 1 has 5 names (k, at, v, s, ok)"),
    "no header": (CSV.split("\n", 1)[1].encode(), "There are no names of columns"),
    "another header": (CSV.replace("k,at", "key,at").encode(), "No column is called 'k'; did you mean"),
    "a column twice": (CSV.replace("v,s,ok", "v,v,ok").encode(), "'v' is the name of 2 columns"),
    "two encodings": (CSV.encode() + CSV.encode("cp1252"), "The byte 0xE4 is not UTF-8"),
    "a decimal comma": (CSV.replace("2.25", '"2,25"').encode(), "a decimal comma in a file whose columns"),
    "hexadecimal": (CSV.replace("2.25", "0x10").encode(), "'0x10', which is not decimal"),
    "an open quote": (CSV.encode() + b'B,"2026', "is a quote not closed"),
    "cut gzip": (gzip.compress(CSV.encode())[:-9], "This gzip is cut off before its end"),
    "damaged gzip": (gzip.compress(CSV.encode())[:-8] + bytes(8), "This gzip is damaged"),
    "packed twice": (gzip.compress(gzip.compress(CSV.encode())), "compressed once more (gzip)"),
    "a workbook": (write_zip("[Content_Types].xml", "xl/a.xml"), "an Excel workbook"),
    "many files": (write_zip("a.csv", "b.csv"), "This zip holds 2 files (a.csv, b.csv)"),
    "a PDF": (b"%PDF-1.7\n1,2\n", "This is a PDF."),
    "SQLite": (b"SQLite format 3\0" + bytes(90), "This is an SQLite database."),
    "ORC": (b"ORC\x0a\x0b", "This is an ORC file."),
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(90), "an old office document"),
    "HTML": (b"<!DOCTYPE html><p>k,at", "This is XML or HTML."),
    "noise": (bytes(range(256)) * 4, "neither text nor a format that is known"),
    "keys before JSON": (
        "\n".join(f"{event['k']}\t{json.dumps(event)}" for event in EVENTS).encode(),
        "JSON behind a key and a tab, as the console consumer of Kafka prints them. Print the values only",
    ),
    "encoded twice": ("\n".join(json.dumps(json.dumps(event)) for event in EVENTS).encode(), "is encoded twice"),
    "an array of texts": (
        json.dumps(list(map(json.dumps, EVENTS)), indent=1).encode(),
        "this is a text that holds one; encode each event once, not twice",
    ),
    "a matrix of Prometheus": (
        json.dumps(
            {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}, "values": [[1, "1"]]}]}},
            indent=1,
        ).encode(),
        "an answer of Prometheus with a list of values for each series (a matrix). Write one event for each value",
    ),
    "line protocol": (b"cpu,host=a usage=12.5 1719824400000000000\n" * 3, "the line protocol of InfluxDB"),
    "a word": (b"hello", "nothing separates the first line, 'hello'"),
}  # fmt: skip


def list_rows(batch: EventBatch) -> Outcome:
    fields = [dict(fields) for fields in batch.fields]
    rows = zip(batch.keys, batch.times, fields, strict=True)
    return [(key, time, *(texts.get(name) for name in FIELDS)) for key, time, texts in rows]


def read_by_evaluate(body: bytes, folder: Path) -> Outcome:
    (folder / "named.wrongly").write_bytes(body)
    table = read_file(str(folder / "named.wrongly"), DECLARED, FIELDS).table
    columns = [table[name].to_pylist() for name in ("key", "time", "v0", "v1", "v2")]
    return [tuple(map(spell_value, row)) for row in zip(*columns, strict=True)]


def spell_value(value: Any) -> Any:
    """Numbers and bools as they are kept."""
    return str(value).lower() if isinstance(value, (bool, float)) else value


def read_by_upload(body: bytes, _: Path) -> Outcome:
    return list_rows(read_whole(body, DECLARED, 1_000, Notes()))


def read_by_wizard(body: bytes, _: Path) -> Outcome:
    rows = read_sample(body, encoding=DECLARED.encoding).rows_as(DECLARED)
    return list_rows(collect((row.line, row.problem or row.event) for row in rows))


def read_by_door(body: bytes, _: Path) -> Outcome:
    return list_columns(read_events(unpack_body(body, "", 1 << 23), DECLARED))


def list_columns(table: pa.Table) -> Outcome:
    rows = zip(table["key"].to_pylist(), table["time"].to_pylist(), table["fields"].to_pylist(), strict=True)
    return [(key, time, *(dict(fields).get(name) for name in FIELDS)) for key, time, fields in rows]


def read_by_source(body: bytes, folder: Path) -> Outcome:
    files = folder / "files"
    files.mkdir(exist_ok=True)
    (files / "a").write_bytes(body)
    source = JsonLinesFiles(str(files), "a", -1.0)
    source.declared = lambda: DECLARED
    with TemporaryDirectory() as notes:
        reader = Carried(lambda: source, "it", Folder(Path(notes))).open({})
        return take_messages(reader.take().messages)


def read_by_message(body: bytes, _: Path) -> Outcome:
    return take_messages([Message(body, "t/0", 7)])


def take_messages(messages: Sequence[Message]) -> Outcome:
    """What lands of the messages of a source; raises `BadEvents` for what is refused."""
    lines = decode_messages(messages, DECLARED)
    table, problems = read_lines(lines.lines, DECLARED)
    if lines.wrong or problems:
        raise BadEvents([item.problem for item in lines.wrong] + problems)
    return list_columns(table)


def collect(rows: Iterator[tuple[int, object]]) -> EventBatch:
    batch, problems = EventBatch(DECLARED), list[LineProblem]()
    for line, event in rows:
        try:
            if isinstance(event, LineProblem):
                problems.append(event)
            else:
                batch.add(event)
        except WrongEvent as error:
            problems.append(LineProblem(line, error.name, error.code, str(error)))
    if problems:
        raise BadEvents(problems)
    return batch


TEXT_DOORS = [read_by_evaluate, read_by_upload, read_by_wizard, read_by_door, read_by_source, read_by_message]
DOORS = [door for door in TEXT_DOORS if door not in (read_by_door, read_by_message)]


def list_outcomes(
    body: bytes, folder: Path, doors: Sequence[Callable[[bytes, Path], Outcome]]
) -> list[Outcome]:
    """What each of the doors says: its rows, or its words by line."""

    def ask(door: Callable[[bytes, Path], Outcome]) -> Outcome:
        try:
            return door(body, folder)
        except DecodeError as why:
            return [(why.line or 1, f"{why.message} {why.hint}")]
        except BadEvents as bad:
            return [(problem.line, problem.message) for problem in bad.problems]
        except Exception as why:  # the door over HTTP says it as an answer
            return [(1, str(why).removeprefix("Nothing was taken. "))]

    return [ask(door) for door in doors]


EXPECTED = [
    ("A", 1785751200000000, "1.5", "läuft", "true"),
    ("A", 1785751500000000, "2.25", "steht", "false"),
    ("B", 1785751200000000, "10.0", "läuft", None),
]


@pytest.mark.parametrize("name", RIGHT)
def test_text_of_every_form_is_the_same_rows_at_every_door(name: str, tmp_path: Path) -> None:
    for rows in list_outcomes(RIGHT[name].encode(), tmp_path, TEXT_DOORS):
        assert rows in (EXPECTED, EXPECTED * 2)


@pytest.mark.parametrize("name", BINARY)
def test_tables_of_arrow_and_avro_are_the_same_rows(name: str, tmp_path: Path) -> None:
    for packed in (BINARY[name], gzip.compress(BINARY[name])):
        assert list_outcomes(packed, tmp_path, DOORS) == [EXPECTED] * len(DOORS)
    for outcome in list_outcomes(BINARY[name], tmp_path, [read_by_door, read_by_message]):
        assert "Push it as a sample" in outcome[0][1]


def test_avro_of_an_unknown_codec_is_refused_in_words(tmp_path: Path) -> None:
    body = write_avro("null").replace(b"\x08null", b"\x0cbrotli", 1)
    for outcome in list_outcomes(body, tmp_path, DOORS):
        assert "This Avro is compressed with brotli, which is not read. Write it with" in outcome[0][1]


@pytest.mark.parametrize("codec", AVRO_CODECS[1:])
def test_damaged_avro_is_refused_in_words(codec: str, tmp_path: Path) -> None:
    body = bytearray(write_avro(codec))
    body[-60:-40] = b"\xff" * 20
    for outcome in list_outcomes(bytes(body[:-30]), tmp_path, DOORS) + list_outcomes(
        bytes(body), tmp_path, DOORS
    ):
        assert "Avro" in outcome[0][1]


GENERATED = list(
    itertools.product(
        [(",", "."), (";", ","), (";", "."), ("\t", ","), ("\t", "."), ("|", ".")],
        ["\n", "\r\n"],
        ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-be"],
    )
)


@pytest.mark.parametrize("packed", COMPRESSIONS)
def test_tables_of_all_separators_encodings_and_compressions_are_the_same_rows(
    packed: str, tmp_path: Path
) -> None:
    for (separator, decimal), end, encoding in GENERATED:
        body = COMPRESSIONS[packed](write_table(separator, end, decimal).encode(encoding))
        assert list_outcomes(body, tmp_path, TEXT_DOORS) == [EXPECTED] * len(TEXT_DOORS), (
            separator,
            decimal,
            end,
            encoding,
        )


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_in_the_same_words_at_every_door(name: str, tmp_path: Path) -> None:
    body, words = WRONG[name]
    first, *others = list_outcomes(body, tmp_path, TEXT_DOORS)
    assert words in first[0][1]
    for other in others:
        assert words in other[0][1]


def test_a_zip_with_one_file_is_read(tmp_path: Path) -> None:
    assert list_outcomes(write_zip("__MACOSX/a", "a.csv"), tmp_path, TEXT_DOORS) == [EXPECTED] * len(
        TEXT_DOORS
    )


def test_a_column_twice_that_nobody_reads_does_no_harm_where_fields_are_chosen(tmp_path: Path) -> None:
    body = CSV.replace("\n", ",x,y\n").replace("ok,x,y", "ok,x,x").encode()
    assert read_by_evaluate(body, tmp_path) == EXPECTED


@pytest.mark.parametrize(
    "thousands", ["1 234,5", "1\u00a0234,5", "1\u202f234,5", "1'234,5", "1.234,5", "+1234,5"]
)
def test_thousands_are_the_same_number_at_every_door(thousands: str, tmp_path: Path) -> None:
    body = write_table(";", decimal=",").replace("2,25", thousands).encode()
    for rows in list_outcomes(body, tmp_path, TEXT_DOORS):
        assert [row[2] for row in rows] == ["1.5", "1234.5", "10.0"]


def test_a_value_of_another_type_is_refused_with_its_hint(tmp_path: Path) -> None:
    for body in (CSV.replace("2.25", "2.25%"), LINES.replace("2.25", '"2.25"')):
        for door in (read_by_door, read_by_wizard, read_by_source, read_by_message):
            [outcome] = list_outcomes(body.encode(), tmp_path, [door])
            assert "send a number, without quotes, unit or percent sign" in outcome[0][1], door


def test_durations_of_arrow_are_seconds(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(EVENTS)
    buffer = io.BytesIO()
    pq.write_table(table.set_column(2, "v", pa.array([1500, 2250, 10_000], pa.duration("ms"))), buffer)
    assert list_outcomes(buffer.getvalue(), tmp_path, DOORS) == [EXPECTED] * len(DOORS)


def test_events_by_name_on_one_line_are_refused_where_a_file_is_read(tmp_path: Path) -> None:
    body = json.dumps({f"-M{index}": event for index, event in enumerate(EVENTS)}).encode()
    for outcome in list_outcomes(body, tmp_path, [*DOORS, read_by_door]):
        assert "holds 3 events under names ('-M0', …)" in outcome[0][1]
