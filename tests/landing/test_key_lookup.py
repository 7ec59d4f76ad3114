"""Raw events are found by key and instant, wherever they landed, in bounded time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from timeline_app.landing import key_lookup
from timeline_app.landing.key_lookup import find_events, find_events_between
from timeline_app.landing.log import Landing
from timeline_app.plan import EventBatch, StreamDeclaration

DECLARED = {"key": "k", "time": "t", "unit": "us", "fields": {"n": "number", "on": "bool"}}
STREAM = StreamDeclaration.from_document("s", DECLARED)
WITH_IDS = StreamDeclaration.from_document("s", {**DECLARED, "id": "i"})


def fill_landing(root: Path, *batches: list[dict[str, Any]], declared: StreamDeclaration = STREAM) -> Landing:
    """A landing with a file for each batch."""
    landing = Landing(root, "s")
    for events in batches:
        batch = EventBatch(declared)
        for event in events:
            batch.add(event)
        landing.append(batch)
    return landing


def build_event(time: int, key: str = "x", **fields: Any) -> dict[str, Any]:
    return {"k": key, "t": time, **fields}


def test_fields_have_their_declared_types_and_other_keys_and_instants_are_left_out(tmp_path: Path) -> None:
    landing = fill_landing(
        tmp_path, [build_event(1, n=2, on=True, word="a"), build_event(1, "y", n=3), build_event(2, n=4)]
    )
    assert find_events(landing, STREAM, "x", [1]) == {1: ([{"n": 2.0, "on": True, "word": "a"}], True)}


def test_early_and_late_files_are_found(tmp_path: Path) -> None:
    batches = [[build_event(time)] for time in range(100, 160)]
    landing = fill_landing(tmp_path, [build_event(130, n=1)], *batches, [build_event(130, n=2)])
    [(result, complete)] = find_events(landing, STREAM, "x", [130]).values()
    assert (sorted(item.get("n", 0.0) for item in result), complete) == ([0.0, 1.0, 2.0], True)


def test_nothing_found_is_complete_only_where_every_file_was_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = fill_landing(tmp_path, *([build_event(time)] for time in range(20)))
    assert find_events(landing, STREAM, "x", [50]) == {50: ([], True)}
    monkeypatch.setattr(key_lookup, "MAX_FILES_AROUND", 5)
    assert find_events(landing, STREAM, "x", [50]) == {50: ([], False)}
    assert find_events(landing, STREAM, "x", [11])[11] == ([{}], False)


def test_when_the_time_is_up_it_says_that_it_did_not_look(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, [build_event(1, n=2)])
    assert find_events(landing, STREAM, "x", [1], seconds=-1) == {1: ([], False)}


def test_of_copies_the_one_that_counts_is_told(tmp_path: Path) -> None:
    copies = [
        [build_event(1, i="a", n=1)],
        [build_event(1, i="a", n=3)],
        [build_event(1, i="a", n=2)],
        [build_event(1, i="b")],
    ]
    landing = fill_landing(tmp_path, *copies, declared=WITH_IDS)
    assert find_events(landing, WITH_IDS, "x", [1]) == {1: ([{"i": "a", "n": 3.0}, {"i": "b"}], True)}


def test_a_landing_without_files_and_a_file_that_is_gone(tmp_path: Path) -> None:
    assert find_events(Landing(tmp_path, "none"), STREAM, "x", [1]) == {1: ([], True)}
    landing = fill_landing(tmp_path, [build_event(1)], [build_event(2)])
    landing.file(0).unlink()
    assert find_events(landing, STREAM, "x", [1, 2])[2][0] == [{}]


def test_the_events_of_a_stretch_of_time_have_their_times(tmp_path: Path) -> None:
    landing = fill_landing(
        tmp_path,
        [build_event(1, n=1), build_event(5, n=5)],
        [build_event(3, n=3), build_event(3, "y")],
        [build_event(2, n=2)],
    )
    stretches = find_events_between(landing, STREAM, "x", [(2, 4), (6, 9)])
    assert stretches == {(2, 4): ([(2, {"n": 2.0}), (3, {"n": 3.0})], True), (6, 9): ([], True)}


def test_of_many_events_of_a_stretch_the_latest_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = fill_landing(tmp_path, [build_event(time) for time in (4, 1, 3, 2)])
    monkeypatch.setattr(key_lookup, "MAX_EVENTS_PER_STRETCH", 2)
    assert find_events_between(landing, STREAM, "x", [(1, 9)]) == {(1, 9): ([(3, {}), (4, {})], False)}
