"""A query that reads what another one says waits for the batch that this one is just working on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from workers.spark import sources

ALL = ReadAllAvailable()


class Above:
    """The feed and the checkpoint of the query that is read, as Spark writes them; and what happens while one waits."""

    def __init__(self, data: Path) -> None:
        """Nothing is published."""
        self.places, self.waits = Places(data), 0
        self.then: list[Callable[[], None]] = []
        self.reader = sources.open_feed(
            {"path": str(data), "node": "a", "sources": "[]", "port": "0", "breaks": "[]", "buckets": "2"}
        )

    def begin(self, batch: int, ago: float = 0.0) -> None:
        """It began to work on a batch so many seconds ago."""
        self._write(require_path(self.places.checkpoint("a")) / "offsets" / str(batch), time.time() - ago)

    def publish(self, batch: int) -> None:
        """The batch is there, without rows."""
        self._write(require_path(self.places.feed("a")) / "_spark_metadata" / str(batch), time.time())

    def _write(self, path: Path, when: float) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("v1\n")
        os.utime(path, (when, when))

    def read(self, start: int) -> int:
        """How far the next batch goes."""
        return self.reader.latestOffset({"next": start}, ALL)["next"]


@pytest.fixture
def above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Above:
    """A query above, and a clock that goes on by what is waited."""
    made, passed = Above(tmp_path), [0.0]

    def pause(seconds: float) -> None:
        passed[0] += seconds
        made.waits += 1
        if made.then:
            made.then.pop(0)()

    clock = SimpleNamespace(time=time.time, monotonic=lambda: passed[0], sleep=pause)
    monkeypatch.setattr(sources, "time", clock)
    return made


def test_a_batch_at_work_is_waited_for(above: Above) -> None:
    above.begin(0)
    above.then = [lambda: None, lambda: above.publish(0)]
    assert above.read(0) == 1
    assert above.waits == 2


def test_one_that_is_about_to_begin_with_the_same_trigger_is_waited_for(above: Above) -> None:
    above.begin(0, ago=1.0)
    above.publish(0)
    above.then = [lambda: above.begin(1), lambda: above.publish(1)]
    assert above.read(1) == 2


def test_one_that_does_not_begin_is_soon_waited_for_no_longer(above: Above) -> None:
    above.begin(0, ago=1.0)
    above.publish(0)
    assert above.read(1) == 1
    assert 0 < above.waits <= sources.MAX_WAIT_FOR_BEGIN_S / sources._POLL_INTERVAL_S + 1


def test_a_batch_that_is_there_is_read_with_the_one_at_work(above: Above) -> None:
    above.publish(0)
    above.begin(1)
    above.then = [lambda: above.publish(1)]
    assert above.read(0) == 2


def test_a_wait_has_an_end(above: Above) -> None:
    above.publish(0)
    above.begin(1)
    assert above.read(0) == 1, "what is there is read although the batch at work never ends"
    assert above.waits * sources._POLL_INTERVAL_S < 2 * sources.MAX_WAIT_FOR_PIECE_S


@pytest.mark.parametrize("ago", [10.0, 3_600.0])
def test_a_long_batch_is_not_waited_for(above: Above, ago: float) -> None:
    above.publish(0)
    above.begin(1, ago)
    assert (above.read(0), above.waits) == (1, 0)


def test_who_is_behind_does_not_wait(above: Above) -> None:
    for batch in range(3):
        above.publish(batch)
    above.begin(2)
    above.begin(3)
    assert above.read(0) == 3
    assert above.waits == 0


def test_nothing_is_waited_for_where_nothing_comes(above: Above) -> None:
    assert (above.read(0), above.waits) == (0, 0)
    above.begin(0, ago=60.0)
    above.publish(0)
    assert (above.read(1), above.waits) == (1, 0)


def test_what_takes_all_that_there_is_now_does_not_wait(above: Above) -> None:
    above.publish(0)
    above.begin(1)
    above.reader.prepareForTriggerAvailableNow()
    assert (above.read(0), above.waits) == (1, 0)
