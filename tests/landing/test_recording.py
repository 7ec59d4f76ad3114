"""Events are taken out of a landing as they came: the last ones, or those after a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.validate import EventBatch
from timeline_app.landing.log import Landing
from timeline_app.landing.recording import describe_events, load_last_rows, load_next_rows

PLAIN = StreamDeclaration.from_document("s", {"key": "k", "time": "t", "fields": {"n": "number"}})


@pytest.fixture
def landing(tmp_path: Path) -> Landing:
    """Twelve events of three keys in four batches."""
    landing = Landing(tmp_path, "s")
    for start in range(0, 12, 3):
        batch = EventBatch(PLAIN)
        for n in range(start, start + 3):
            batch.add({"k": f"k{n % 3}", "t": n, "n": n})
        landing.append(batch)
    return landing


def list_numbers(table: object) -> list[int]:
    return [int(event["n"]) for event in describe_events(table, PLAIN)]


@pytest.mark.parametrize("most", [1, 3, 4, 12, 50])
def test_the_last_events_are_the_last_in_their_order(landing: Landing, most: int) -> None:
    table, whole = load_last_rows(landing, most)
    assert (list_numbers(table), whole) == (list(range(12))[-most:], True)


def test_the_last_events_of_a_key(landing: Landing) -> None:
    assert list_numbers(load_last_rows(landing, 3, ["k1"])[0]) == [4, 7, 10]
    assert list_numbers(load_last_rows(landing, 9, ["k0", "k2"])[0]) == [0, 2, 3, 5, 6, 8, 9, 11]
    assert list_numbers(load_last_rows(landing, 3, ["gone"])[0]) == []


def test_nobody_waits_for_ever(landing: Landing) -> None:
    assert load_last_rows(landing, 3, ["gone"], seconds=0)[1] is False


def test_the_next_events_come_once_each(landing: Landing) -> None:
    table, place = load_next_rows(landing, 2, 100)
    assert (list_numbers(table), place) == ([6, 7, 8, 9, 10, 11], 4)
    assert list_numbers(load_next_rows(landing, place, 100)[0]) == []
    assert list_numbers(load_next_rows(landing, 1, 2)[0]) == [3, 4]
    assert list_numbers(load_next_rows(landing, 1, 2, ["k2"])[0]) == [5, 8]


@pytest.mark.parametrize(
    ("unit", "time"),
    [("ms", 1500), ("s", 1.5), ("us", 1_500_000), ("iso8601", "1970-01-01T00:00:01.500000Z")],
)
def test_an_event_comes_back_as_it_was_pushed(unit: str, time: object) -> None:
    fields = {"n": "number", "live": "bool"}
    declared = StreamDeclaration.from_document("s", {"key": "k", "time": "t", "unit": unit, "fields": fields})
    event = {"k": "a", "t": time, "n": 2.5, "live": False, "word": "x"}
    batch = EventBatch(declared)
    batch.add(event)
    from timeline_app.landing.log import build_table

    assert describe_events(build_table(batch), declared) == [event]
