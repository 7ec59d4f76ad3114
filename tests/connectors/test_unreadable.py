"""A file that cannot be read is told, and holds up no other; once it is mended it is read."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timeline_app.connectors.files.source import Files, GrowingFiles, JsonLinesFiles
from timeline_app.connectors.files.table_source import CsvFiles, ParquetFiles
from timeline_app.connectors.messages import decode_messages
from timeline_app.connectors.raw_events import decode_unreadable
from timeline_app.connectors.reading import Message, NothingYet, SourceUnavailable
from timeline_app.connectors.splits.notes import Folder
from timeline_app.connectors.splits.portions import Carried, CarriedReader
from timeline_app.events.declaration import StreamDeclaration

pytestmark = pytest.mark.deep
"""Real waits, and programs that are started: not for each save of a file."""


DECLARED = StreamDeclaration.from_document("s", {"key": "n", "time": "t"})


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits between two looks."""
    for kind in (Files, GrowingFiles):
        monkeypatch.setattr(kind, "poll", 0.0)


def open_reader(source: Files, tmp_path: Path) -> CarriedReader:
    return Carried(lambda: source, "it", Folder(tmp_path / "notes")).open({})


def take_all(reader: CarriedReader) -> tuple[list[object], list[tuple[str, str, str]]]:
    """The events of all that comes, and what was rejected: place, code, words."""
    messages: list[Message] = []
    for _ in range(4):
        messages += reader.take().messages
    result = decode_messages(messages, DECLARED)
    rejected = [(item.place, item.problem.code, item.problem.message) for item in result.wrong]
    return [json.loads(line) for line in result.lines], rejected


def write_numbers(path: Path, *count: int) -> None:
    pq.write_table(pa.table({"n": list(count)}), path, row_group_size=1, compression="none")


def test_what_is_no_parquet_holds_up_no_other_and_is_read_once_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.mkdir()
    write_numbers(path / "a.parquet", 1)
    (path / "bad.parquet").write_text("no Parquet at all")
    write_numbers(path / "c.parquet", 2)
    reader = open_reader(ParquetFiles(str(path), "*", 0.0), tmp_path)
    assert take_all(reader) == ([{"n": 1}, {"n": 2}], [])
    answer = reader.take().complaint
    assert "bad.parquet (This is no Parquet file. Read it as files of JSON lines" in answer
    assert answer.endswith("mend it, or take it away")
    write_numbers(path / "bad.parquet", 3)
    assert take_all(reader) == ([{"n": 3}], [])
    assert reader.take().complaint == ""


@pytest.mark.parametrize(("kind", "quiet"), [(GrowingFiles, ()), (JsonLinesFiles, (0.0,))])
def test_a_file_that_cannot_be_opened_for_a_while_is_read_on_where_it_was_left(
    kind: type[JsonLinesFiles], quiet: tuple[float, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are read in part when one of them fails; the other goes on meanwhile."""
    path = tmp_path / "in"
    path.mkdir()
    monkeypatch.setattr(JsonLinesFiles, "most", 600)
    monkeypatch.setattr(JsonLinesFiles, "least", 1)
    for name in "ab":
        (path / name).write_text("".join(f'{{"{name}": {number}}}\n' for number in range(100)))
    source = kind(str(path), "*", *quiet)
    reader = open_reader(source, tmp_path)
    events = [json.loads(message.value or b"") for message in reader.take().messages]
    assert {name for event in events for name in event} == {"a", "b"}
    end_of = source.end_of

    def fails(file: Path) -> int:
        if file.name == "a":
            raise PermissionError(13, "Permission denied")
        return end_of(file)

    monkeypatch.setattr(source, "end_of", fails)
    os.utime(path / "a")
    answer, more = reader.take(), 8
    while more := more - 1 if not answer.messages else 8:
        events += [json.loads(message.value or b"") for message in answer.messages]
        answer = reader.take()
    assert "a (the server may not read it" in answer.complaint
    assert sum("a" in event for event in events) < 100
    monkeypatch.setattr(source, "end_of", end_of)
    os.utime(path / "a")
    reader.close()
    reopened = Carried(lambda: source, "it", Folder(tmp_path / "notes")).open(dict(answer.positions))
    for _ in range(12):
        events += [json.loads(message.value or b"") for message in reopened.take().messages]
    assert sorted(map(str, events)) == sorted(str({name: number}) for name in "ab" for number in range(100))


@pytest.mark.parametrize("line", [b"\0" + b"5", b"\0null", b'\0["made_up","by somebody"]', b'\0["c"]'])
def test_who_sends_what_looks_like_a_reason_of_ours_is_refused_as_anybody(
    line: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "in"
    path.mkdir()
    (path / "a").write_bytes(line + b'\n{"n":1}\n')
    messages = list(open_reader(JsonLinesFiles(str(path), "*", 0.0), tmp_path).take().messages)
    assert [message.unread for message in messages] == [None, None]
    assert messages[0].value == line


@pytest.mark.parametrize(
    "text", ["\0", "\x005", "\0null", f'\0["{"c" * 41}","x"]', '\0["c",5]', '\0["","x"]']
)
def test_what_is_no_reason_is_somebody_s_own_text(text: str) -> None:
    assert decode_unreadable(text.encode()) is None


def test_many_bad_files_are_told_in_few_words_and_are_forgotten_with_them(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"{number:02d}.parquet").write_text("no")
    source = ParquetFiles(str(tmp_path), "*.parquet", 0.0)
    assert list(source.restrictions()) == []
    assert "47 more" in source.complaint()
    assert len(source.complaint()) < 500
    with pytest.raises(SourceUnavailable, match=r"00\.parquet"):
        list(source.sample(1))
    for path in tmp_path.glob("*.parquet"):
        path.unlink()
    assert list(source.restrictions()) == []
    assert source.complaint() == ""


def test_a_row_group_that_cannot_be_read_holds_up_no_other(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.mkdir()
    write_numbers(path / "a.parquet", 1, 2, 3)
    place = pq.read_metadata(path / "a.parquet").row_group(1).column(0)
    content = bytearray((path / "a.parquet").read_bytes())
    begin = place.dictionary_page_offset or place.data_page_offset
    content[begin : begin + place.total_compressed_size] = b"\xff" * place.total_compressed_size
    (path / "a.parquet").write_bytes(content)
    events, rejected = take_all(open_reader(ParquetFiles(str(path), "*", 0.0), tmp_path))
    assert events == [{"n": 1}, {"n": 3}]
    ((place_told, code, words),) = rejected
    assert (place_told, code) == ("row 2 of a.parquet", "unreadable")
    assert "row group 1 cannot be read" in words


def test_an_endless_cell_is_rejected_and_the_rows_behind_it_are_read(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.mkdir()
    (path / "a.csv").write_text(f"n,note\n1,x\n2,{'y' * 200_000}\n3,z\n")
    (path / "b.csv").write_text("n\n4\n")
    events, rejected = take_all(open_reader(CsvFiles(str(path), "*", 0.0), tmp_path))
    assert events == [{"n": "1", "note": "x"}, {"n": "3", "note": "z"}, {"n": "4"}]
    ((place, code, words),) = rejected
    assert (place, code) == ("line 3 of a.csv", "value_too_long")
    assert "a cell has more than 131,072 characters; a value may have 65,536" in words


@pytest.mark.parametrize(("kind", "place"), [(JsonLinesFiles, "byte 8"), (CsvFiles, "line 2")])
def test_a_file_that_is_cut_short_while_it_is_read_holds_up_no_other(
    kind: type[Files], place: str, tmp_path: Path
) -> None:
    path = tmp_path / "in"
    path.mkdir()
    names = {JsonLinesFiles: '{"n":1}\n{"n":2}\n', CsvFiles: "n\n1\n2\n"}
    for name in "ab":
        (path / name).write_text(names[kind])
    source = kind(str(path), "*", 0.0)
    reader = open_reader(source, tmp_path)
    planned = source.restrictions
    result = list(planned())
    with (path / "a").open("r+") as file:
        file.truncate({JsonLinesFiles: 8, CsvFiles: 4}[kind])
    source.restrictions = lambda: result  # type: ignore[method-assign]  # it was found when it was whole
    events, rejected = take_all(reader)
    assert len(events) == 3
    ((place_told, code, words),) = rejected
    assert (place_told, code) == (f"{place} of a", "cut_short")
    assert "a was cut short while it was read" in words


def test_who_finds_nothing_is_told_only_what_would_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in (".hidden", "a.tmp"):
        (tmp_path / name).touch()
    with pytest.raises(NothingYet, match="it is empty, or has none that would be read"):
        list(JsonLinesFiles(str(tmp_path), "*.jsonl").sample(1))
    (tmp_path / "a.csv").touch()
    with pytest.raises(NothingYet, match=r"there are a\.csv$"):
        list(JsonLinesFiles(str(tmp_path), "*.jsonl").sample(1))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            gzip.compress(b'{"n": 1, "t": 1}\n', mtime=0),
            "This is GZIP, which cannot be read while it grows. Write JSON",
        ),
        ('{"n": 1, "t": 1}\n'.encode("utf-16"), "This is UTF-16-LE, which cannot be read while it grows"),
        (b"n;t;v\n1;2;3\n", "This is a table, and tables are not read while they grow. Write JSON lines"),
        (b"%PDF-1.7\n", "This is a PDF"),
    ],
)
def test_what_grows_and_is_no_lines_of_json_is_left_out_in_words(
    body: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "in"
    path.mkdir()
    (path / "bad.log").write_bytes(body)
    (path / "good.log").write_bytes(b'{"n": 1, "t": 1}\n')
    source = GrowingFiles(str(path), "*")
    source.declared = lambda: DECLARED
    reader = open_reader(source, tmp_path)
    assert take_all(reader) == ([{"n": 1, "t": 1}], [])
    assert f"bad.log ({words}" in reader.take().complaint
    (path / "bad.log").write_bytes(b'{"n": 2, "t": 2}\n{"n": 3, "t": 3}\n')
    assert len(take_all(reader)[0]) == 2
