"""A source behind an intake: what lies with the events is enough to go on, whoever is killed and whatever is lost."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

from tests.connectors.brokers import BEGIN, Journalled, Planned, Shelf, build_harness
from tests.connectors.redis_server import Server
from tests.connectors.test_files import CsvWorld, GrowingWorld, JsonLinesWorld, ParquetWorld
from tests.connectors.test_redis_streams import RedisWorld
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.connectors.files.table_source import CsvFiles
from timeline_app.connectors.raw_events import EVENTS
from timeline_app.connectors.reading import Message, Portion, SourceUnavailable
from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.connectors.source_kinds import KINDS
from timeline_app.connectors.source_kit import SourceHarness
from timeline_app.connectors.source_kit.memory import POINTS, Faults, Killed, Memory
from timeline_app.connectors.source_kit.watched import Watched
from timeline_app.connectors.splits import portions
from timeline_app.connectors.splits.estimators import Estimator, Manual
from timeline_app.connectors.splits.notes import Folder
from timeline_app.connectors.splits.portions import Carried

pytestmark = pytest.mark.deep
"""Real waits, and programs that are started: not for each save of a file."""

QUIET = 12
"""So many portions without a message say that no more will come."""


class Landing:
    """What an intake does with portions: events and position become durable together, or not at all."""

    def __init__(self, world: SourceHarness) -> None:
        self.world, self.faults = world, Faults()
        self.store = Memory(self.faults)
        self.events: list[Message] = []
        self.known: dict[str, Any] = {}

    def carried(self) -> Carried:
        def make() -> SplittableSource:
            return cast(SplittableSource, Watched(self.world.source(), self.faults))

        return Carried(make, "it", self.store)

    def process(self, quiet: int = QUIET) -> None:
        """A process that reads until nothing comes any more, or until it is killed."""
        reader = self.carried().open(self.known)
        left = quiet
        while left:
            portion = reader.take()
            self.faults.at("planned" if portion.messages else "offset")
            self.land(portion)
            left = quiet if portion.messages else left - 1
        reader.close()

    def land(self, portion: Portion) -> None:
        self.known = json.loads(json.dumps(dict(portion.positions)))
        self.events += portion.messages
        self.faults.at("published")

    def numbers(self) -> list[int]:
        return sorted(self.world.number({"event": (event.value or b"").decode()}) for event in self.events)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits, and batches are cut where they may be."""
    monkeypatch.setattr(portions, "POLL_INTERVAL_S", 0.02)
    monkeypatch.setattr(portions, "MAX_ROWS_PER_PORTION", 40)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


FILES: tuple[type[SourceHarness], ...] = (JsonLinesWorld, GrowingWorld, CsvWorld, ParquetWorld)


@pytest.mark.parametrize("kind", [*FILES, RedisWorld], ids=lambda kind: kind.__name__)
def test_nothing_is_lost_or_doubled_wherever_it_is_killed(
    kind: type[SourceHarness], tmp_path: Path, server: Server
) -> None:
    world = RedisWorld(server) if kind is RedisWorld else cast(Any, kind)(tmp_path)
    landing, chance, sent, kills = Landing(world), random.Random(11), 0, 0
    for point in [*POINTS, *POINTS]:
        world.send(range(sent, sent + 130))
        sent += 130
        landing.faults.arm(point, chance.randrange(1, 4))
        try:
            landing.process(quiet=3)
        except Killed:
            kills += 1
    landing.faults.arm("", 0)
    landing.process()
    assert Counter(landing.numbers()) == Counter(range(sent))
    assert kills > 4
    assert not world.unacknowledged()


@pytest.mark.parametrize("kind", [CsvWorld, RedisWorld], ids=lambda kind: kind.__name__)
def test_of_what_was_noted_only_what_was_found_is_needed_in_a_backup(
    kind: type[SourceHarness], tmp_path: Path, server: Server
) -> None:
    world = RedisWorld(server) if kind is RedisWorld else cast(Any, kind)(tmp_path)
    landing = Landing(world)
    world.send(range(100))
    landing.process()
    landing.store.kept = {name: value for name, value in landing.store.kept.items() if portions.is_kept(name)}
    world.send(range(100, 200))
    landing.process()
    assert landing.numbers() == list(range(200))


def test_notes_that_are_gone_are_said_and_nothing_is_read_twice(tmp_path: Path) -> None:
    world = JsonLinesWorld(tmp_path)
    landing = Landing(world)
    world.send(range(100))
    landing.process()
    landing.store.kept.clear()
    with pytest.raises(SourceUnavailable, match="bring back the folder 'sources'"):
        landing.process()
    assert landing.numbers() == list(range(100))


def test_a_large_batch_comes_in_portions_and_goes_on_in_the_middle(tmp_path: Path) -> None:
    world = CsvWorld(tmp_path)
    landing = Landing(world)
    world.send(range(100))
    reader = landing.carried().open({})
    first = reader.take()
    assert len(first.messages) == 40
    landing.land(first)
    landing.process()
    assert landing.numbers() == list(range(100))


def test_what_waits_is_told(tmp_path: Path) -> None:
    world = JsonLinesWorld(tmp_path)
    world.send(range(1_000))
    reader = Carried(world.source, "it", Folder(tmp_path / "notes")).open({})
    portion = reader.take()
    assert len(portion.messages) == 40
    assert 500 < reader.lag() < 1_500
    while portion.messages:
        portion = reader.take()
    assert reader.lag() < 50


def test_trouble_of_a_source_is_raised_in_its_words(tmp_path: Path) -> None:
    world = JsonLinesWorld(tmp_path)
    world.path.rmdir()
    reader = Carried(world.source, "it", Folder(tmp_path / "notes")).open({})
    with pytest.raises(SourceUnavailable, match=r"there is no directory .*: make it, or correct the path"):
        reader.take()


def test_rows_of_any_columns_are_events() -> None:
    items = []
    for source in (Journalled(), Planned()):
        source.shelf.logs["log0"] = [3, 4]
        landed = Carried(lambda: source, "it", Memory(Faults())).open({}).take()  # noqa: B023
        items.append([json.loads(message.value or b"") for message in landed.messages])
    assert items[0] == items[1]
    assert items[0][0] == {"number": 3, "at": "2025-06-15T15:06:43+00:00"}


class Watermarked(Landing):
    """What an intake that was killed knows of its source's watermark is what the source said with its events."""

    def __init__(self, world: SourceHarness) -> None:
        super().__init__(world)
        self.said: list[tuple[int | None, int]] = []

    def land(self, portion: Portion) -> None:
        super().land(portion)
        if not self.said or self.said[-1] != (portion.watermark, len(self.events)):
            self.said.append((portion.watermark, len(self.events)))


def test_a_watermark_is_true_of_the_events_that_landed_with_it_and_is_told_when_nothing_more_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(portions, "HEARTBEAT_EVERY_S", 0.05)

    class Quick(Journalled):
        poll = 0.02

    world = build_harness(Quick)()
    landing = Watermarked(world)
    world.send([3, 6])
    landing.process(quiet=60)
    assert {item for item, _ in landing.said} == {BEGINNING}, "two of its logs have said nothing yet"
    world.send([30, 31, 32, 9])
    landing.process(quiet=60)
    world.send([61, 62, 63])
    landing.process(quiet=60)
    second = 1_000_000
    items = [None if item == BEGINNING else (item or 0) // second - BEGIN for item, _ in landing.said]
    assert items[-1] == 61 - 5
    assert sorted(items, key=lambda item: -1 if item is None else item) == items
    for watermark, count in landing.said:
        later = [json.loads(event.value or b"")["number"] for event in landing.events[count:]]
        assert all((BEGIN + number) * second >= (watermark or 0) for number in later if number > 9)


@pytest.mark.parametrize(("watermark", "words"), [("noon", "'noon'"), (1.5, "1.5"), ([], r"\[\]")])
def test_a_watermark_that_is_none_is_said(watermark: Any, words: str) -> None:
    class Odd(Journalled):
        def estimator(self) -> Estimator | None:
            manual = Manual()
            manual.said = watermark
            return manual

    source = Odd()
    source.shelf = Shelf(1)
    source.shelf.logs["log0"] = [3]
    with pytest.raises(
        SourceUnavailable, match=f"its watermark is {words}: let its estimator say whole microseconds"
    ):
        Carried(lambda: source, "it", Memory(Faults())).open({}).take()


def test_a_source_that_says_nothing_of_itself_says_so(tmp_path: Path) -> None:
    world = JsonLinesWorld(tmp_path)
    world.send(range(10))
    reader = Carried(world.source, "it", Folder(tmp_path / "notes")).open({})
    assert {reader.take().watermark for _ in range(3)} == {None}


def test_a_sample_changes_nothing(tmp_path: Path, server: Server) -> None:
    redis, files = RedisWorld(server), ParquetWorld(tmp_path)
    for world in (redis, files):
        world.send(range(60))
        landing = Landing(world)
        sample = landing.carried().sample()
        assert len(sample) == 20
        landing.process()
        assert landing.numbers() == list(range(60))


def test_a_message_says_where_it_lies() -> None:
    rows = pa.RecordBatch.from_pylist(
        [
            {"event": "{}", "origin": "a.csv", "place": "7"},
            {"event": "{}", "origin": "plays", "place": "5-0"},
        ],
        schema=EVENTS,
    )
    items = [message.describe_place() for message in portions._build_messages(rows, 10, CsvFiles("/in"))]
    assert items == ["line 7 of a.csv", "line 5-0 of plays"]
    own = pa.RecordBatch.from_pylist([{"n": 1}, {"n": 2}])
    assert [message.describe_place() for message in portions._build_messages(own, 10, CsvFiles("/in"))] == [
        "row 11 of the source",
        "row 12 of the source",
    ]
    assert Message(b"{}", "plays/0", 7).describe_place() == "message 7 of plays/0"


@pytest.mark.parametrize(
    ("kind", "what"), [("json_lines", "byte"), ("growing_files", "byte"), ("csv", "line"), ("parquet", "row")]
)
def test_files_say_what_their_places_count(kind: str, what: str) -> None:
    assert KINDS[kind].counts == what


def test_a_file_that_is_cut_short_before_it_is_read_again_takes_nothing_from_others(tmp_path: Path) -> None:
    """A batch of two files, of which a portion has landed: all of the first, and some of the second."""
    folder, store = tmp_path / "files", Folder(tmp_path / "notes")
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("k\n" + "".join(f"{name}{number}\n" for number in range(30)))

    def list_values(portion: Portion) -> list[str]:
        return [
            json.loads(message.value)["k"]
            for message in portion.messages
            if message.value and b'"k"' in message.value
        ]

    source = Carried(lambda: CsvFiles(str(folder), quiet=0.0), "it", store)
    reader = source.open({})
    landed = list_values(first := reader.take())
    assert (landed[:30], landed[30:]) == ([f"a{n}" for n in range(30)], [f"b{n}" for n in range(10)])
    reader.close()
    (folder / "a.csv").write_text("k\na0\na1\n")
    again = source.open(json.loads(json.dumps(dict(first.positions))))
    for _ in range(3):
        landed += list_values(again.take())
    again.close()
    assert landed[30:] == [f"b{number}" for number in range(30)]


def test_a_file_that_is_cut_short_before_it_is_read_again_is_told(tmp_path: Path) -> None:
    """Some of its rows have landed, more than it has now."""
    folder, store = tmp_path / "files", Folder(tmp_path / "notes")
    folder.mkdir()
    for name, rows in (("a", 50), ("b", 3)):
        (folder / f"{name}.csv").write_text("k\n" + "".join(f"{name}{number}\n" for number in range(rows)))
    source = Carried(lambda: CsvFiles(str(folder), quiet=0.0), "it", store)
    reader = source.open({})
    first = reader.take()
    assert len(first.messages) == 40
    reader.close()
    (folder / "a.csv").write_text("k\na0\na1\n")
    known, result = json.loads(json.dumps(dict(first.positions))), list[Message]()
    for _ in range(3):  # killed after each portion
        reader = source.open(known)
        portion = reader.take()
        known, result = json.loads(json.dumps(dict(portion.positions))), [*result, *portion.messages]
        reader.close()
    assert [item.unread and item.unread[0] for item in result] == ["cut_short", None, None, None]
