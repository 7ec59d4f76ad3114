"""Files of events: every format keeps the promises, and says what is wrong with a file."""

from __future__ import annotations

import json
import os
import time
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timeline_app.connectors.files.source import Files, GrowingFiles, JsonLinesFiles
from timeline_app.connectors.files.table_source import CsvFiles, ParquetFiles
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.raw_events import decode_unreadable, restore_bytes
from timeline_app.connectors.source_kit import CASES, SourceCase, SourceHarness
from timeline_app.connectors.source_kit.query import Query
from timeline_app.connectors.splits.notes import Folder
from timeline_app.connectors.splits.planner import Planner


class FilesWorld(SourceHarness):
    """A directory, in which each sending is a file."""

    kind: type[Files]
    ending: str

    def __init__(self, path: Path) -> None:
        self.path, self.sendings = path / "in", 0
        self.path.mkdir(exist_ok=True)

    def source(self) -> Files:
        return self.kind(str(self.path), f"*{self.ending}", 0.0)

    def send(self, events: Iterable[int]) -> None:
        numbers = list(events)
        self.sendings += bool(numbers)
        if numbers:
            draft = self.path / ".draft"
            self.write(draft, numbers)
            os.utime(draft, (time.time() - 5, time.time() - 5))
            draft.rename(self.path / f"{self.sendings:05d}{self.ending}")

    @abstractmethod
    def write(self, path: Path, numbers: list[int]) -> None:
        """Such a file."""

    def number(self, row: Mapping[str, Any]) -> int:
        return int(json.loads(row["event"])["n"])


class JsonLinesWorld(FilesWorld):
    kind, ending = JsonLinesFiles, ".jsonl"

    def write(self, path: Path, numbers: list[int]) -> None:
        lines = [json.dumps({"n": number, "pad": "x" * (number % 50)}) for number in numbers]
        path.write_text("\n\n".join(lines))  # blank lines between, none at the end


class CsvWorld(FilesWorld):
    kind, ending = CsvFiles, ".csv"

    def write(self, path: Path, numbers: list[int]) -> None:
        path.write_text("n,note\n" + "".join(f'{number},"two\nlines"\n' for number in numbers))


class ParquetWorld(FilesWorld):
    kind, ending = ParquetFiles, ".parquet"

    def write(self, path: Path, numbers: list[int]) -> None:
        pq.write_table(pa.table({"n": numbers}), path, row_group_size=4)


class GrowingWorld(SourceHarness):
    """Two logs that grow, one event at a time, with half a line at the end."""

    def __init__(self, path: Path) -> None:
        self.path, self.halves = path / "in", ["", ""]
        self.path.mkdir(exist_ok=True)

    def source(self) -> GrowingFiles:
        return GrowingFiles(str(self.path), "*.log*")

    def send(self, events: Iterable[int]) -> None:
        for number in events:
            line = json.dumps({"n": number}) + "\n"
            begun = '{"' if number % 3 else ""
            with (self.path / f"{number % 2}.log").open("a") as file:
                file.write(line.removeprefix(self.halves[number % 2]) + begun)
            self.halves[number % 2] = begun

    def number(self, row: Mapping[str, Any]) -> int:
        return int(json.loads(row["event"])["n"])


WORLDS: list[type[Any]] = [JsonLinesWorld, CsvWorld, ParquetWorld, GrowingWorld]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_files_keep_their_promises(world: type[Any], case: SourceCase, tmp_path: Path) -> None:
    case.run(lambda: world(tmp_path))


def read_rows(source: Files, tmp_path: Path) -> list[dict[str, Any]]:
    planner = Planner(source, Folder(tmp_path / "state"))
    plan = planner.latest(planner.initial())
    assert not planner.status()["troubles"], planner.status()
    return [
        row
        for places in planner.partitions(planner.initial(), plan)
        for place in places
        for batch in planner.reader.read(1, place, find_split(plan, place))
        for row in batch.to_pylist()
    ]


def find_split(plan: Any, index: int) -> Any:
    from timeline_app.connectors.splits.offsets import Plan

    return Plan.from_document(plan).splits[index]


def test_an_event_says_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"n": 1}\n\n{"n": 2}\n')
    (tmp_path / "b.csv").write_text("n,note\n1,\n2,x\n")
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "c.parquet", row_group_size=1)
    items = [
        [(json.loads(row["event"]), row["origin"], row["place"]) for row in read_rows(source, tmp_path / str(index))]
        for index, source in enumerate(
            (
                JsonLinesFiles(str(tmp_path), "*.jsonl", 0.0),
                CsvFiles(str(tmp_path), "*.csv", 0.0),
                ParquetFiles(str(tmp_path), "*.parquet", 0.0),
            )
        )
    ]  # fmt: skip
    assert items == [
        [({"n": 1}, "a.jsonl", "0"), ({"n": 2}, "a.jsonl", "10")],
        [({"n": "1"}, "b.csv", "2"), ({"n": "2", "note": "x"}, "b.csv", "3")],
        [({"n": 1}, "c.parquet", "1"), ({"n": 2}, "c.parquet", "2")],
    ]


def test_what_is_not_utf8_comes_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"n": "\xff"}\n')
    (row,) = read_rows(JsonLinesFiles(str(tmp_path), "*", 0.0), tmp_path)
    assert restore_bytes(row["event"].encode()) == b'{"n": "\xff"}'
    with pytest.raises(json.JSONDecodeError):
        json.loads(row["event"])


def test_a_row_of_another_length_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,note\n1,x,y\n")
    (row,) = read_rows(CsvFiles(str(tmp_path), "*", 0.0), tmp_path)
    code, words = decode_unreadable(row["event"].encode()) or ("", "")
    assert code == "bad_row"
    assert words.startswith("3 cells, but the header in line 1 has 2 names (n, note)")


def test_files_that_are_not_whole_are_left_alone(tmp_path: Path) -> None:
    for name in (".hidden", "_meta", "a.tmp", "b.part", "new.jsonl"):
        (tmp_path / name).write_text("{}\n")
    source = JsonLinesFiles(str(tmp_path), "*", 60.0)
    assert list(source.restrictions()) == []
    os.utime(tmp_path / "new.jsonl", (0, time.time() - 61))
    assert [restriction.key for restriction in source.restrictions()] == ["new.jsonl"]


def test_a_large_file_is_split_between_lines(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(f'{{"n": {number}}}\n' for number in range(10_000)))
    source = JsonLinesFiles(str(tmp_path), "*", 0.0)
    (item,) = source.restrictions()
    edges = source.split(item.key, item.start, item.end, 8)
    text = (tmp_path / "a.jsonl").read_bytes()
    assert len(edges) == 7
    assert {text[edge - 1 : edge] for edge in edges} == {b"\n"}


def test_a_log_that_is_renamed_is_read_on_under_its_new_name(tmp_path: Path) -> None:
    world = GrowingWorld(tmp_path)
    query = Query(world)
    query.start()
    world.send([0, 3])
    query.drain()
    (world.path / "0.log").rename(world.path / "0.log.1")
    (world.path / "0.log").write_text('{"n": 10}\n')
    with (world.path / "0.log.1").open("a") as file:
        file.write('{"n": 2}\n')
    query.drain()
    assert query.numbers() == [0, 2, 3, 10]


def test_a_log_that_is_written_anew_is_told_with_the_hint(tmp_path: Path) -> None:
    world = GrowingWorld(tmp_path)
    query = Query(world)
    query.start()
    world.send([0, 2, 4])
    query.drain()
    (world.path / "0.log").write_text('{"n": 6}\n')
    query.drain()
    (trouble,) = query.planner.status()["troubles"]
    assert (
        "0.log was 27 bytes long and is 9: it was written anew. Begin a new file instead" in trouble["words"]
    )


def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    planner = Planner(JsonLinesFiles(str(tmp_path / "nowhere")), Folder(tmp_path / "state"))
    planner.latest(planner.initial())
    (trouble,) = planner.status()["troubles"]
    assert "there is no directory" in trouble["words"]


def test_what_is_declared_wrongly_is_told() -> None:
    with pytest.raises(BadOptions) as bad:
        read(CsvFiles, {"path": "data", "pattern": "../*", "quiet": "long"})
    assert dict(bad.value.problems) == {
        "path": "is no absolute path: 'data'",
        "pattern": "leads out of the directory: '../*'",
        "quiet": "must be a number, not 'long'",
    }
