"""How messages become lines of events: one, several, with what came beside them."""

from __future__ import annotations

import orjson
import pytest

from timeline_app.sources.reading import Beside, Message, lines_of

KEY = Beside("k", "the key", "ü1".encode())
BINARY = Beside("k", "the key", b"\x00\xff" * 20)
DEEP = b"[" * 300 + b"]" * 300


def taken(value: bytes, *beside: Beside) -> list[object]:
    """The events of a message, of which nothing is wrong."""
    found = lines_of([Message(value, "t/0", 7, beside)])
    assert not found.wrong
    assert len(found.owners) == len(found.lines)
    assert not any(b"\n" in line for line in found.lines)
    return [orjson.loads(line) for line in found.lines]


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
    assert taken(value, KEY) == events


def test_the_first_that_is_there_counts() -> None:
    assert taken(b"{}", KEY, Beside("k", "the header 'x'", b"other")) == [{"k": "ü1"}]
    assert taken(b"{}", Beside("k", "the header 'x'", b""), KEY) == [{"k": ""}]


def test_what_is_not_text_is_refused_only_where_it_is_needed() -> None:
    found = lines_of([Message(b'{"v": 1}\n{"k": "own"}', "t/0", 7, (BINARY,))])
    assert found.lines == [b'{"k":"own"}']
    [(problem, text, place, alone)] = found.wrong
    assert (problem.field, problem.code, text) == ("k", "not_utf8", '{"v": 1}')
    assert (place, alone) == ("message 7 of t/0", True)
    assert problem.message == (
        "the key is not text in UTF-8 (00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff …), so that 'k' cannot take it"
    )


@pytest.mark.parametrize("value", [b"{", b"17", b'"text"', b'{"v": NaN}', b'{"v": ' + DEEP + b"}"])
def test_what_is_no_event_stays_as_it_is_for_the_door_to_say(value: bytes) -> None:
    assert lines_of([Message(value, "t/0", 7, (KEY,))]).lines == [value]


@pytest.mark.parametrize("beside", [(), (KEY,)])
def test_what_is_nested_too_deeply_holds_up_no_other(beside: tuple[Beside, ...]) -> None:
    found = lines_of([Message(b'[{"v": ' + DEEP + b'}, {"k": "a"}]', "t/0", 7, beside)])
    assert found.lines == [b'{"k":"a"}']
    assert [(one.problem.code, one.place) for one in found.wrong] == [("nested", "message 7 of t/0")]
    pretty = lines_of([Message(b'{"v":\n' + DEEP + b"}", "t/0", 7, beside)])
    assert (len(pretty.lines), pretty.wrong) == (1, [])


def test_a_large_header_is_not_copied_into_events_without_measure() -> None:
    header = Beside("region", "the header 'region'", b"x" * 60_000)
    found = lines_of([Message(b"{}\n" * 100_000, "t/0", 7, (header,)), Message(b"{}", "t/0", 8, (header,))])
    assert sum(map(len, found.lines)) < 3 * 2**20
    assert found.owners[-1].number == 8
    [wrong] = found.wrong
    assert (wrong.place, wrong.problem.code) == ("message 7 of t/0", "too_large")
