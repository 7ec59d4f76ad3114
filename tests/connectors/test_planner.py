"""What Spark makes of offsets and planners is met: each surprise of its protocol has a test."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.connectors.brokers import (
    Bounded,
    Journalled,
    Planned,
    Shelf,
    ShelfWorld,
    Spooled,
    build_harness,
    sift_rows,
)
from timeline_app.connectors.source_contract import Acknowledge, Given, Restriction, resume, stop
from timeline_app.connectors.source_kit.query import Clock, Query
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits import discovered
from timeline_app.connectors.splits.estimators import Estimator, Manual, Wall
from timeline_app.connectors.splits.notes import Folder
from timeline_app.connectors.splits.offsets import Plan
from timeline_app.connectors.splits.planner import MAX_WAIT_AFTER_START_S, ForeignStore, Planner
from timeline_app.connectors.splits.tracker import Tracker
from timeline_app.times.steady import read_steady_clock


def fill_query(kind: type[Journalled] = Journalled, events: int = 30) -> Query:
    world = build_harness(kind)()
    world.send(range(events))
    query = Query(world)
    query.start()
    return query


@pytest.mark.parametrize("kind", [Journalled, Planned, Spooled])
def test_an_offset_that_has_nothing_new_behind_it_is_the_same_text(kind: type[Journalled]) -> None:
    query = fill_query(kind)
    query.drain()
    text = query.offsets[-1]
    for _ in range(5):
        query.clock.now += 10
        assert json.dumps(query.planner.latest(json.loads(text))) == text


def test_the_first_offset_never_varies(tmp_path: Path) -> None:
    source = Journalled()
    first = Planner(source, Folder(tmp_path)).initial()
    source.shelf.logs["log0"].append(1)
    assert Planner(source, Folder(tmp_path)).initial() == first == {"number": 0}


def test_where_a_restriction_begins_is_decided_once(tmp_path: Path) -> None:
    class FromNow(Journalled):
        def restrictions(self) -> Iterable[Restriction]:
            return [Restriction(key, len(log)) for key, log in self.shelf.logs.items()]

    shelf, clock = Shelf(1), Clock()

    def build_planner() -> Planner:
        source = FromNow()
        source.shelf = shelf
        return Planner(source, Folder(tmp_path), clock=clock)

    shelf.logs["log0"] += [1, 2, 3]
    first = build_planner()
    assert first.latest(first.initial()) == first.initial()
    shelf.logs["log0"] += [4, 5]
    second = build_planner()  # the first one was killed before it could plan anything
    (part,) = Plan.from_document(second.latest(second.initial())).splits
    assert part.start == 3


def test_between_an_offset_and_itself_there_is_nothing_to_read() -> None:
    query = fill_query()
    query.trigger()
    end = json.loads(query.offsets[-1])
    assert query.planner.partitions(end, end) == []


def test_a_planner_that_is_asked_all_the_time_asks_the_broker_now_and_then() -> None:
    requests = Counter[str]()

    class Counted(Journalled):
        poll = 2.0

        def restrictions(self) -> Iterable[Restriction]:
            requests["restrictions"] += 1
            return super().restrictions()

        def has_data(self, key: str, start: Any, end: Any) -> bool:
            requests["has_data"] += 1
            return super().has_data(key, start, end)

    query = Query(build_harness(Counted)())
    query.start()
    for _ in range(1_000):
        query.planner.latest(query.planner.initial())
        query.clock.now += 0.01
    assert requests == {"restrictions": 5, "has_data": 15}


def test_an_error_of_the_source_ends_no_query_and_is_tried_again_ever_later() -> None:
    class Away(Journalled):
        def restrictions(self) -> Iterable[Restriction]:
            raise ConnectionError("nobody is there")

    query = Query(build_harness(Away)())
    query.start()
    attempts = []
    for _ in range(2_000):
        before = query.planner.status()["troubles"]
        query.planner.latest(query.planner.initial())
        now = query.planner.status()["troubles"]
        if now != before:
            attempts.append((now[0]["times"], round(now[0]["again"] - query.clock.now, 1)))
        query.clock.now += 0.25
    assert attempts[:9] == [
        (1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0), (5, 8.0), (6, 16.0), (7, 32.0), (8, 60.0), (9, 60.0),
    ]  # fmt: skip
    (trouble,) = query.planner.status()["troubles"]
    assert trouble["doing"] == "looking for what there is to read"
    assert trouble["words"] == "ConnectionError: nobody is there"


def test_the_last_batch_is_acknowledged_while_nothing_comes_after_it() -> None:
    query = fill_query()
    query.trigger()
    assert query.world.unacknowledged() == 30
    query.trigger()
    assert query.world.unacknowledged() == 0


def test_nothing_is_acknowledged_before_its_batch_is_committed() -> None:
    query = fill_query()
    plan = query.planner.latest(json.loads(query.offsets[0]))
    for places in query.planner.partitions(query.planner.initial(), plan):
        for place in places:
            list(query.planner.reader.read(1, place, Plan.from_document(plan).splits[place]))
    query.planner.latest(query.planner.initial())
    assert query.world.unacknowledged() == 30
    query.planner.latest(plan)
    assert query.world.unacknowledged() == 0


def test_a_delay_is_kept_also_by_the_next_process() -> None:
    class Throttled(Journalled):
        def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
            yield from super().process(key, tracker, watermark, ack)
            return resume(60)

    query = fill_query(Throttled, 6)
    query.trigger()
    started = query.clock.now
    query.world.send(range(6, 12))
    query.start()
    while not query.trigger():
        pass
    assert query.clock.now - started == pytest.approx(60, abs=1.5)


def test_a_restriction_that_stops_is_gone_for_good() -> None:
    class Once(Journalled):
        def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
            yield from super().process(key, tracker, watermark, ack)
            return stop()

    query = fill_query(Once, 6)
    query.drain()
    query.world.send(range(6, 12))
    query.drain()
    assert query.numbers() == list(range(6))


def test_a_batch_takes_no_more_than_its_limit_and_every_log_gets_its_turn() -> None:
    world = ShelfWorld()
    world.shelf.logs["log0"] += range(1_000)
    world.shelf.logs["log1"] += range(1_000, 1_003)
    query = Query(world, most=50)
    query.start()
    query.trigger()
    assert len(query.sink[0]) == 50
    assert set(query.numbers()) >= {1_000, 1_001, 1_002}


def test_what_has_an_end_is_split_for_all_tasks_and_read_to_its_end() -> None:
    class Small(Bounded):
        least = 1

    world = build_harness(Small)()
    world.send(range(300))
    query = Query(world, tasks=8, most=120)
    query.start()
    query.trigger()
    assert len(query.plan().splits) > 12
    query.drain()
    assert query.numbers() == list(range(300))
    assert query.plan().waiting == ()


def test_a_large_restriction_gets_more_splits_than_a_small_one() -> None:
    class Small(Planned):
        least = 1

    world = build_harness(Small)()
    world.shelf.logs["log0"] += range(1_000)
    world.shelf.logs["log1"] += range(1_000, 1_100)
    query = Query(world, tasks=4)
    query.start()
    query.trigger()
    assert Counter(part.key for part in query.plan().splits) == {"log0": 15, "log1": 1}


def test_a_checkpoint_and_the_store_of_another_are_refused() -> None:
    left, right = fill_query(), fill_query()
    left.trigger()
    right.trigger()
    left.store.kept = right.store.kept
    left.start()
    with pytest.raises(ForeignStore, match="give each query its own"):
        left.trigger()


def test_a_new_checkpoint_with_an_old_store_is_refused() -> None:
    query = fill_query()
    query.trigger()
    query.offsets, query.commits = [], 0
    query.start()
    with pytest.raises(ForeignStore, match="used by another checkpoint"):
        query.trigger()


def test_a_split_that_nobody_read_to_its_end_is_read_with_the_next_batch() -> None:
    query = fill_query()
    plan = query.planner.latest(query.planner.initial())
    again = query.planner.latest(plan)  # committed, and never read: a batch without an action
    assert [part.start for part in Plan.from_document(again).splits] == [0, 0, 0]


def test_of_two_that_read_a_split_at_a_time_the_first_decides_how_far_it_goes() -> None:
    query = fill_query(events=30)
    plan = query.planner.latest(query.planner.initial())
    part = replace(Plan.from_document(plan).splits[0], most=None)
    first, late = (query.planner.reader.read(1, 0, part) for _ in range(2))
    assert next(first).num_rows == 10
    query.world.send(range(30, 60))
    assert next(late).num_rows == 20
    assert list(first) == []
    with pytest.raises(
        BrokenSourcePromise, match="was read to 10 at first, and to 20 when it was read again"
    ):
        list(late)
    again = query.planner.reader.read(1, 0, part)
    assert sum(batch.num_rows for batch in again) == 10


def test_old_notes_are_forgotten_and_the_last_ones_kept() -> None:
    query = fill_query(events=0)
    for number in range(40):
        query.world.send([number])
        query.trigger()
    batches = {name.split("-")[1] for name in query.store.names("read-")}
    assert 3 <= len(batches) <= 5


def test_many_discoveries_become_one_note_and_none_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovered, "MIN_NOTES_TO_MERGE", 4)
    query = fill_query(Bounded, 0)
    for first in range(0, 300, 30):
        query.world.send(range(first, first + 30))
        query.drain()
        query.start()
    assert query.numbers() == list(range(300))
    assert len(query.store.names("found-")) < 6


class Marked(Journalled):
    """The watermark is what was read last, by itself."""

    def estimator(self) -> Estimator | None:
        return Manual()

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        assert isinstance(watermark, Manual)

        def note_row(row: Any) -> bool:
            watermark.set(row[0])
            return True

        return (yield from sift_rows(super().process(key, tracker, watermark, ack), note_row))


def test_the_watermark_is_the_least_over_all_restrictions() -> None:
    query = Query(build_harness(Marked)())
    query.start()
    query.world.send([3, 7])  # log0 has 3, log1 has 7, log2 nothing
    query.drain()
    query.world.send([6])
    query.drain()
    assert query.plan().watermark is None  # log2 has said nothing until the last plan
    query.world.send([9, 10, 8])
    query.drain()
    query.world.send([11])
    query.drain()
    assert query.plan().watermark == 8


class Idle(Marked):
    idle = 1_000.0


def read_watermark(query: Query, *numbers: int) -> int | None:
    """The watermark after these were sent and read: it takes effect with the batch after the next."""
    query.world.send(numbers)
    query.drain()
    number: int | None = query.plan().watermark
    return number


def test_a_restriction_that_is_silent_for_longer_than_declared_holds_nothing_back_until_it_speaks() -> None:
    query = Query(build_harness(Idle)())
    query.start()
    assert read_watermark(query, 3, 7) is None  # log0 has 3, log1 has 7, log2 nothing
    for _ in range(5):
        query.clock.now += 400
        query.trigger()
    assert read_watermark(query, 6, 10) is None
    assert read_watermark(query, 9) == 6  # log2 is silent still
    assert [read_watermark(query, 12), read_watermark(query, 8), read_watermark(query, 15)] == [
        9,
        10,
        10,
    ]  # log2 has 8 now
    assert [read_watermark(query, 20, 21, 22), read_watermark(query, 24)] == [10, 20]


def test_while_nobody_looked_nothing_was_silent() -> None:
    query = Query(build_harness(Idle)())
    query.start()
    read_watermark(query, 3, 7)
    query.clock.now += 2_000  # the process was away
    query.start()
    assert [read_watermark(query, 6, 10), read_watermark(query, 9)] == [None, None]


def test_a_heartbeat_tells_the_watermark_of_a_clock_when_nothing_comes(tmp_path: Path) -> None:
    clock = Clock()

    class Clocked(Planned):
        def estimator(self) -> Estimator | None:
            return Wall(5, clock)

    planner = Planner(Clocked(), Folder(tmp_path), heartbeat=10, clock=clock)
    first = planner.latest(planner.initial())
    assert Plan.from_document(first).splits == ()
    assert planner.partitions(planner.initial(), first) == [[]]
    for _ in range(9):
        clock.now += 1
        assert planner.latest(first) == first
    clock.now += 1
    second = planner.latest(first)
    answer = Plan.from_document(second).watermark
    assert answer is not None
    assert answer - (Plan.from_document(first).watermark or 0) == 10_000_000


def test_after_a_watermark_has_moved_one_more_batch_lets_it_take_effect(tmp_path: Path) -> None:
    clock, source = Clock(), Marked()
    source.shelf = Shelf(1)
    source.shelf.logs["log0"].append(7)
    planner = Planner(source, Folder(tmp_path), heartbeat=10, clock=clock)
    offset = planner.latest(planner.initial())
    list(planner.reader.read(1, 0, Plan.from_document(offset).splits[0]))
    items = []
    for _ in range(60):
        clock.now += 1
        after = planner.latest(offset)
        if after != offset:
            items.append(Plan.from_document(after).watermark)
        offset = after
    assert items == [7, 7]


def test_waits_last_no_longer_where_the_clock_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner = Planner(Journalled(), Folder(tmp_path))
    clocks = planner.clock, planner.reader.clock, planner.troubles.clock
    before = [clock() for clock in clocks]
    assert before == pytest.approx([time.time()] * 3, abs=60)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert clocks == (read_steady_clock,) * 3
    assert all(earlier <= clock() < earlier + 60 for earlier, clock in zip(before, clocks, strict=True))


def test_after_a_restart_nothing_waits_for_a_time_that_lies_far_ahead(tmp_path: Path) -> None:
    shelf, clock = Shelf(1), Clock()

    def build_planner() -> Planner:
        source = Journalled()
        source.shelf = shelf
        return Planner(source, Folder(tmp_path), clock=clock)

    planner = build_planner()
    shelf.logs["log0"].append(1)
    offset = planner.latest(planner.initial())
    list(planner.reader.read(1, 0, Plan.from_document(offset).splits[0]))
    clock.now -= 3_600
    shelf.logs["log0"].append(2)
    planner = build_planner()
    assert planner.latest(offset) == offset
    clock.now += MAX_WAIT_AFTER_START_S + 1
    assert Plan.from_document(planner.latest(offset)).splits


def test_the_status_is_kept_for_those_who_watch() -> None:
    query = Query(build_harness(Planned)(), most=10)
    query.world.send(range(90))
    query.start()
    query.trigger()
    assert json.loads(query.store.kept["status.json"]) == {"backlog": 90, "troubles": [], "left": ""}
