"""The landing: a log of numbered files; nothing is lost, nothing half written is read, no number is skipped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import declarations, deliveries
from timeline_app.fs.paths import require_path
from timeline_app.landing.batches import Count
from timeline_app.landing.log import (
    Landing,
    build_host_schema,
    build_host_table,
    build_landed_schema,
    build_table,
)
from timeline_app.plan import EventBatch, StreamDeclaration

DECLARED = StreamDeclaration.from_document(
    "s", {"key": "k", "time": "t", "unit": "us", "id": "id", "fields": {"n": "number", "on": "bool"}}
)
FIELDS = ("n", "on", "state")

WRITER = """
import sys
from pathlib import Path
from tests.landing.test_log import build_batch
from timeline_app.landing.log import Landing

landing = Landing(Path(sys.argv[1]), "s")
print(*(landing.append(build_batch({"k": sys.argv[2], "t": place})) for place in range(int(sys.argv[3]))))
"""


def build_batch(*events: dict[str, Any], declared: StreamDeclaration = DECLARED) -> EventBatch:
    new_batch = EventBatch(declared)
    for event in events:
        new_batch.add(event)
    return new_batch


def read(landing: Landing, start: int = 0) -> pa.Table:
    return landing.read(start, landing.end(), DECLARED, FIELDS)


def test_what_is_appended_is_read_back_typed_and_in_order(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    item = build_batch({"k": "a", "t": 1, "id": 7, "n": 2, "on": True, "state": "é"}, {"k": "b", "t": -5})
    assert landing.append(item) == 0
    assert landing.append(build_batch({"k": "c", "t": 3, "n": 0.1, "on": False, "more": "x"})) == 1
    rows = read(landing).to_pylist()
    assert [(row["key"], row["time"], row["id"]) for row in rows] == [
        ("a", 1, "7"),
        ("b", -5, None),
        ("c", 3, None),
    ]
    values = [(row["v0"], row["v1"], row["v2"]) for row in rows]
    assert values == [(2.0, True, "é"), (None, None, None), (0.1, False, None)]
    assert rows[0]["text"] == '{"id":7,"k":"a","n":2,"on":true,"state":"é","t":1}'
    assert read(landing, 1)["key"].to_pylist() == ["c"]


def test_events_carry_the_number_of_their_batch_and_can_be_counted(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    for size in (2, 1, 3):
        landing.append(build_batch(*({"k": "a", "t": index} for index in range(size))))
    assert read(landing)["file"].to_pylist() == [0, 0, 1, 2, 2, 2]
    assert read(landing, 1)["file"].to_pylist() == [1, 2, 2, 2]
    sizes = [require_path(landing.file(number)).stat().st_size for number in range(3)]
    assert landing.count(0, 3) == Count(6, sum(sizes), 3)
    assert landing.count(1, 2) == Count(1, sizes[1], 1)
    assert landing.count(2, 2) == landing.count(7, 9) == Count(0, 0, 0)


def test_a_log_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    assert landing.end() == 0
    assert read(landing).num_rows == 0
    assert read(landing).schema == build_landed_schema(DECLARED, FIELDS)
    assert not list(tmp_path.iterdir())


@pytest.mark.deep
def test_several_processes_append_at_once_without_gap_or_loss(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    root = Path(__file__).parents[2]
    writers = [
        subprocess.Popen([*command, name, "25"], stdout=subprocess.PIPE, text=True, cwd=root)
        for name in "abc"
    ]
    numbers = [int(number) for writer in writers for number in writer.communicate(timeout=240)[0].split()]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert sorted(numbers) == list(range(75))
    landing = Landing(tmp_path, "s")
    assert landing.end() == 75
    rows = read(landing)
    result = list(zip(rows["key"].to_pylist(), rows["time"].to_pylist(), strict=True))
    assert sorted(result) == [(name, index) for name in "abc" for index in range(25)]
    for name in "abc":
        assert [time for key, time in result if key == name] == list(range(25))


def test_what_a_killed_writer_left_is_never_read(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    landing.append(build_batch({"k": "a", "t": 1}))
    (tmp_path / "s" / ".0123.staged").write_bytes(b"PAR1 half a file")
    reopened = Landing(tmp_path, "s")
    assert reopened.append(build_batch({"k": "b", "t": 2})) == 1
    assert read(reopened)["key"].to_pylist() == ["a", "b"]


def test_a_writer_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    landing = Landing(tmp_path, "s")
    monkeypatch.setattr("timeline_app.fs.durable.os.link", _raise_full)
    with pytest.raises(OSError, match="No space"):
        landing.append(build_batch({"k": "a", "t": 1}))
    assert list((tmp_path / "s").iterdir()) == []
    monkeypatch.undo()
    assert landing.append(build_batch({"k": "a", "t": 1})) == 0


def _raise_full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_writer_sees_what_others_have_written_since(tmp_path: Path) -> None:
    left, right = Landing(tmp_path, "s"), Landing(tmp_path, "s")
    assert [left.append(build_batch({"k": "a", "t": 1})) for _ in range(3)] == [0, 1, 2]
    assert [right.append(build_batch({"k": "b", "t": 1})), left.append(build_batch({"k": "a", "t": 1}))] == [
        3,
        4,
    ]
    assert left.end() == right.end() == 5


@given(declarations().flatmap(lambda declared: st.tuples(st.just(declared), deliveries(declared))))
def test_events_survive_the_landing(drawn: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    document, events = drawn
    declared = StreamDeclaration.from_document("s", document)
    table = build_host_table(
        build_table(build_batch(*events, declared=declared)), declared, ("bitrate", "live", "state")
    )
    assert table.schema == build_host_schema(declared, ("bitrate", "live", "state"))
    back = list(zip(*(table[name].to_pylist() for name in ("key", "time", "v0", "v1", "v2")), strict=True))
    names = ("bitrate", "live", "state")
    assert back == [(item["k"], item["t"] * 1_000, *(item.get(name) for name in names)) for item in events]


def test_threads_that_look_for_the_end_at_once_find_it(tmp_path: Path) -> None:
    class Asked(Landing):
        """While it looks whether a batch is there, another thread looks as well."""

        others = 1

        def file(self, number: int) -> Path:
            if self.others:
                self.others -= 1
                self.end()
            return require_path(super().file(number))

    for number in range(3):
        Landing(tmp_path, "s").append(build_batch({"k": "a", "t": number}))
    assert Asked(tmp_path, "s").end() == 3
    late = Asked(tmp_path, "s")
    late._next = 1
    assert [late.end(), late.end()] == [3, 3]


def test_a_column_that_a_batch_of_an_earlier_version_does_not_have_is_null(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    landing.append(build_batch({"k": "a", "t": 1, "id": 7}))
    file = require_path(landing.path / "000000000000.parquet")
    old = pq.read_table(file).drop_columns(["id", "text"])
    pq.write_table(old, file)
    [row] = Landing(tmp_path, "s").rows(0, 1).to_pylist()
    assert (row["key"], row["time"], row["id"], row["text"], row["file"]) == ("a", 1, None, None, 0)
