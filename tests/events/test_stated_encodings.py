"""Text in a stated encoding is read at every door, as tables and as JSON; UTF-8 stays UTF-8."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.events import test_doors
from tests.events.test_doors import EVENTS, EXPECTED, TEXT_DOORS, list_outcomes, write_table
from tests.events.test_encodings_of_strangers import WORDS
from timeline_app.connectors.files.source import GrowingFiles
from timeline_app.connectors.raw_events import decode_unreadable
from timeline_app.events.decode import DecodeError, Notes
from timeline_app.events.guess.sample import read_sample
from timeline_app.events.uploads import read_whole
from timeline_app.plan import Refused, StreamDeclaration

DOCUMENT = {"key": "k", "time": "at", "unit": "iso8601", "fields": {"v": "number", "s": "text", "ok": "bool"}}
MORE_WORDS = [
    *WORDS,
    ("gb18030", "联通"),
    ("big5", "機械"),
    ("iso2022_jp", "機械設備"),
    ("utf-16-le", "łódź"),
]


def declare(encoding: str) -> StreamDeclaration:
    return StreamDeclaration.from_document("s", DOCUMENT | {"encoding": encoding})


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Any:
    """State the encoding of what the doors read."""
    return lambda encoding: monkeypatch.setattr(test_doors, "DECLARED", declare(encoding))


def write_forms(word: str) -> list[str]:
    """A table and lines of JSON in which one text is the word."""
    table = write_table(";", decimal=",")
    lines = "\n".join(json.dumps(event, ensure_ascii=False) for event in EVENTS)
    array = json.dumps(EVENTS, ensure_ascii=False, indent=1)
    return [text.replace("läuft", "on").replace("steht", word) for text in (table, lines, array)]


def expect(word: str) -> list[tuple[Any, ...]]:
    spell = {"läuft": "on", "steht": word}
    return [(*row[:3], spell[row[3]], row[4]) for row in EXPECTED]


@pytest.mark.parametrize(("encoding", "word"), MORE_WORDS)
def test_a_stated_encoding_is_read_at_every_door(
    encoding: str, word: str, state: Any, tmp_path: Path
) -> None:
    state(encoding)
    for text in write_forms(word):
        for body in (text.encode(encoding), gzip.compress(text.encode(encoding))):
            assert list_outcomes(body, tmp_path, TEXT_DOORS) == [expect(word)] * len(TEXT_DOORS), text[:20]


@pytest.mark.parametrize("encoding", ["cp1251", "shift_jis", "gb18030"])
@pytest.mark.parametrize("as_written", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_that_is_plainly_utf8_or_marked_is_read_as_that(
    encoding: str, as_written: str, state: Any, tmp_path: Path
) -> None:
    state(encoding)
    word = "Станок, 機械設備"
    for text in write_forms(word.replace(", ", " ") * 2):
        outcomes = list_outcomes(text.encode(as_written), tmp_path, TEXT_DOORS)
        assert outcomes == [expect(word.replace(", ", " ") * 2)] * len(TEXT_DOORS)


def test_notes_say_how_the_text_was_read() -> None:
    notes = Notes()
    read_whole(write_forms("Станок")[0].encode("cp1251"), declare("windows-1251"), 9, notes)
    assert "the text is read as cp1251, as the declaration states" in notes.texts
    notes = Notes()
    read_whole(write_forms("Станок")[0].encode(), declare("windows-1251"), 9, notes)
    assert "the text is UTF-8, and not cp1251 as the declaration states; it is read as UTF-8" in notes.texts


def test_text_of_another_encoding_than_stated_is_refused_by_line(state: Any, tmp_path: Path) -> None:
    for encoding, written in (("utf-8", "cp1251"), ("cp1253", "cp1251"), ("shift_jis", "koi8-r")):
        state(encoding)
        body = write_forms("Таня ҐЄ" if written == "cp1251" else "ЪЬ")[0].encode(written)
        outcomes = list_outcomes(body, tmp_path, TEXT_DOORS)
        assert outcomes[0][0][0] == 3
        for outcome in outcomes:
            assert "which the declaration states as the encoding. State the encoding that" in outcome[0][1]


def test_a_word_at_the_edge_of_a_block_is_whole() -> None:
    word = "機械設備"
    rows = "".join(f"A;2026-08-03T10:00:00Z;1;{'x' * (index % 7)}{word};true\n" for index in range(60_000))
    body = ("k;at;v;s;ok\n" + rows).encode("shift_jis")
    assert len(body) > 2 << 20
    batch = read_whole(body, declare("shift_jis"), 100_000, Notes())
    texts = {dict(fields)["s"] for fields in batch.fields}
    assert texts == {"x" * size + word for size in range(7)}


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("Windows-1251", "cp1251"), ("CP1251", "cp1251"), ("latin1", "cp1252"), ("ISO-8859-1", "cp1252"),
        ("Shift-JIS", "cp932"), ("sjis", "cp932"), ("GB2312", "gb18030"), ("UTF8", "utf-8"), ("utf_8_sig", "utf-8"),
        ("macroman", "mac-roman"), ("UTF-16LE", "utf-16-le"), (" koi8-r ", "koi8-r"), ("", None), (None, None),
    ],
)  # fmt: skip
def test_encodings_have_all_their_names(name: str | None, canonical: str | None) -> None:
    declared = StreamDeclaration.from_document("s", DOCUMENT | {"encoding": name})
    assert declared.encoding == canonical
    assert StreamDeclaration.from_document("s", declared.to_document()) == declared


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("windows-1521", "did you mean windows-1251?"), ("cp12510", "did you mean cp1251"), ("rot13", "write a name"),
        ("utf-7", "did you mean utf-"), ("cp037", "did you mean"), ("hex", "write a name"),
        (12, "write a name such as"),
        ("ÿ" * 99, "write a name such as windows-1250"), ("base64", "write a name such as"),
    ],
)  # fmt: skip
def test_unknown_encodings_are_refused_with_the_nearest(name: Any, hint: str) -> None:
    with pytest.raises(Refused) as refused:
        StreamDeclaration.from_document("s", DOCUMENT | {"encoding": name})
    [problem] = refused.value.problems
    assert "is no encoding that is read" in problem.message
    assert hint in (problem.hint or "")


def test_a_growing_file_in_a_stated_encoding_is_read_line_by_line(tmp_path: Path) -> None:
    lines = write_forms("Станок")[1].encode("cp1251") + b"\n" + b"\x98\n"
    (tmp_path / "a.log").write_bytes(lines)
    source = GrowingFiles(str(tmp_path), "a.log")
    source.declared = lambda: declare("windows-1251")
    [first] = list(source.sample(10))
    assert isinstance(first, pa.RecordBatch)
    events = first.column("event").to_pylist()
    assert json.loads(events[1])["s"] == "Станок"
    assert decode_unreadable(events[3].encode()) is not None


def test_a_sample_without_its_encoding_says_that_it_can_be_stated() -> None:
    body = write_forms("Станок")[0].encode("cp1251")
    with pytest.raises(DecodeError, match="State the encoding in the declaration"):
        read_sample(body)
    assert read_sample(body, encoding="cp1251").events[1]["s"] == "Станок"
