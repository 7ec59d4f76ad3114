"""What a stream takes from files, Redis Streams, MQTT and a REST API: real ones, killed, wrong, growing, gone."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import redis
from django.contrib.auth.models import User
from pytest_django import Settings

from tests.connectors.api_server import Api
from tests.connectors.mosquitto import Mosquitto, Sender
from tests.connectors.redis_server import Server
from tests.stack.declared import build_event
from tests.stack.feeding import (
    build_wanted,
    count_refused,
    create_fed_stream,
    kill_twice,
    list_ids,
    read_source,
    wait_until,
    wait_until_landed,
)
from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.streams import measure_writer
from timeline_app.web.streams.source_services import pause_source, set_source

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]
Intake = Callable[[], None]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """A folder that may be read."""
    path = tmp_path / "given"
    path.mkdir()
    settings.SOURCE_FOLDERS = (path.resolve(),)
    return path


def write_parquet(path: Path, numbers: Iterable[int]) -> None:
    pq.write_table(pa.Table.from_pylist([orjson.loads(build_event(number)) for number in numbers]), path)


def write_csv(path: Path, numbers: Iterable[int]) -> None:
    rows = [orjson.loads(build_event(number)) for number in numbers]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["k", "t", "id", "v"])
        writer.writeheader()
        writer.writerows(rows)


def write_lines(path: Path, numbers: Iterable[int]) -> None:
    path.write_bytes(b"\n".join(map(build_event, numbers)) + b"\n")


def age_file(path: Path) -> None:
    """It was written a while ago."""
    os.utime(path, (time.time() - 5, time.time() - 5))


@pytest.mark.parametrize(
    ("kind", "write"), [("parquet", write_parquet), ("csv", write_csv), ("json_lines", write_lines)]
)
def test_files_land_once_and_later_ones_too(
    kind: str, write: Callable[[Path, Iterable[int]], None], ada: User, intake: Intake, folder: Path
) -> None:
    for first in (0, 300):
        write(folder / f"{first}.data", range(first, first + 300))
        age_file(folder / f"{first}.data")
    stream = create_fed_stream(ada, f"files_{kind}", kind, path=str(folder))
    assert wait_until_landed(stream, 600, intake) == build_wanted(600)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    write(folder / "later.data", range(600, 650))
    age_file(folder / "later.data")
    set_source(stream=stream, user=ada, kind=kind, options={"path": f"{folder}/"}, paused=False)
    assert wait_until_landed(stream, 650, intake) == build_wanted(650)
    wait_until(lambda: read_source(stream).observed == "reading", lambda: read_source(stream).words, intake)
    assert read_source(stream).lag == 0
    assert count_refused(stream) == 0


def test_a_schema_that_changes_in_the_middle_is_said_and_holds_up_nothing(
    ada: User, intake: Intake, folder: Path
) -> None:
    stream = create_fed_stream(ada, "changing", "parquet", path=str(folder))
    write_parquet(folder / "1", range(10))
    age_file(folder / "1")
    wait_until_landed(stream, 10, intake)
    rows = [orjson.loads(build_event(number)) | {"v": "many", "new": 1} for number in range(10, 15)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "2")
    age_file(folder / "2")
    words = "of the last 5 messages 5 were rejected, and are kept"
    wait_until(lambda: words in read_source(stream).words, lambda: read_source(stream).words, intake)
    pq.write_table(pa.Table.from_pylist([orjson.loads(build_event(15, new=1))]), folder / "3")
    age_file(folder / "3")
    wait_until_landed(stream, 11, intake)
    wait_until(lambda: read_source(stream).words == "reading", lambda: read_source(stream).words, intake)
    stream.refresh_from_db()
    assert stream.seen_fields == ["id", "new", "v"]
    assert count_refused(stream) == 5


def test_a_file_that_grows_is_read_as_it_grows_and_wrong_lines_are_rejected(
    ada: User, intake: Intake, folder: Path
) -> None:
    log = folder / "app.log"
    write_lines(log, range(10))
    stream = create_fed_stream(ada, "growing", "growing_files", path=str(folder))
    wait_until_landed(stream, 10, intake)
    with log.open("ab") as file:
        file.write(b"not json\n" + build_event(10) + b"\n" + build_event(11)[:9])
    assert wait_until_landed(stream, 11, intake) == build_wanted(11)
    with log.open("ab") as file:
        file.write(build_event(11)[9:] + b"\n")
    assert wait_until_landed(stream, 12, intake) == build_wanted(12)
    measure_writer.write_measures()
    [rejected] = RejectedEvent.objects.filter(stream=stream)
    assert (rejected.code, rejected.line, rejected.alone) == ("not_json", None, True)
    begin = sum(len(build_event(number)) + 1 for number in range(10))
    assert rejected.place == f"byte {begin} of {log.name}"
    log.rename(folder / "app.log.1")
    log.write_bytes(build_event(12) + b"\n")
    assert wait_until_landed(stream, 13, intake) == build_wanted(13)
    log.write_bytes(b"")
    wait_until(
        lambda: "was written anew" in read_source(stream).words, lambda: read_source(stream).words, intake
    )


def test_an_api_that_asks_to_be_left_alone_says_so(ada: User, intake: Intake) -> None:
    with Api() as api:
        api.events = [orjson.loads(build_event(number)) for number in range(3)]
        stream = create_fed_stream(
            ada, "limited", "http", url=api.url, events="data.items", next="next", every=0.5
        )
        assert wait_until_landed(stream, 3, intake) == build_wanted(3)
        api.refusals.append((429, {"Retry-After": "3"}, b""))
        wait_until(
            lambda: read_source(stream).observed == "waiting", lambda: read_source(stream).words, intake
        )
        assert read_source(stream).words.startswith("waiting: it was told to come again later, and asks ")
        api.events.append(orjson.loads(build_event(3)))
        assert wait_until_landed(stream, 4, intake) == build_wanted(4)
        wait_until(lambda: read_source(stream).words == "reading", lambda: read_source(stream).words, intake)


def is_there(client: Any, body: bytes, entry: str) -> bool:
    """Write an entry; it may have been there when the connection went away."""
    try:
        client.xadd("plays", {"e": body}, id=entry)
    except redis.ConnectionError:
        return False
    except redis.ResponseError as why:
        return "equal or smaller" in str(why)
    return True


def test_a_redis_that_is_killed_and_messages_that_are_wrong(
    ada: User, intake: Intake, server: Server
) -> None:
    stream = create_fed_stream(ada, "redis", "redis_streams", url=server.url, streams="plays", field="e")
    client = server.client()

    def send(number: int) -> None:
        body = b"{" if number % 50 == 9 else build_event(number)
        while not is_there(client, body, f"{number + 1}-1"):
            time.sleep(0.05)

    sent = kill_twice(stream, intake, send, server.kill, server.start, "no Redis answers")
    right = [f"e{number}" for number in range(sent) if number % 50 != 9]
    assert wait_until_landed(stream, len(right), intake) == sorted(right)
    wait_until(lambda: count_refused(stream) == sent - len(right), lambda: count_refused(stream), intake)
    wait_until(lambda: read_source(stream).lag == 0, lambda: read_source(stream).lag, intake)
    wait_until(
        lambda: server.client().xpending("plays", "timelines")["pending"] == 0,
        lambda: server.client().xpending("plays", "timelines"),
        intake,
    )


def test_an_mqtt_broker_that_is_started_again_and_again_under_load(
    ada: User, intake: Intake, tmp_path: Path
) -> None:
    broker = Mosquitto(tmp_path)
    stream = create_fed_stream(ada, "mqtt", "mqtt", broker=broker.address, topics="plays/#", session="one")
    wait_until(lambda: read_source(stream).observed == "reading", lambda: read_source(stream).words, intake)
    with Sender(broker.port) as sender:

        def send(number: int) -> None:
            sender.publish("plays/a", b"{" if number % 50 == 9 else build_event(number))
            time.sleep(0.002)

        sent = kill_twice(stream, intake, send, broker.stop, broker.start, broker.address)
    right = sorted(f"e{number}" for number in range(sent) if number % 50 != 9)
    result = wait_until_landed(stream, len(right), intake)
    broker.stop()
    # Its publisher sends again what it has no answer to (QoS 1): that is there twice, under one id.
    assert sorted(set(result)) == right


def test_a_batch_of_wrong_messages_only_is_passed_by_before_it_is_acknowledged(
    ada: User, intake: Intake, server: Server
) -> None:
    client = server.client()
    for number in range(30):
        client.xadd("wrong", {"e": b"{" if number < 20 else build_event(number)})
    stream = create_fed_stream(ada, "wrong", "redis_streams", url=server.url, streams="wrong", field="e")
    wait_until_landed(stream, 10, intake)
    client.xadd("wrong", {"e": b"{"})
    wait_until(lambda: count_refused(stream) == 21, lambda: count_refused(stream), intake)
    pause_source(stream=stream, user=ada, paused=True)
    wait_until(lambda: bool(read_source(stream).passed), lambda: read_source(stream).words, intake)
    assert read_source(stream).passed
    client.xadd("wrong", {"e": build_event(30)})
    pause_source(stream=stream, user=ada, paused=False)
    wait_until_landed(stream, 11, intake)
    assert count_refused(stream) == 21


def test_a_folder_that_may_not_be_read_any_more_is_said(
    ada: User, intake: Intake, folder: Path, settings: Settings
) -> None:
    stream = create_fed_stream(ada, "forbidden", "json_lines", path=str(folder))
    wait_until(lambda: read_source(stream).observed == "reading", lambda: read_source(stream).words, intake)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    settings.SOURCE_FOLDERS = ()
    pause_source(stream=stream, user=ada, paused=False)
    wait_until(
        lambda: "no folder may be read" in read_source(stream).words,
        lambda: read_source(stream).words,
        intake,
    )
    assert read_source(stream).observed == "retrying"


def test_notes_that_are_gone_are_said(ada: User, intake: Intake, folder: Path, settings: Settings) -> None:
    write_lines(folder / "one", range(10))
    age_file(folder / "one")
    stream = create_fed_stream(ada, "notes", "json_lines", path=str(folder))
    wait_until_landed(stream, 10, intake)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    time.sleep(1.0)
    remove_receipts(settings.TIMELINE_LOCAL / "sources" / str(stream.pk))
    pause_source(stream=stream, user=ada, paused=False)
    wait_until(
        lambda: "bring back the folder" in read_source(stream).words,
        lambda: read_source(stream).words,
        intake,
    )
    assert list_sorted_ids(stream) == build_wanted(10)


def remove_receipts(notes: Path) -> None:
    for path in notes.rglob("*"):
        if path.is_file():
            path.unlink()


def list_sorted_ids(stream: Stream) -> list[str]:
    return sorted(list_ids(stream))
