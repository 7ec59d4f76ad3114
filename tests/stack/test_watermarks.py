"""What a source says of itself reaches the log of its stream, and what it held back is let go with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from tests.stack.declared import build_event
from tests.stack.feeding import read_source, wait_until
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.connectors.options import Option
from timeline_app.connectors.source_contract import Acknowledge, Given, Restriction, SplittableSource, resume
from timeline_app.connectors.source_kinds import KINDS
from timeline_app.connectors.splits.estimators import Estimator, Observed
from timeline_app.connectors.splits.readers import JournalledReader
from timeline_app.connectors.splits.tracker import Position, Tracker
from timeline_app.landing.segments import FILE
from timeline_app.web.models import Stream
from timeline_app.web.streams import idle_streams
from timeline_app.web.streams.idle_streams import advance_idle_streams, clear_cache, release_held_back
from timeline_app.web.streams.ingest import get_landing, take_events
from timeline_app.web.streams.services import create_stream
from timeline_app.web.streams.source_services import remove_source, set_source
from workers.spark.hosts.stream_progress import StreamProgress
from workers.stack.health import find_free_port

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]
Intake = Callable[[], None]
T = 1_700_000_000


class Shelves(SplittableSource):
    """Each file is a log of seconds, one on a line; none comes more than five seconds behind one before it."""

    title, reader, poll = "Shelves", JournalledReader, 0.05
    schema = pa.schema([("k", pa.string()), ("t", pa.int64())])

    def __init__(self, path: Annotated[str, Option("The directory", folder=True)]) -> None:
        self.path = Path(path)

    def estimator(self) -> Estimator | None:
        return Observed(5)

    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(path.name, 0) for path in sorted(self.path.glob("*.log"))]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        return (self.path / key).stat().st_size > int(start)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        with (self.path / key).open("rb") as file:
            file.seek(tracker.start)
            while line := file.readline():
                if not tracker.try_claim(file.tell()):
                    return None
                watermark.observe((T + int(line)) * 1_000_000)
                yield key, (T + int(line)) * 1_000
        return resume(0.05)


@pytest.fixture
def folder(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two logs, and the kind that reads them."""
    path = tmp_path / "given"
    path.mkdir()
    settings.SOURCE_FOLDERS = (path.resolve(),)
    monkeypatch.setitem(KINDS, "shelves", Shelves)
    clear_cache()
    for name in ("a.log", "b.log"):
        (path / name).touch()
    return path


def write(folder: Path, name: str, *seconds: int) -> None:
    with (folder / f"{name}.log").open("a") as file:
        file.writelines(f"{second}\n" for second in seconds)


def create_fed_stream(ada: User, folder: Path, **more: str) -> Stream:
    declared = {"key": "k", "time": "t", "unit": "ms", "allowed_lateness": "10s", **more}
    stream = create_stream(user=ada, name="told", document=declared)
    set_source(stream=stream, user=ada, kind="shelves", options={"path": str(folder)})
    return stream


def compute_final(stream: Stream) -> int | None:
    """Up to when a node that reads all of it would be final, in seconds after T."""
    landing, far = get_landing(stream.name), StreamProgress()
    rows = landing.rows(0, landing.end(), ("time",))
    far.advance(np.array(rows[FILE]), np.array(rows["time"]), landing.beats(0, landing.end()), 10_000_000)
    return None if far.final_until == BEGINNING else far.final_until // 1_000_000 - T


def is_held(stream: Stream) -> bool:
    stream.refresh_from_db()
    return stream.held


def test_the_least_of_what_it_reads_holds_back_what_is_final(ada: User, intake: Intake, folder: Path) -> None:
    stream = create_fed_stream(ada, folder)
    write(folder, "a", 100, 200)
    wait_until(lambda: get_landing("told").end() > 0, lambda: read_source(stream).words, intake)
    assert compute_final(stream) is None, "the other one has said nothing yet"
    assert is_held(stream)
    wait_until(
        lambda: "its watermark is not known" in read_source(stream).words,
        lambda: read_source(stream).words,
        intake,
    )
    write(folder, "b", 50)
    wait_until(
        lambda: compute_final(stream) == 45,
        lambda: (compute_final(stream), read_source(stream).words),
        intake,
    )
    write(folder, "b", 300)
    wait_until(
        lambda: compute_final(stream) == 195,
        lambda: (compute_final(stream), read_source(stream).words),
        intake,
    )
    wait_until(
        lambda: "2023-11-14T22:16:35" in read_source(stream).words, lambda: read_source(stream).words, intake
    )
    write(folder, "a", 301)
    wait_until(
        lambda: compute_final(stream) == 291, lambda: compute_final(stream), intake
    )  # less the allowed lateness


def test_what_is_silent_for_idle_after_holds_nothing_back_until_it_speaks(
    ada: User, intake: Intake, folder: Path
) -> None:
    stream, at = create_fed_stream(ada, folder, idle_after="2s"), 100
    while compute_final(stream) is None:
        at += 1
        write(folder, "a", at)
        intake()
        wait_until(lambda: read_source(stream).lag == 0, lambda: read_source(stream).words, intake)
    assert not [beat for beat in get_landing("told").beats(0, get_landing("told").end()) if not beat.holds]
    write(folder, "b", at - 50)
    wait_until(
        lambda: get_landing("told").count(0, 10_000).events == at - 99,
        lambda: read_source(stream).words,
        intake,
    )
    write(folder, "a", at + 100)
    wait_until(
        lambda: get_landing("told").count(0, 10_000).events == at - 98,
        lambda: read_source(stream).words,
        intake,
    )
    assert (compute_final(stream) or 0) <= at - 5
    write(folder, "b", at + 99)
    wait_until(lambda: compute_final(stream) == at + 90, lambda: compute_final(stream), intake)


def test_a_source_that_is_removed_holds_nothing_back_any_more(
    ada: User, intake: Intake, folder: Path
) -> None:
    stream = create_fed_stream(ada, folder)
    write(folder, "a", 100)
    wait_until(lambda: get_landing("told").end() > 0, lambda: read_source(stream).words, intake)
    remove_source(stream=stream, user=ada)
    intake()
    wait_until(lambda: bool(release_held_back()), lambda: "nothing was let go", intake)
    wait_until(
        lambda: not release_held_back() and not is_held(stream), lambda: "it is held again and again", intake
    )
    assert compute_final(stream) == 90


def test_another_source_that_says_nothing_of_itself_lets_go_what_the_one_before_held(
    ada: User, intake: Intake, folder: Path
) -> None:
    stream = create_fed_stream(ada, folder)
    write(folder, "a", 100)
    wait_until(lambda: get_landing("told").end() > 0, lambda: read_source(stream).words, intake)
    assert compute_final(stream) is None
    set_source(stream=stream, user=ada, kind="growing_files", options={"path": str(folder)})
    wait_until(lambda: compute_final(stream) == 90, lambda: read_source(stream).words, intake)
    assert not is_held(stream)


def test_another_source_that_cannot_be_read_lets_go_what_the_one_before_held(
    ada: User, intake: Intake, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_streams, "REPLACED_SOURCE_GRACE_S", 0.0)
    stream = create_fed_stream(ada, folder)
    write(folder, "a", 100)
    wait_until(lambda: get_landing("told").end() > 0, lambda: read_source(stream).words, intake)
    options = {"url": f"redis://127.0.0.1:{find_free_port()}", "streams": "s", "group": "g"}
    set_source(stream=stream, user=ada, kind="redis_streams", options=options)
    wait_until(lambda: bool(release_held_back()), lambda: read_source(stream).words, intake)
    assert (read_source(stream).observed, compute_final(stream), is_held(stream)) == ("retrying", 90, False)
    set_source(stream=stream, user=ada, kind="shelves", options={"path": str(folder)})
    write(folder, "a", 200)
    wait_until(lambda: is_held(stream), lambda: read_source(stream).words, intake)
    assert compute_final(stream) == 90, "it holds back again, as soon as it is read"


def test_nothing_is_said_of_a_stream_without_events_so_that_it_may_be_declared_otherwise(
    ada: User, intake: Intake, folder: Path
) -> None:
    stream = create_fed_stream(ada, folder)
    wait_until(
        lambda: "its watermark is not known" in read_source(stream).words,
        lambda: read_source(stream).words,
        intake,
    )
    assert get_landing("told").end() == 0
    take_events(stream=stream, body=build_event(1_000_000))
    wait_until(lambda: get_landing("told").end() > 1, lambda: read_source(stream).words, intake)
    (mark,) = get_landing("told").beats(0, get_landing("told").end())
    assert (mark.until, mark.holds) == (BEGINNING, True)


def test_a_stream_that_is_idle_as_a_whole_goes_on_by_heartbeats(
    ada: User, intake: Intake, folder: Path
) -> None:
    stream = create_fed_stream(ada, folder, idle_after="2s")
    write(folder, "a", 100)
    wait_until(
        lambda: read_source(stream).lag == 0 and compute_final(stream) is None,
        lambda: read_source(stream).words,
        intake,
    )
    wait_until(lambda: get_landing("told").end() > 0, lambda: read_source(stream).words, intake)
    wait_until(lambda: bool(advance_idle_streams()), lambda: read_source(stream).words, intake)
    assert (compute_final(stream) or 0) > 1_000_000


def test_what_comes_by_the_door_beside_it_is_held_back_too(ada: User, intake: Intake, folder: Path) -> None:
    stream = create_fed_stream(ada, folder)
    write(folder, "a", 100)
    wait_until(lambda: get_landing("told").end() > 0, lambda: read_source(stream).words, intake)
    take_events(stream=stream, body=build_event(1_000_000))
    assert compute_final(stream) is None
