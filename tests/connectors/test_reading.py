"""How messages become lines of events: one, several, with what came beside them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import orjson
import pyarrow as pa
import pytest

from timeline_app.connectors.messages import Lines, decode_messages
from timeline_app.connectors.reading import Beside, Message
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.errors import NO_EVENTS
from timeline_app.landing.request_body import read_lines

KEY = Beside("k", "the key", "ü1".encode())
BINARY = Beside("k", "the key", b"\x00\xff" * 20)
DEEP = b"[" * 300 + b"]" * 300
DECLARED = StreamDeclaration.from_document(
    "s", {"key": "k", "time": "t", "unit": "ms", "fields": {"v": "number"}}
)


def decode(*messages: Message, declared: StreamDeclaration = DECLARED) -> Lines:
    return decode_messages(messages, declared)


def take_events(value: bytes, *beside: Beside) -> list[object]:
    """The events of a message, of which nothing is wrong."""
    text = decode(Message(value, "t/0", 7, beside))
    assert not text.wrong
    assert len(text.owners) == len(text.lines)
    assert not any(b"\n" in line for line in text.lines)
    return [orjson.loads(line) for line in text.lines]


@pytest.mark.parametrize(
    ("value", "events"),
    [
        (b'{"v": 1}', [{"v": 1, "k": "ü1"}]),
        (b'{"v": 1, "k": null}', [{"v": 1, "k": "ü1"}]),
        (b'{"v": 1, "k": "own"}', [{"v": 1, "k": "own"}]),
        (b'{"k": ""}', [{"k": ""}]),
        (b'{"v": 1}\n{"k": 2}', [{"v": 1, "k": "ü1"}, {"k": 2}]),
        (b'[{"v": 1}, {"k": 0}, 3]', [{"v": 1, "k": "ü1"}, {"k": 0}, 3]),
        (b'{\n "v": "a\\nb"\n}', [{"v": "a\nb", "k": "ü1"}]),
        (b'{"v": 12345678901234567890123, "w": -0.0}', [{"v": 1.2345678901234568e22, "w": -0.0, "k": "ü1"}]),
    ],
)
def test_an_event_takes_the_key_where_it_lacks_the_field(value: bytes, events: list[object]) -> None:
    assert take_events(value, KEY) == events


def test_the_first_that_is_there_counts() -> None:
    assert take_events(b"{}", KEY, Beside("k", "the header 'x'", b"other")) == [{"k": "ü1"}]
    assert take_events(b"{}", Beside("k", "the header 'x'", b""), KEY) == [{"k": ""}]


def test_what_is_not_text_is_refused_only_where_it_is_needed() -> None:
    result = decode(Message(b'{"v": 1}\n{"k": "own"}', "t/0", 7, (BINARY,)))
    assert result.lines == [b'{"k":"own"}']
    [(problem, text, place, alone)] = result.wrong
    assert (problem.field, problem.code, text) == ("k", "not_utf8", '{"v":1}')
    assert (place, alone) == ("line 1 of message 7 of t/0", True)
    assert problem.message == (
        "the key is not text in UTF-8 (00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff …), so that 'k' cannot take it"
    )


@pytest.mark.parametrize("beside", [(), (KEY,)])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"{", "the event is cut off at column 2"),
        (b"17", "nothing separates the first line, '17'"),
        (b'"text"', "neither JSON nor a table"),
        (b'{"v": NaN}', "'v' is NaN, which JSON does not have; write null"),
        (b'{"v": "\xff"}', "the byte 0xFF at column 8 is not UTF-8"),
        (b'{"k": "a", "k": "b"}', "'k' stands twice in one object"),
        (b"\0\0\0\0\7\x02a", "of a schema registry"),
        (b"[]", NO_EVENTS),
        (b" ", NO_EVENTS),
        (gzip.compress(b"", mtime=0), NO_EVENTS),
        (None, "the message has no value"),
    ],
)
def test_what_is_no_event_is_refused_with_its_cause(
    value: bytes | None, words: str, beside: tuple[Beside, ...]
) -> None:
    lines = decode(Message(value, "t/0", 7, beside))
    problems = read_lines(lines.lines, DECLARED)[1] if lines.lines else []
    [message] = [item.problem.message for item in lines.wrong] + [problem.message for problem in problems]
    assert words in message


@pytest.mark.parametrize("beside", [(), (KEY,)])
def test_what_is_nested_too_deeply_holds_up_no_other(beside: tuple[Beside, ...]) -> None:
    lines = decode(Message(b'[{"v": ' + DEEP + b'}, {"k": "a"}]', "t/0", 7, beside))
    assert lines.lines == [b'{"k":"a"}']
    assert [(item.problem.code, item.place) for item in lines.wrong] == [
        ("nested", "line 1 of message 7 of t/0")
    ]
    pretty = decode(Message(b'{"v":\n' + DEEP + b"}", "t/0", 7, beside))
    assert [item.problem.code for item in pretty.wrong] == ["nested"]


TABLE = b"k;t;v\na;1;1,5\nb;2;2,5\n"
TWO = [{"k": "a", "t": "1", "v": 1.5}, {"k": "b", "t": "2", "v": 2.5}]


@pytest.mark.parametrize(
    "value",
    [
        TABLE,
        gzip.compress(TABLE, mtime=0),
        TABLE.decode().encode("utf-16"),
        json.dumps({"page": 1, "records": TWO}).encode(),
        json.dumps({"data": {"items": TWO}}, indent=1).encode(),
        "".join(map(json.dumps, TWO)).encode(),
        bytes(pa.compress(json.dumps(TWO).encode(), "zstd", asbytes=True)),
        json.dumps(TWO).encode("utf-16"),
        b"\n".join(json.dumps({"k": event["k"], "t": event["t"], "v": event["v"]}).encode() for event in TWO),
    ],
)
def test_a_message_may_have_any_form_that_a_file_has(value: bytes) -> None:
    assert take_events(value) == TWO


@pytest.mark.parametrize(
    ("whole", "names", "events"),
    [
        ({"records": [{"t": 1, "v": 2}]}, ["k"], [{"t": 1, "v": 2, "k": "x"}]),
        ({"t": 1, "items": [{"sku": 1}]}, ["k"], [{"t": 1, "items": [{"sku": 1}], "k": "x"}]),
        ({"items": [{"sku": 1}]}, ["k", "t"], [{"items": [{"sku": 1}], "k": "x", "t": "x"}]),
        ({"k": "a", "items": [{"sku": 1}]}, ["t"], [{"k": "a", "items": [{"sku": 1}], "t": "x"}]),
        ({"rows": [{"k": "a"}, {"k": "b"}]}, ["t"], [{"k": "a", "t": "x"}, {"k": "b", "t": "x"}]),
        ({"rows": [{"k": "a", "t": 1}], "k": "b"}, [], [{"k": "a", "t": 1}]),
    ],
)
def test_what_came_beside_says_whether_an_object_wraps_events(
    whole: dict[str, Any], names: list[str], events: list[Any]
) -> None:
    beside = [Beside(name, "the key", b"x") for name in names]
    assert take_events(json.dumps(whole).encode(), *beside) == events


def test_of_an_envelope_with_a_schema_the_payload_is_the_event() -> None:
    schema = {"type": "struct", "fields": [{"field": "k", "type": "string"}, {"field": "t", "type": "int64"}]}
    assert take_events(json.dumps({"schema": schema, "payload": TWO[0]}).encode()) == TWO[:1]


def test_a_table_needs_no_column_for_what_came_beside() -> None:
    assert take_events(b"t,v\n1,2\n3,4\n", KEY) == [
        {"t": "1", "v": 2.0, "k": "ü1"},
        {"t": "3", "v": 4.0, "k": "ü1"},
    ]
    [rejected] = decode(Message(b"t,v\n1,2\n", "t/0", 7)).wrong
    assert "line 1: No column is called 'k'" in rejected.problem.message


def test_what_is_wrong_with_one_line_of_a_message_is_told_by_its_line() -> None:
    lines = decode(Message(gzip.compress(b'{"k": 1}\n\n{"k": NaN}\n{"k": 2}'), "t/0", 7))
    assert len(lines.lines) == 2
    [rejected] = lines.wrong
    assert (rejected.text, rejected.place) == ('{"k": NaN}', "line 3 of message 7 of t/0")


def test_what_a_source_has_decoded_is_not_unwrapped() -> None:
    value = b'{"records": [{"t": 1}, {"t": 2}]}'
    assert decode(Message(value, "t/0", 7, decoded=True)).lines == [value.replace(b" ", b"")]
    two = decode(Message(b'{"k": "a"} {"k": "b"}', "t/0", 7, decoded=True))
    assert two.lines == [b'{"k":"a"}', b'{"k":"b"}']


def test_a_message_of_too_many_events_is_cut_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timeline_app.connectors.messages.MAX_MESSAGE_EVENTS", 2)
    assert len(decode(Message(b"{}\n{}", "t/0", 7)).wrong) == 0
    lines = decode(Message(b"{}\n{}\n{}", "t/0", 7))
    assert (len(lines.lines), [item.problem.code for item in lines.wrong]) == (2, ["too_many"])


def test_a_large_header_is_not_copied_into_events_without_measure() -> None:
    header = Beside("region", "the header 'region'", b"x" * 60_000)
    text = decode(Message(b"{}\n" * 100_000, "t/0", 7, (header,)), Message(b"{}", "t/0", 8, (header,)))
    assert sum(map(len, text.lines)) < 3 * 2**20
    assert text.owners[-1].number == 8
    [rejected] = text.wrong
    assert (rejected.place, rejected.problem.code) == ("message 7 of t/0", "too_large")
