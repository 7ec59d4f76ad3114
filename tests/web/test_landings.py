"""Compaction keeps what a declaration or a query that runs still needs."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from timeline_app.fs.paths import require_path
from timeline_app.landing import compaction
from timeline_app.landing.log import Landing
from timeline_app.web.models import Query, Stream
from timeline_app.web.streams.ingest import take_events
from timeline_app.web.streams.landing_compaction import compact_landings
from timeline_app.web.streams.services import create_stream

DAY = 86_400_000
NOW = time.time_ns() // 1_000_000


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "MIN_BATCHES_PER_SEGMENT", 2)


def create_declared(user: User, name: str, retention: str) -> Stream:
    return create_stream(user=user, name=name, document={"key": "k", "time": "t", "retention": retention})


def fill(stream: Stream, days: float, batches: int = 2) -> Landing:
    """Events of so many days ago, as one segment more."""
    for _ in range(batches):
        take_events(stream=stream, body=json.dumps({"k": "a", "t": int(NOW - days * DAY)}).encode())
    compact_landings()
    return Landing(settings.LANDING, stream.name)


def create_query(streams: list[str], offsets: list[list[int]], **fields: Any) -> Query:
    """A query that is wanted; `offsets` of its last batches."""
    program: dict[str, Any] = {"streams": {name: {} for name in streams}}
    known_values = {str(batch): numbers for batch, numbers in enumerate(offsets, 9)}
    state = {"desired": "running", "observed": "running", **fields}
    name = f"q{Query.objects.count()}"
    return Query.objects.create(name=name, program=program, offsets=known_values, **state)


def test_old_events_go_when_every_wanted_query_has_read_them(ada: User) -> None:
    stream = create_declared(ada, "s", "2d")
    create_query(["s"], [[4], [9]], observed="retrying")
    create_query(["s"], [], observed="failed")
    create_query(["s"], [], desired="stopped")
    slow = create_query(["s"], [[0], [9]])
    fill(stream, 5)
    landing = fill(stream, 1)
    assert landing.first() == 0, "one of them may compute a batch again that begins with 0"
    slow.offsets = {"10": [2], "11": [9]}
    slow.save()
    compact_landings()
    assert (landing.first(), landing.end()) == (2, 4)


def test_a_query_that_was_never_seen_has_everything_before_it(ada: User) -> None:
    stream = create_declared(ada, "s", "2d")
    create_query(["s"], [], observed="starting")
    fill(stream, 5)
    assert fill(stream, 1).first() == 0


def test_a_stream_that_keeps_everything_loses_nothing(ada: User) -> None:
    stream = create_declared(ada, "s", "36500d")
    fill(stream, 20_000)
    landing = fill(stream, 1)
    assert landing.first() == 0
    assert landing.count(0, 4).files == 1


def test_streams_that_are_read_together_go_by_the_slowest(ada: User) -> None:
    quick, slow = create_declared(ada, "quick", "2d"), create_declared(ada, "slow", "2d")
    fill(slow, 6)
    together = create_query(["slow", "quick"], [[9, 9]])
    fill(quick, 5)
    landing = fill(quick, 1)
    assert landing.first() == 0
    together.delete()
    compact_landings()
    assert landing.first() == 2


def test_a_broken_file_keeps_no_other_stream_waiting(ada: User) -> None:
    broken, other = create_declared(ada, "a", "2d"), create_declared(ada, "b", "2d")
    fill(broken, 1, batches=1)
    take_events(stream=broken, body=json.dumps({"k": "a", "t": NOW}).encode())
    require_path(settings.LANDING / "a" / f"{1:012d}.parquet").write_bytes(b"not Parquet")
    assert fill(other, 1).index().end == 2


def test_trouble_with_an_index_or_a_strange_file_keeps_no_other_stream_waiting(ada: User) -> None:
    torn, strange, other = (create_declared(ada, name, "2d") for name in ("a", "b", "c"))
    for stream in (torn, strange):
        fill(stream, 1)
    create_query(["a", "c"], [[9, 9]])
    require_path(settings.LANDING / "a" / "index.json").write_bytes(b"{")
    require_path(settings.LANDING / "b" / "copy.parquet").write_bytes(b"")
    fill(other, 5)
    assert fill(other, 1).index().end == 4
    assert Landing(settings.LANDING, "c").first() == 0, "how far its companion is nobody knows: all is kept"
    assert fill(strange, 1).index().end == 4
