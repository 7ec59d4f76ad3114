"""Measure how fast sources are read on one core, without Spark: planned, read, noted, acknowledged on a real disk.

`python -m benchmarks.sources [--events N] [--probes N] [--kills N] [--only landing page kills]` prints one JSON object:

* for each source the events per second of a backlog, and the milliseconds of a micro-batch with one event;
* `landing`: the same of the intake, from the source to a landing on disk;
* `to_page`: on the whole product with Spark, the milliseconds from adding an event to a Redis Stream to the page;
* `kills`: how many events were lost or duplicated while the intake was killed again and again under load.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import redis

from benchmarks import to_page
from benchmarks.ending import exit_on_sigterm
from benchmarks.events import print_progress
from tests.broker import Broker
from tests.connectors.api_server import Api
from tests.connectors.mosquitto import Mosquitto
from tests.stack.killing import count_lost_and_doubled
from timeline_app.connectors.egress.policy import Egress
from timeline_app.connectors.egress.reaches import VARIABLE, parse_reaches
from timeline_app.connectors.files.source import GrowingFiles, JsonLinesFiles
from timeline_app.connectors.files.table_source import CsvFiles, ParquetFiles
from timeline_app.connectors.http.source import HttpApi
from timeline_app.connectors.kafka.source import Kafka
from timeline_app.connectors.messages import decode_messages
from timeline_app.connectors.mqtt.source import Mqtt
from timeline_app.connectors.reading import Reader
from timeline_app.connectors.redis.source import RedisStreams
from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.connectors.splits.notes import Folder
from timeline_app.connectors.splits.offsets import Plan
from timeline_app.connectors.splits.planner import Planner
from timeline_app.connectors.splits.portions import Carried
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.landing.dedup import Receipt
from timeline_app.landing.log import Landing
from timeline_app.landing.request_body import read_lines
from timeline_app.landing.requests import Request
from workers.stack.health import find_free_port
from workers.stack.layout import find_redis_executable

Event = dict[str, Any]
Bring = Callable[[list[Event]], None]
DECLARED = StreamDeclaration.from_document("plays", {"key": "session_id", "time": "t", "unit": "ms"})
PARTS = ("landing", "page", "kills")
SINGLE = 30
"""The number of one-event batches that are measured."""


def build_events(first: int, size: int) -> list[Event]:
    """Return events like those of a player."""
    return [
        {"session_id": f"s{number % 997}", "t": 1_719_820_800_000 + number, "player_state": "buffer", "bitrate": number}
        for number in range(first, first + size)
    ]  # fmt: skip


def read_batch(planner: Planner, offset: Any) -> tuple[Any, int]:
    """Run one micro-batch; return the next offset and the number of rows."""
    end = planner.latest(offset)
    plan, rows = Plan.from_document(end), 0
    for places in planner.partitions(offset, end):
        for index in places:
            rows += sum(item.num_rows for item in planner.reader.read(plan.number, index, plan.splits[index]))
    return end, rows


def measure(source: SplittableSource, state: Path, bring: Bring, size: int) -> dict[str, float]:
    """Measure the events per second of a backlog, then the time of batches of one event each."""
    type(source).poll = 0.0
    planner = Planner(source, Folder(state), parallelism=1)
    bring(build_events(0, size))
    offset, rows = planner.initial(), 0
    begin = time.perf_counter()
    while rows < size:
        offset, more = read_batch(planner, offset)
        rows += more
    rate = size / (time.perf_counter() - begin)
    single = []
    for number in range(SINGLE):
        bring(build_events(size + number, 1))
        more, begin = 0, time.perf_counter()
        while not more:
            offset, more = read_batch(planner, offset)
        single.append(1_000 * (time.perf_counter() - begin))
    planner.close()
    return {"events_per_second": round(rate), "batch_ms": round(statistics.median(single), 2)}


class Intake:
    """The intake without a database: the rules of the events endpoint, and a landing on disk."""

    def __init__(self, reader: Reader, root: Path) -> None:
        """Read from an open source."""
        self.landing, self.reader = Landing(root, "landing"), reader
        self.known: dict[str, Any] = {}

    def take(self) -> int:
        """Take a portion; return how many of its events landed."""
        portion = self.reader.take()
        table, problems = read_lines(decode_messages(portion.messages, DECLARED).lines, DECLARED)
        if problems:
            raise SystemExit(f"what was written is wrong: {problems[0]}")
        if len(table):
            request = Request(table, Receipt("", "", -1, "", len(table)))
            request.positions, request.after = portion.positions, self.known
            self.landing.commit([request])
            self.known = dict(portion.positions)
        return len(table)

    def run_until(self, count: int) -> float:
        """Return the seconds until this many more events have landed."""
        begin = time.perf_counter()
        while count > 0:
            count -= self.take()
        return time.perf_counter() - begin


def open_carried(make: Callable[[], SplittableSource], root: Path) -> Reader:
    """Open a source as the intake does."""
    return Carried(make, "it", Folder(root / "notes")).open({})


def measure_landing(reader: Reader, root: Path, bring: Bring, size: int) -> dict[str, float]:
    """Measure the events per second of a backlog into a landing, then the time until one event has landed."""
    intake = Intake(reader, root)
    bring(build_events(0, size))
    rate = size / intake.run_until(size)
    single = []
    for number in range(SINGLE):
        bring(build_events(size + number, 1))
        single.append(1_000 * intake.run_until(1))
    intake.reader.close()
    return {"landed_per_second": round(rate), "to_landing_ms": round(statistics.median(single), 2)}


def bring_in_files(path: Path, write: Callable[[Path, list[Event]], None]) -> Bring:
    """Add a complete new file each time."""
    names = iter(f"{number:06d}" for number in range(1_000_000))

    def bring(batch: list[Event]) -> None:
        write(path / ".draft", batch)
        (path / ".draft").rename(path / next(names))

    return bring


def write_json_lines(path: Path, batch: list[Event]) -> None:
    """Write one event per line."""
    path.write_bytes(b"\n".join(map(orjson.dumps, batch)) + b"\n")


def write_csv(path: Path, batch: list[Event]) -> None:
    """Write one event per line, below the column names."""
    path.write_text(
        "\n".join([",".join(batch[0]), *(",".join(map(str, item.values())) for item in batch)]) + "\n"
    )


def write_parquet(path: Path, batch: list[Event]) -> None:
    """Write row groups of 50,000."""
    pq.write_table(pa.Table.from_pylist(batch), path, row_group_size=50_000)


def bring_by_appending(path: Path) -> Bring:
    """Append to one growing file."""

    def bring(batch: list[Event]) -> None:
        with (path / "growing.log").open("ab") as file:
            file.write(b"".join(orjson.dumps(item) + b"\n" for item in batch))

    return bring


@contextmanager
def run_server(path: Path) -> Iterator[str]:
    """Run a Redis server."""
    socket, port = path / "socket", find_free_port()
    command = [
        find_redis_executable(),
        "--bind",
        "127.0.0.1",
        "--port",
        str(port),
        "--unixsocket",
        str(socket),
    ]
    command += ["--dir", str(path)]
    process = subprocess.Popen([*command, "--save", ""], stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            time.sleep(0.01)
        yield f"redis://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def bring_to_redis(url: str) -> Bring:
    client = redis.Redis.from_url(url)

    def bring(batch: list[Event]) -> None:
        pipe = client.pipeline(transaction=False)
        for item in batch:
            pipe.xadd("plays", {"event": orjson.dumps(item)})
        pipe.execute()

    return bring


@contextmanager
def run_mqtt(path: Path) -> Iterator[tuple[Callable[[], SplittableSource], Bring]]:
    """Publish to a topic of a broker; the session exists already."""
    path.mkdir()
    broker = Mosquitto(path)
    make = partial(Mqtt, broker.address, "plays", "benchmark")
    first = make()
    list(first.restrictions())
    first.close()
    try:
        yield make, lambda batch: broker.send("plays", map(orjson.dumps, batch))
    finally:
        broker.stop()


@contextmanager
def run_kafka() -> Iterator[tuple[Reader, Bring]]:
    """Publish to a topic of two partitions."""
    with Broker() as broker:
        producer, topic = broker.producer(), broker.topic("plays", partitions=2)

        def bring(batch: list[Event]) -> None:
            for item in batch:
                producer.produce(topic, orjson.dumps(item))
                producer.poll(0)
            producer.flush()

        yield Kafka(servers=broker.servers, topics=topic).open({}), bring


@contextmanager
def run_api(root: Path) -> Iterator[tuple[Reader, Bring]]:
    """Serve a REST API with pages of a thousand events."""
    with Api(page=1_000) as api:
        make = partial(HttpApi, api.url, "data.items", "next", every=0.0)
        yield open_carried(make, root), api.events.extend


def make_intake_folder(root: Path, kind: str) -> Path:
    path = root / f"{kind}.intake"
    path.mkdir()
    return path


def measure_landings(size: int) -> dict[str, Any]:
    """Measure each source into a landing, without Spark."""
    document: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, run_server(Path(name)) as url:
        root = Path(name)
        kinds: list[tuple[str, Callable[[str], SplittableSource], Callable[[Path], Bring]]] = [
            (
                "warm",
                lambda path: JsonLinesFiles(path, quiet=0.0),
                lambda at: bring_in_files(at, write_json_lines),
            ),
            (
                "json_lines",
                lambda path: JsonLinesFiles(path, quiet=0.0),
                lambda at: bring_in_files(at, write_json_lines),
            ),
            ("csv", lambda path: CsvFiles(path, quiet=0.0), lambda at: bring_in_files(at, write_csv)),
            (
                "parquet",
                lambda path: ParquetFiles(path, quiet=0.0),
                lambda at: bring_in_files(at, write_parquet),
            ),
            ("growing", GrowingFiles, bring_by_appending),
            (
                "redis_streams",
                lambda _: RedisStreams(url, "plays", field="event"),
                lambda _: bring_to_redis(url),
            ),
        ]
        for kind, source, bring in kinds:
            folder = root / kind
            folder.mkdir()
            document[kind] = measure(source(str(folder)), root / f"{kind}.state", bring(folder), size)
            redis.Redis.from_url(url).flushall()
            print_progress(f"{kind}: {document[kind]}")
            second_folder, at = root / f"{kind}.again", make_intake_folder(root, kind)
            second_folder.mkdir()
            document[kind] |= measure_landing(
                open_carried(partial(source, str(second_folder)), at), at, bring(second_folder), size
            )
        with run_mqtt(root / "mqtt") as (make, publish):
            at = make_intake_folder(root, "mqtt")
            document["mqtt"] = measure_landing(open_carried(make, at), at, publish, size // 5)
        with run_kafka() as (reader, produce):
            document["kafka"] = measure_landing(reader, make_intake_folder(root, "kafka"), produce, size)
        at = make_intake_folder(root, "http")
        with run_api(at) as (reader, extend):
            document["http"] = measure_landing(reader, at, extend, size // 5)
    del document["warm"]
    return {"events": size, "sources": document}


def main() -> None:
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--probes", type=int, default=100)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--kills", type=int, default=50)
    arguments = parser.parse_args()
    opened = parse_reaches("loopback")  # where the servers listen that are measured
    SplittableSource.egress = Kafka.egress = Egress(opened)
    os.environ[VARIABLE] = "loopback"  # of the products that are started
    document: dict[str, Any] = {"benchmark": "sources"}
    if "landing" in arguments.only:
        document |= measure_landings(arguments.events)
        print_progress(f"landings: {document}")
    if "page" in arguments.only:
        document["to_page"] = to_page.measure(arguments.probes)
        print_progress(f"to the page: {document['to_page']}")
    if "kills" in arguments.only:
        with tempfile.TemporaryDirectory(prefix="bench-") as name:
            document["kills"] = {
                "kills": arguments.kills,
                **count_lost_and_doubled(Path(name), arguments.kills, print_progress),
            }
            print_progress(f"kills: {document['kills']}")
    print(json.dumps(document))


if __name__ == "__main__":
    main()
