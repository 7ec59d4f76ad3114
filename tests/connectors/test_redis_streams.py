"""Redis Streams, against a real Redis: the promises, and a Redis that is killed, emptied or declared wrongly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.connectors.redis_server import Server
from tests.connectors.strangers import run_stranger
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.reading import SourceUnavailable
from timeline_app.connectors.redis import connection
from timeline_app.connectors.redis.source import RedisStreams
from timeline_app.connectors.source_kit import CASES, SourceCase, SourceHarness
from timeline_app.connectors.source_kit.query import Query
from timeline_app.connectors.splits.estimators import Manual
from timeline_app.connectors.splits.notes import Folder
from timeline_app.connectors.splits.planner import Planner
from timeline_app.connectors.splits.tracker import Tracker
from workers.stack.health import find_free_port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


class RedisWorld(SourceHarness):
    """Two streams of an empty Redis, each read by two consumers."""

    def __init__(self, server: Server) -> None:
        self.server, self.client = server, server.client()
        self.client.flushall()
        self.names = ["plays", "pauses"]

    def source(self) -> RedisStreams:
        return RedisStreams(self.server.url, ",".join(self.names), consumers=2, field="event")

    def send(self, events: Iterable[int]) -> None:
        pipe = self.client.pipeline(transaction=False)
        for number in events:
            pipe.xadd(self.names[number % 2], {"event": json.dumps({"n": number})})
        pipe.execute()

    def number(self, row: Mapping[str, Any]) -> int:
        return int(json.loads(row["event"])["n"])

    def unacknowledged(self) -> int:
        return sum(self.client.xpending(name, "timelines")["pending"] for name in self.names)

    def close(self) -> None:
        self.client.close()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_redis_streams_keep_their_promises(case: SourceCase, server: Server) -> None:
    case.run(lambda: RedisWorld(server))


def read_values(source: RedisStreams, key: str = "plays/0", start: Any = (0, 0)) -> list[str]:
    rows = source.process(key, Tracker(list(start)), Manual(), lambda payload: None)
    return [row[0] for row in rows if isinstance(row, tuple)]


def test_without_a_field_the_fields_of_an_entry_are_the_event(server: Server) -> None:
    client = RedisWorld(server).client
    client.xadd("plays", {"session": "s1", "t": 5, "note": b"\xff"})
    source = RedisStreams(server.url, "plays")
    list(source.restrictions())
    assert [json.loads(event) for event in read_values(source)] == [
        {"session": "s1", "t": "5", "note": "\\xff"}
    ]


def test_a_new_group_may_begin_with_what_is_new(server: Server) -> None:
    client = RedisWorld(server).client
    client.xadd("plays", {"event": "old"})
    source = RedisStreams(server.url, "plays", field="event", begin="new")
    list(source.restrictions())
    client.xadd("plays", {"event": "new"})
    assert read_values(source) == ["new"]


def test_an_entry_that_was_deleted_before_it_was_read_again_is_acknowledged(server: Server) -> None:
    world = RedisWorld(server)
    world.send([0, 2])
    source = world.source()
    list(source.restrictions())
    assert len(read_values(source)) == 2
    client = world.client
    client.xdel("plays", client.xrange("plays")[0][0])
    acks: list[Any] = []
    rows = list(source.process("plays/0", Tracker([0, 0]), Manual(), acks.append))
    assert (len(rows), len(acks)) == (1, 2)


def test_a_redis_that_is_emptied_under_us_is_read_on(server: Server) -> None:
    world = RedisWorld(server)
    query = Query(world)
    query.start()
    world.send(range(10))
    query.drain()
    world.client.flushall()
    query.drain()
    world.send(range(10, 20))
    query.clock.now += 60
    query.drain()
    assert query.numbers() == list(range(20))


def test_a_redis_that_is_not_there_is_told_and_waited_for(tmp_path: Path) -> None:
    url = f"redis://127.0.0.1:{find_free_port()}"
    source = RedisStreams(url, "plays")
    planner = Planner(source, Folder(tmp_path / "state"))
    assert planner.latest(planner.initial()) == planner.initial()
    (trouble,) = planner.status()["troubles"]
    assert trouble["words"].startswith(f"no Redis answers at {url}")
    rows = source.process("plays/0", Tracker([0, 0]), Manual(), lambda payload: None)
    with pytest.raises(StopIteration) as end:
        next(rows)
    assert end.value.value.seconds == 5


def test_wrong_credentials_are_told_without_them(server: Server, tmp_path: Path) -> None:
    client = RedisWorld(server).client
    client.config_set("requirepass", "open sesame")
    try:
        planner = Planner(RedisStreams(server.url, "plays", password="hunter2"), Folder(tmp_path / "state"))
        planner.latest(planner.initial())
        (trouble,) = planner.status()["troubles"]
        right = RedisStreams(server.url, "plays", password="open sesame")
        assert [restriction.key for restriction in right.restrictions()] == ["plays/0"]
    finally:
        client.config_set("requirepass", "")
    assert "Redis refuses the login: check password, and the user in url" in trouble["words"]
    assert "hunter2" not in trouble["words"]


def test_what_is_declared_wrongly_is_told_with_its_hint() -> None:
    with pytest.raises(BadOptions) as bad:
        read(RedisStreams, {"url": "127.0.0.1:6379", "streams": "a,,b", "begin": "last", "consumers": 0})
    assert dict(bad.value.problems) == {
        "url": "is no address of a Redis: '127.0.0.1:6379'; such as redis://host:6379/0",
        "streams": "has an empty name; a,b names two",
        "begin": "must be one of first, new, not 'last'",
        "consumers": "must be 1 at least, not 0",
    }


def test_what_waits_is_counted_where_it_is_little_and_guessed_where_it_is_much(server: Server) -> None:
    client = RedisWorld(server).client
    source = RedisStreams(server.url, "plays", field="event")
    list(source.restrictions())
    pipe = client.pipeline(transaction=False)
    for number in range(1, 2_001):
        pipe.xadd("plays", {"event": "{}"}, id=f"{number}-0")
    pipe.execute()
    assert 1_800 < (source.size("plays/0", [0, 0], None) or 0) < 2_200
    list(source.process("plays/0", Tracker([0, 0], most=1_950), Manual(), lambda payload: None))
    client.xgroup_setid("plays", "timelines", "1950-0")
    assert source.size("plays/0", [2_000, 0], None) == 51
    assert source.size("plays/0", [1_960, 0], None) == 91  # 40 of them were given, and not read


def test_what_a_kill_left_given_and_not_read_is_read_in_one_batch_by_the_next_process(server: Server) -> None:
    world = RedisWorld(server)
    world.send(range(0, 1_200, 2))
    source = world.source()
    list(source.restrictions())
    next(
        source.process("plays/0", Tracker([0, 0]), Manual(), lambda payload: None)
    )  # it was given all of them
    query = Query(world)
    query.start()
    assert query.trigger() == 600


def test_an_answer_by_drops_ends_with_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "TIMEOUT_S", 0.4)
    with run_stranger(b"x", every=0.02) as place:
        started = time.monotonic()
        with pytest.raises(
            SourceUnavailable, match=f"what is at redis://{place} does not answer as a Redis does: check url"
        ):
            list(RedisStreams(f"redis://{place}", "plays").restrictions())
        assert time.monotonic() - started < 10


def test_a_redis_that_hangs_holds_up_no_other(server: Server) -> None:
    """Also while it is asked whether it is the product's own."""
    with run_stranger(b"x", every=0.02) as place:
        hung = RedisStreams(f"redis://{place}", "plays")
        hung.own = server.url

        def ask() -> None:
            with suppress(SourceUnavailable):
                list(hung.restrictions())

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        time.sleep(0.2)
        assert list(RedisStreams(server.url, "plays").restrictions())
        assert thread.is_alive()


def test_what_is_no_redis_is_told_with_a_hint() -> None:
    words = "what answers at .* is no Redis: check url, its port"
    with (
        run_stranger(b"SSH-2.0-OpenSSH_9.6\r\n", every=0.05) as place,
        pytest.raises(SourceUnavailable, match=words),
    ):
        list(RedisStreams(f"redis://{place}", "plays").restrictions())
