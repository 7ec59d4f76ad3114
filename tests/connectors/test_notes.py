"""What a store is given first stays."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from timeline_app.connectors.source_kit.memory import Faults, Memory
from timeline_app.connectors.splits.notes import Folder, Store


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Folder(tmp_path / "state") if request.param == "folder" else Memory(Faults())


def test_the_first_content_stays_and_is_told_to_all(store: Store) -> None:
    assert store.put("read-1", b"one") == b"one"
    assert store.put("read-1", b"two") == b"one"
    assert store.get("read-1") == b"one"
    assert store.get("read-2") is None


def test_names_are_found_by_their_beginning_in_order(store: Store) -> None:
    assert store.names("read-") == []
    for name in ("read-2", "found-1", "read-1"):
        store.put(name, b"")
    assert store.names("read-") == ["read-1", "read-2"]
    store.remove(["read-1", "read-9"])
    assert store.names("") == ["found-1", "read-2"]


def test_what_is_written_replaces_what_was_there(store: Store) -> None:
    store.write("status.json", b"1")
    store.write("status.json", b"2")
    assert store.get("status.json") == b"2"


def test_of_many_that_write_at_a_time_one_is_first(tmp_path: Path) -> None:
    datas: list[bytes] = []

    def write(number: int) -> None:
        datas.append(Folder(tmp_path).put("one", str(number).encode()))

    threads = [threading.Thread(target=write, args=[number]) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(datas) == 16
    assert len(set(datas)) == 1
    assert Folder(tmp_path).names("") == ["one"]
