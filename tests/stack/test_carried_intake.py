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
from tests.stack.declared import event
from tests.stack.feeding import fed, ids, killed_twice, landed, refused, told, until, wanted
from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import Aside
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


def parquet(path: Path, numbers: Iterable[int]) -> None:
    pq.write_table(pa.Table.from_pylist([orjson.loads(event(number)) for number in numbers]), path)


def comma_separated(path: Path, numbers: Iterable[int]) -> None:
    rows = [orjson.loads(event(number)) for number in numbers]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["k", "t", "id", "v"])
        writer.writeheader()
        writer.writerows(rows)


def lines(path: Path, numbers: Iterable[int]) -> None:
    path.write_bytes(b"\n".join(map(event, numbers)) + b"\n")


def whole(path: Path) -> None:
    """It was written a while ago."""
    os.utime(path, (time.time() - 5, time.time() - 5))


@pytest.mark.parametrize(
    ("kind", "write"), [("parquet", parquet), ("csv", comma_separated), ("json_lines", lines)]
)
def test_files_land_once_and_later_ones_too(
    kind: str, write: Callable[[Path, Iterable[int]], None], ada: User, intake: Intake, folder: Path
) -> None:
    for first in (0, 300):
        write(folder / f"{first}.data", range(first, first + 300))
        whole(folder / f"{first}.data")
    stream = fed(ada, f"files_{kind}", kind, path=str(folder))
    assert landed(stream, 600, intake) == wanted(600)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    write(folder / "later.data", range(600, 650))
    whole(folder / "later.data")
    set_source(stream=stream, user=ada, kind=kind, given={"path": f"{folder}/"}, paused=False)
    assert landed(stream, 650, intake) == wanted(650)
    until(lambda: told(stream).observed == "reading", lambda: told(stream).words, intake)
    assert told(stream).lag == 0
    assert refused(stream) == 0


def test_a_schema_that_changes_in_the_middle_is_said_and_holds_up_nothing(
    ada: User, intake: Intake, folder: Path
) -> None:
    stream = fed(ada, "changing", "parquet", path=str(folder))
    parquet(folder / "1", range(10))
    whole(folder / "1")
    landed(stream, 10, intake)
    rows = [orjson.loads(event(number)) | {"v": "many", "new": 1} for number in range(10, 15)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "2")
    whole(folder / "2")
    words = "of the last 5 messages 5 were wrong, and are kept aside"
    until(lambda: words in told(stream).words, lambda: told(stream).words, intake)
    pq.write_table(pa.Table.from_pylist([orjson.loads(event(15, new=1))]), folder / "3")
    whole(folder / "3")
    landed(stream, 11, intake)
    until(lambda: told(stream).words == "reading", lambda: told(stream).words, intake)
    stream.refresh_from_db()
    assert stream.seen_fields == ["id", "new", "v"]
    assert refused(stream) == 5


def test_a_file_that_grows_is_read_as_it_grows_and_wrong_lines_are_kept_aside(
    ada: User, intake: Intake, folder: Path
) -> None:
    log = folder / "app.log"
    lines(log, range(10))
    stream = fed(ada, "growing", "growing_files", path=str(folder))
    landed(stream, 10, intake)
    with log.open("ab") as file:
        file.write(b"not json\n" + event(10) + b"\n" + event(11)[:9])
    assert landed(stream, 11, intake) == wanted(11)
    with log.open("ab") as file:
        file.write(event(11)[9:] + b"\n")
    assert landed(stream, 12, intake) == wanted(12)
    measure_writer.write_measures()
    [aside] = Aside.objects.filter(stream=stream)
    assert (aside.code, aside.line, aside.alone) == ("not_json", None, True)
    begin = sum(len(event(number)) + 1 for number in range(10))
    assert aside.place == f"byte {begin} of {log.name}"
    log.rename(folder / "app.log.1")
    log.write_bytes(event(12) + b"\n")
    assert landed(stream, 13, intake) == wanted(13)
    log.write_bytes(b"")
    until(lambda: "was written anew" in told(stream).words, lambda: told(stream).words, intake)


def test_an_api_that_asks_to_be_left_alone_says_so(ada: User, intake: Intake) -> None:
    with Api() as api:
        api.events = [orjson.loads(event(number)) for number in range(3)]
        stream = fed(ada, "limited", "http", url=api.url, events="data.items", next="next", every=0.5)
        assert landed(stream, 3, intake) == wanted(3)
        api.refusals.append((429, {"Retry-After": "3"}, b""))
        until(lambda: told(stream).observed == "waiting", lambda: told(stream).words, intake)
        assert told(stream).words.startswith("waiting: it was told to come again later, and asks ")
        api.events.append(orjson.loads(event(3)))
        assert landed(stream, 4, intake) == wanted(4)
        until(lambda: told(stream).words == "reading", lambda: told(stream).words, intake)


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
    stream = fed(ada, "redis", "redis_streams", url=server.url, streams="plays", field="e")
    client = server.client()

    def send(number: int) -> None:
        body = b"{" if number % 50 == 9 else event(number)
        while not is_there(client, body, f"{number + 1}-1"):
            time.sleep(0.05)

    sent = killed_twice(stream, intake, send, server.kill, server.start, "no Redis answers")
    right = [f"e{number}" for number in range(sent) if number % 50 != 9]
    assert landed(stream, len(right), intake) == sorted(right)
    until(lambda: refused(stream) == sent - len(right), lambda: refused(stream), intake)
    until(lambda: told(stream).lag == 0, lambda: told(stream).lag, intake)
    until(
        lambda: server.client().xpending("plays", "timelines")["pending"] == 0,
        lambda: server.client().xpending("plays", "timelines"),
        intake,
    )


def test_an_mqtt_broker_that_is_started_again_and_again_under_load(
    ada: User, intake: Intake, tmp_path: Path
) -> None:
    broker = Mosquitto(tmp_path)
    stream = fed(ada, "mqtt", "mqtt", broker=broker.address, topics="plays/#", session="one")
    until(lambda: told(stream).observed == "reading", lambda: told(stream).words, intake)
    with Sender(broker.port) as sender:

        def send(number: int) -> None:
            sender.publish("plays/a", b"{" if number % 50 == 9 else event(number))
            time.sleep(0.002)

        sent = killed_twice(stream, intake, send, broker.stop, broker.start, broker.address)
    right = sorted(f"e{number}" for number in range(sent) if number % 50 != 9)
    result = landed(stream, len(right), intake)
    broker.stop()
    # Its publisher sends again what it has no answer to (QoS 1): that is there twice, under one id.
    assert sorted(set(result)) == right


def test_a_batch_of_wrong_messages_only_is_passed_by_before_it_is_acknowledged(
    ada: User, intake: Intake, server: Server
) -> None:
    client = server.client()
    for number in range(30):
        client.xadd("wrong", {"e": b"{" if number < 20 else event(number)})
    stream = fed(ada, "wrong", "redis_streams", url=server.url, streams="wrong", field="e")
    landed(stream, 10, intake)
    client.xadd("wrong", {"e": b"{"})
    until(lambda: refused(stream) == 21, lambda: refused(stream), intake)
    pause_source(stream=stream, user=ada, paused=True)
    until(lambda: bool(told(stream).passed), lambda: told(stream).words, intake)
    assert told(stream).passed
    client.xadd("wrong", {"e": event(30)})
    pause_source(stream=stream, user=ada, paused=False)
    landed(stream, 11, intake)
    assert refused(stream) == 21


def test_a_folder_that_may_not_be_read_any_more_is_said(
    ada: User, intake: Intake, folder: Path, settings: Settings
) -> None:
    stream = fed(ada, "forbidden", "json_lines", path=str(folder))
    until(lambda: told(stream).observed == "reading", lambda: told(stream).words, intake)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    settings.SOURCE_FOLDERS = ()
    pause_source(stream=stream, user=ada, paused=False)
    until(lambda: "no folder may be read" in told(stream).words, lambda: told(stream).words, intake)
    assert told(stream).observed == "retrying"


def test_notes_that_are_gone_are_said(ada: User, intake: Intake, folder: Path, settings: Settings) -> None:
    lines(folder / "one", range(10))
    whole(folder / "one")
    stream = fed(ada, "notes", "json_lines", path=str(folder))
    landed(stream, 10, intake)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    time.sleep(1.0)
    forget(settings.TIMELINE_LOCAL / "sources" / str(stream.pk))
    pause_source(stream=stream, user=ada, paused=False)
    until(lambda: "bring back the folder" in told(stream).words, lambda: told(stream).words, intake)
    assert ids_of(stream) == wanted(10)


def forget(notes: Path) -> None:
    for path in notes.rglob("*"):
        if path.is_file():
            path.unlink()


def ids_of(stream: Stream) -> list[str]:
    return sorted(ids(stream))
