"""Queries of one machine begin their batches one after the other: as many at once as there are places."""

from __future__ import annotations

import fcntl
import multiprocessing
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.spark.core_slots import MAX_SLOT_S, MAX_WAIT_S, WAITER_GONE_AFTER_S, BatchSlot, SlotQueue


class Machine:
    """A clock, and checkpoints of queries beside each other."""

    def __init__(self, home: Path, places: int) -> None:
        """Nobody is at work."""
        self.home, self.places, self.now, self.waited = home, places, 0.0, 0

    def query(self, name: str, done: int = -1) -> BatchSlot:
        """A query that has done batches up to that number."""
        commits = self.home / name / "commits"
        commits.mkdir(parents=True)
        for batch in range(done + 1):
            (commits / str(batch)).touch()
        return BatchSlot(commits, self.places, lambda: self.now, self._pause)

    def ends(self, turn: BatchSlot, batch: int) -> None:
        """It has done a batch."""
        (turn.commits / str(batch)).touch()

    def seconds(self, turn: BatchSlot) -> float:
        """How long it waits for its turn."""
        before = self.now
        turn.wait()
        return self.now - before

    def _pause(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """One with two places."""
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    return Machine(tmp_path, 2)


def test_as_many_as_there_are_places_begin_at_once(machine: Machine) -> None:
    """Nobody waits for a place that is free."""
    assert machine.seconds(machine.query("a")) == 0.0
    assert machine.seconds(machine.query("b")) == 0.0


def test_one_more_waits_until_a_batch_is_done(machine: Machine) -> None:
    """It begins when the other one's commit is there, and takes along what came meanwhile."""
    first, second, third = (machine.query(name) for name in "abc")
    first.wait()
    second.wait()

    def pause(seconds: float) -> None:
        machine.now += seconds
        if machine.now > 0.3:
            machine.ends(second, 0)

    third.sleep = pause
    assert 0.3 <= machine.seconds(third) < 0.4


def test_what_takes_long_holds_up_nobody(machine: Machine) -> None:
    """A batch that reads a long history counts as at work for a moment only."""
    for name in "ab":
        machine.query(name).wait()
    assert machine.seconds(machine.query("c")) == pytest.approx(MAX_SLOT_S, abs=0.1)


def test_nobody_waits_for_ever(machine: Machine) -> None:
    """Without any place at all it goes on after a while."""
    machine.places = 0
    assert machine.seconds(machine.query("a")) == pytest.approx(MAX_WAIT_S, abs=0.1)


def test_it_knows_which_batch_is_next(machine: Machine) -> None:
    """From what is done, also after it was started again, and when others were done since."""
    turn = machine.query("a", done=6)
    turn.wait()
    assert turn.batch == 7
    machine.ends(turn, 7)
    turn.wait()
    assert turn.batch == 8


def test_a_source_that_was_silent_for_long_learns_which_batch_is_next(machine: Machine) -> None:
    """Spark keeps the newest commits only: the one that it knew is gone."""
    rare, busy = machine.query("a"), 300
    rare.wait()
    for batch in range(busy - 20, busy):
        machine.ends(rare, batch)
    rare.wait()
    assert rare.batch == busy


def test_where_nothing_can_be_written_batches_begin_without_turns(machine: Machine, tmp_path: Path) -> None:
    """The disk is full, or the folder goes with a Spark that ends."""
    machine.places = 0
    (tmp_path / "scratch" / "turns.json").mkdir()
    assert machine.seconds(machine.query("a")) == 0.0


def test_who_just_asks_holds_up_nobody_for_ever(machine: Machine, tmp_path: Path) -> None:
    """A process that was stopped in the middle of it."""
    with (tmp_path / "scratch" / "turns.json").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert machine.seconds(machine.query("a")) == pytest.approx(MAX_WAIT_S, abs=0.1)


def test_the_sources_of_one_query_share_its_turn(machine: Machine) -> None:
    """A query of two streams has two planners, which speak of the same batch."""
    machine.places = 1
    item = machine.query("a")
    item.wait()
    assert machine.seconds(BatchSlot(item.commits, 1, lambda: machine.now, machine._pause)) == 0.0


def test_who_waits_longest_is_first() -> None:
    """The queue is served in its order, however often somebody behind asks."""
    queue = SlotQueue(at_work={"x": 0.0})
    assert queue.request("a", 1, 0.1) == 1
    assert queue.request("b", 1, 0.2) == 2
    queue.at_work.clear()
    assert queue.request("b", 1, 0.3) == 1
    assert queue.request("a", 1, 0.3) == 0


def test_who_died_while_it_waited_is_passed_over() -> None:
    """It does not ask any more."""
    queue = SlotQueue(at_work={"x": 0.0}, waiting={"dead": 0.0})
    queue.at_work.clear()
    assert queue.request("b", 1, WAITER_GONE_AFTER_S - 0.1) == 1
    assert queue.request("b", 1, WAITER_GONE_AFTER_S + 0.1) == 0


def test_a_time_that_is_yet_to_come_means_nothing() -> None:
    """The clock began anew with the machine."""
    queue = SlotQueue(at_work={"x": 1e9}, waiting={"y": 1e9})
    assert queue.request("a", 1, 1.0) == 0


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 0.2)), max_size=60), st.integers(1, 3))
def test_never_more_than_there_are_places(asked: list[tuple[str, float]], places: int) -> None:
    """Whoever asks in whichever order: of those that were let begin and still count, as many as there are places."""
    queue, now, start = SlotQueue(), 0.0, dict[str, float]()
    for name, pause in asked:
        now += pause
        start = {item: since for item, since in start.items() if now - since < MAX_SLOT_S}
        if queue.request(name, places, now) == 0:
            start.setdefault(name, now)
        assert len(start) <= places


def test_a_queue_that_is_torn_is_empty(machine: Machine, tmp_path: Path) -> None:
    """Whoever wrote it was killed; nobody is held up by that."""
    (tmp_path / "scratch" / "turns.json").write_text('{"at_work": {"a"')
    assert machine.seconds(machine.query("a")) == 0.0


def test_without_a_folder_of_spark_there_are_no_turns(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in tests of sources, where nothing else runs."""
    monkeypatch.delenv("SPARK_LOCAL_DIRS")
    machine.places = 0
    assert machine.seconds(machine.query("a")) == 0.0


def _work(commits: Path, log: Path) -> None:
    turn = BatchSlot(commits, 2)
    for batch in range(5):
        turn.wait()
        with log.open("a") as file:
            file.write(f"begin {time.monotonic_ns()}\n")
        time.sleep(0.02)
        with log.open("a") as file:
            file.write(f"end {time.monotonic_ns()}\n")
        (commits / str(batch)).touch()


def test_processes_beside_each_other_keep_to_it(machine: Machine, tmp_path: Path) -> None:
    """Six planners, two places: at no instant more than two are at work."""
    machine.home.mkdir(exist_ok=True)
    log = tmp_path / "log"
    context = multiprocessing.get_context("fork")
    commits = [machine.query(f"q{number}").commits for number in range(6)]
    children = [context.Process(target=_work, args=(path, log)) for path in commits]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    lines = sorted((int(at), kind) for kind, at in (line.split() for line in log.read_text().splitlines()))
    assert len(lines) == 2 * 6 * 5
    running = 0
    for _, kind in lines:
        running += 1 if kind == "begin" else -1
        assert running <= 2
