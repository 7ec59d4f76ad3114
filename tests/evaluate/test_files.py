"""Files of events: what is read by column is what the door takes event by event, and every fault has its line."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.evaluate.reading import (
    FIELDS,
    SETTINGS,
    STREAMS,
    Rows,
    Told,
    build_declaration,
    read_by_column,
    read_by_event,
)
from timeline_app.evaluate.files import read_file
from timeline_app.evaluate.progress import Progress
from timeline_app.events.decode import csv_blocks, csv_rows, json_lines
from timeline_app.plan import BadEvents, LineProblem, StreamDeclaration


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that every file has several."""
    monkeypatch.setattr(csv_rows, "_ROWS_PER_CHUNK", 3)
    monkeypatch.setattr(json_lines, "_BYTES", 60)
    monkeypatch.setattr(csv_blocks, "_BYTES", 40)


ODD: list[Any] = [
    None, "", "a", "b", "é\u2028", "x" * 1_025, "\0", True, False, 0, 1, -0.0, 0.0, 1.5, 2**53 + 1, -(2**63), 2**63,
    2**64 - 1, 1e300, -1e-7, "1", "007", "+5", "-1.5", "1e3", "1_0", " 7 ", "nan", "inf", "true", [], [1], {"y": 1},
    "2024-07-01T08:00:00Z", "2024-07-01T08:00:00.123+02:00", "2024-07-01", "2024-02-30T08:00:00Z",
    "0000-01-01T00:00:00Z",
]  # fmt: skip
NUMBERS = [1, 2, 3, 1.5, "4", "5.25", "007", "+5"]
MOMENTS = [
    "2024-07-01T08:00:00Z",
    "2024-07-01T10:00:00.123+02:00",
    "2024-07-01 08:00:00.000001",
    "20240701T08",
]


@st.composite
def cases(
    draw: st.DrawFn, faults: list[Any]
) -> tuple[StreamDeclaration, list[dict[str, Any]], list[tuple[int, Any]]]:
    """A stream, events with all sorts of values, and (in a third of the cases) bad keys, bad times, bad lines."""
    stream, odd_values = draw(st.sampled_from(STREAMS)), st.sampled_from(ODD)
    usual: list[Any] = MOMENTS if stream.unit == "iso8601" else NUMBERS
    required = {
        "k": draw(st.sampled_from([st.sampled_from(["a", "b"]), st.sampled_from(["a", "1", 1, 1.5])])),
        "t": st.sampled_from(draw(st.lists(st.sampled_from(usual), min_size=1, max_size=2))),
    }
    bad = draw(st.integers(0, 2)) == 0
    if bad and draw(st.booleans()):
        required = {name: st.one_of(some, some, some, odd_values) for name, some in required.items()}
    late = [None, "", "2025-01-01T00:00:00.5Z" if stream.unit == "iso8601" else 8, *usual]
    kept = st.sampled_from(
        [value for value in ODD if value != "\0"]
    )  # no column is read that would refuse it
    ends = kept if bad and draw(st.booleans()) else st.sampled_from(late[: draw(st.sampled_from([3, 4]))])
    optional = {**dict.fromkeys(("n", "on", "x"), odd_values), "id": kept, "z": kept, "e": ends}
    events = draw(st.lists(st.fixed_dictionaries(required, optional=optional), max_size=12))
    lines = st.lists(st.tuples(st.integers(0, 12), st.sampled_from(faults)), min_size=1, max_size=2)
    return stream, events, draw(lines) if bad else []


ODD_LINES = [b"", b" \r", b"{", b"[1]", b"null", b'{"k": NaN}', b"\xff"]


@SETTINGS
@given(case=cases(ODD_LINES))
def test_json_lines_are_read_as_the_door_reads_them(tmp_path: Path, case: Any) -> None:
    stream, drawn, faults = case
    plain = {"k": "a", "t": MOMENTS[0] if stream.unit == "iso8601" else 7}  # it shows that the file is JSON
    lines = [json.dumps(item).encode() for item in [plain, *drawn]]
    for place, fault in faults:
        lines.insert(place + 1, fault)
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    rows = json_lines.JsonChunk(b"\n".join(lines), 1, 0).rows()
    assert read_by_column(path, stream) == read_by_event(rows, stream)


ODD_ROWS = [
    "", "1", "a,1,,,,,,", '5" disk,1,,,,', '"a\nb",1,2,,,', '"a', '"a"b,1,,"""",,', "\ufeffa,1,,,,", " ", "a\0,1,,,,",
    'a,1,"\r\n",,,',
    '5" x 6" disk,1,,,,', 'a, "1",,,,',
]  # fmt: skip


@SETTINGS
@given(
    case=cases(ODD_ROWS),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    start=st.sampled_from(["", "\ufeff"]),
)
@example(case=(STREAMS[0], [], []), end="\n", quoting=0, start="")
@example(case=(STREAMS[0], [], [(0, "\n\n\n")]), end="\n", quoting=0, start="")
def test_csv_is_read_as_pythons_reader_reads_it(
    tmp_path: Path, case: Any, end: str, quoting: Any, start: str
) -> None:
    stream, drawn, faults = case
    names = ["k", "t", "id", "n", "on", "x", *(["e"] if stream.until else [])]
    lines = []
    for item in drawn:
        text = io.StringIO()
        csv.writer(text, quoting=quoting, lineterminator="").writerow([item.get(name, "") for name in names])
        lines.append(text.getvalue())
    for place, fault in faults:
        lines.insert(place, fault)
    content = end.join([",".join(names), *lines])
    path = tmp_path / "e.csv"
    path.write_bytes((start + content).encode())
    bare = content.replace(f"{end}\ufeff", end)  # files that were put together have a byte order mark within
    if is_well_formed(content):
        assert read_without_words(read_by_column(path, stream)) == read_by_event(
            read_by_row(bare, stream), stream
        )
    else:  # a quote that is never closed would swallow the rows behind it
        with pytest.raises((ValueError, BadEvents)):
            read_file(str(path), stream, ("n", "on", "x"))


def is_well_formed(content: str) -> bool:
    """Whether every quote is closed, and nothing stands behind it."""
    try:
        list(csv.reader(io.StringIO(content, newline=""), strict=True))
    except csv.Error:
        return False
    return True


def read_by_row(content: str, stream: StreamDeclaration) -> Rows:
    """Events of CSV, one by one: empty rows are none, and separators behind the last column do no harm."""
    reader = csv.reader(io.StringIO(content, newline=""))
    names = next(reader)
    for read in reader:
        row = read[: len(names)] if not any(read[len(names) :]) else read
        if any(row) and len(row) != len(names):
            yield reader.line_num, LineProblem(reader.line_num, None, "bad_row", "")
        elif any(row):
            yield (
                reader.line_num,
                {name: parse_cell(text, name, stream) for name, text in zip(names, row, strict=True)},
            )


NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?(e[+-]?[0-9]+)?")


def parse_cell(text: str, name: str, stream: StreamDeclaration) -> Any:
    """A cell as its declared type, where it fits."""
    if text == "":
        return None
    kind = stream.kind_of(name).value
    if kind == "bool":
        truth = dict.fromkeys(("true", "1", "1.0", "yes"), True) | dict.fromkeys(
            ("false", "0", "0.0", "no"), False
        )
        return truth.get(text.strip().lower(), text)
    if name == stream.id and kind == "number" and re.fullmatch("-?[0-9]+", text):
        return int(text)
    return float(text) if kind == "number" and NUMBER.fullmatch(text.strip()) else text


def read_without_words(document: Told) -> Told:
    """What comes of reading, with rows of another length as they are and not as they are told."""
    return tuple(
        LineProblem(item.line, None, "bad_row", "")
        if isinstance(item, LineProblem) and item.code == "bad_row"
        else item
        for item in document
    )


@pytest.mark.deep
@pytest.mark.parametrize("stream", STREAMS, ids=range(len(STREAMS)))
def test_every_odd_value_is_a_field_a_key_and_a_time(tmp_path: Path, stream: StreamDeclaration) -> None:
    usual = {"k": "a", "t": MOMENTS[0] if stream.unit == "iso8601" else 7}
    values = [*ODD, "é" * 1_024, *MOMENTS, *NUMBERS]
    fields = [{**usual, **dict.fromkeys(("id", "n", "on", "x"), value)} for value in values]
    for events in (fields, *([{**usual, name: value}] for name, value in itertools.product("kt", values))):
        for item, truth in read_both_ways(tmp_path, events, stream):
            assert item == truth


def read_both_ways(
    folder: Path, events: list[dict[str, Any]], stream: StreamDeclaration
) -> Iterator[tuple[Told, Told]]:
    """Events as JSON lines and as CSV: what is read of each by column, and one by one."""
    lines = [json.dumps(item).encode() + b"\n" for item in events]
    (folder / "e.jsonl").write_bytes(b"".join(lines))
    yield (
        read_by_column(folder / "e.jsonl", stream),
        read_by_event(json_lines.JsonChunk(b"".join(lines), 1, 0).rows(), stream),
    )
    text = io.StringIO(newline="")
    csv.writer(text).writerows([list(events[0]), *[list(item.values()) for item in events]])
    (folder / "e.csv").write_text(text.getvalue(), newline="")
    yield (
        read_by_column(folder / "e.csv", stream),
        read_by_event(read_by_row(text.getvalue(), stream), stream),
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("bad", "line"), [("a", 42), ("a,noon,", 42), ('"a\n",1,2,3', 43), ('a,1,5" x 6",y', 42)]
)
def test_lines_of_csv_are_counted_across_quotes_and_blocks(
    tmp_path: Path, end: str, bad: str, line: int
) -> None:
    rows = ["k,t,x", *['"a\nb",1,"x\n"', "a,2,", "", "b,3,c"] * 6 + ["a,2,"] * 4, bad, "a,4,"]
    (tmp_path / "e.csv").write_text(end.join(rows), newline="")
    with pytest.raises(BadEvents) as refusal:
        read_file(str(tmp_path / "e.csv"), build_declaration(), ())
    assert [item.line for item in refusal.value.problems] == [line]


def test_an_event_with_too_many_fields_is_refused_in_every_format(tmp_path: Path) -> None:
    wide = {"k": "a", "t": 1, **{f"f{index}": 1 for index in range(500)}}
    (tmp_path / "e.jsonl").write_text(json.dumps(wide))
    (tmp_path / "e.csv").write_text(",".join(wide) + "\n" + ",".join(map(str, wide.values())))
    pq.write_table(pa.Table.from_pylist([wide]), tmp_path / "e.parquet")
    for name, line in [("e.jsonl", 1), ("e.csv", 2), ("e.parquet", 1)]:
        with pytest.raises(BadEvents, match=f"line {line}: 502 fields; an event may have 500"):
            read_file(str(tmp_path / name), build_declaration(), ())


def test_a_wide_csv_is_refused_and_one_that_says_its_names_twice_is_not(tmp_path: Path) -> None:
    path, many = tmp_path / "e.csv", [f"f{index}" for index in range(500)]
    path.write_text(",".join(["k", "t", *many]) + "\na,1" + ",1" * 500 + "\n")
    with pytest.raises(BadEvents, match="line 2: 502 fields"):
        read_file(str(path), build_declaration(), ())
    path.write_text(",".join(["k", "t", *many[:300] * 2]) + "\na,1" + ",1" * 600 + "\n")
    assert read_file(str(path), build_declaration(), ()).size == 1


def test_json_lines_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"k": "a", "t": 1}\n{"k": "b", "t": 2}\n')
    assert read_file(str(path), build_declaration(), ()).size == 2
    path.write_bytes(b"\xef\xbb\xbf")
    assert read_file(str(path), build_declaration(), ()).size == 0


def test_a_pipe_is_read_once_also_where_copies_are_looked_at_again(tmp_path: Path) -> None:
    path, lines = (
        tmp_path / "pipe",
        [json.dumps({"k": "a", "t": 1, "id": "1", "x": text}) + "\n" for text in "bca"],
    )
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("".join(lines),))
    writer.start()
    [stream, *_] = [item for item in STREAMS if item.id and item.unit != "iso8601"]
    table = read_file(str(path), stream, ("x",))
    writer.join()
    assert [json.loads(text)["x"] for text in table.texts(np.array([2, 1]))] == ["a", "c"]


def test_the_ending_of_a_name_may_be_in_capitals(tmp_path: Path) -> None:
    path = tmp_path / "EVENTS.CSV"
    path.write_text("k,t\na,1\n")
    assert read_file(str(path), build_declaration(), ()).size == 1


def test_an_end_is_put_to_floods_of_problems(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"{}\n" * 5_000)
    with pytest.raises(BadEvents) as bad:
        read_file(str(path), build_declaration(), ())
    assert [item.line for item in bad.value.problems] == list(range(1, 101))


def test_mistyped_values_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"k": 1, "t": 1, "n": "x", "on": 1, "x": [1]}\n{"k": 1, "t": 1, "n": 1, "on": null}\n')
    assert read_file(str(path), build_declaration(), FIELDS).mistyped == 3


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_on_a_terminal_only() -> None:
    for terminal, is_drawn in [(Terminal(), True), (io.StringIO(), False)]:
        with Progress(2_000_000, terminal) as progress:
            progress.show(1_000_000, 5)
        output = terminal.getvalue()
        assert ("50% 1.0 of 2.0 MB  5 events" in output) == is_drawn
        assert output.endswith("\r\033[K") == is_drawn


def test_an_id_that_holds_a_nul_is_refused_as_the_door_does(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"k": "a", "t": 1, "id": "x"}\n{"k": "a", "t": 2, "id": "\\u0000"}\n')
    with pytest.raises(BadEvents) as bad:
        read_file(str(path), build_declaration(id="id"), ())
    items = [(problem.line, problem.message) for problem in bad.value.problems]
    assert items == [(2, "'id' holds a NUL character; leave it out")]
