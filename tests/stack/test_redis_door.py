"""The Redis that `make run` starts: on a closed socket only, without administration, after an upgrade too."""

from __future__ import annotations

import asyncio
import base64
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis
from celery import Celery
from channels_redis.core import RedisChannelLayer

from timeline_app.variables import format_celery_broker
from workers.stack import health
from workers.stack.layout import Layout

OF_REDIS_6 = base64.b64decode(
    "UkVESVMwMDA5+glyZWRpcy12ZXIGNi4yLjE0+gpyZWRpcy1iaXRzwED6BWN0aW1lwrIEB2v6CHVzZWQtbWVtwtBQDgD6DGFvZi1wcmVhbWJsZcAB"
    "/gD7AQAOBmNlbGVyeQESEgAAAAoAAAABAAAFZmlyc3T//8fsEPYnZnIBKjINCiQ2DQpTRUxFQ1QNCiQxDQowDQoqMw0KJDUNClJQVVNIDQokNg0K"
    "Y2VsZXJ5DQokNg0Kc2Vjb25kDQo="
)
"""What Redis 6.2.14 of earlier versions kept of a list `celery` with `first` and `second`."""


@contextmanager
def run_redis(data: Path) -> Iterator[tuple[psutil.Process, Layout]]:
    """The process, started with the command of the layout."""
    layout = Layout(data, 8000, 15002, demo=False)
    layout.write()
    [command] = [program.command for program in layout.programs() if program.name == "redis"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        try:
            until = time.monotonic() + 60
            while not health.is_redis_up(layout.redis_socket):
                assert time.monotonic() < until, "it does not start"
                time.sleep(0.02)
            yield psutil.Process(running.pid), layout
        finally:
            running.kill()


@pytest.fixture(params=["plain", "a b%41"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[psutil.Process, Layout]]:
    """In a folder with a plain name, and in one whose name means something in an address."""
    with run_redis(tmp_path / request.param) as result:
        yield result


def build_client(layout: Layout) -> Any:
    """As the processes of the product make it."""
    return redis.Redis.from_url(layout.environment()["REDIS_URL"])


def test_it_listens_on_a_socket_for_its_own_user_and_on_no_port(
    server: tuple[psutil.Process, Layout],
) -> None:
    process, layout = server
    assert process.net_connections("inet") == []
    assert layout.redis_socket.stat().st_mode & 0o777 == 0o700
    assert layout.home.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "words",
    [
        ("CONFIG", "SET", "dir", "/tmp"),
        ("CONFIG", "GET", "*"),
        ("MODULE", "LOAD", "/tmp/evil.so"),
        ("MODULE", "LIST"),
        ("REPLICAOF", "127.0.0.1", "6379"),
        ("SLAVEOF", "127.0.0.1", "6379"),
        ("DEBUG", "SLEEP", "0"),
        ("SAVE",),
        ("BGSAVE",),
        ("SHUTDOWN",),
        ("ACL", "SETUSER", "evil", "on", "nopass", "~*", "+@all"),
        ("MONITOR",),
        ("MIGRATE", "127.0.0.1", "6379", "key", "0", "1000"),
    ],
)
def test_commands_that_reach_beyond_it_are_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    with (
        run_redis(tmp_path) as (_, layout),
        pytest.raises(redis.ResponseError, match=r"no permissions|not allowed"),
    ):
        build_client(layout).execute_command(*words)


def test_what_the_product_does_with_it_works(server: tuple[psutil.Process, Layout]) -> None:
    client, url = build_client(server[1]), server[1].environment()["REDIS_URL"]
    with Celery("tests", broker=format_celery_broker(url)) as sender:
        sender.send_task("workers.tasks.supervise")
    assert client.llen("celery") == 1

    async def send_to_group() -> dict[str, Any]:
        layer = RedisChannelLayer(hosts=[{"address": url}])
        await layer.group_add("pages", "page")
        await layer.group_send("pages", {"type": "news"})
        document: dict[str, Any] = await layer.receive("page")
        await layer.close_pools()
        return document

    assert asyncio.run(send_to_group()) == {"type": "news"}
    assert client.info("server")["redis_version"]
    assert client.flushall()


def test_it_reads_what_the_redis_of_earlier_versions_has_kept(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    (tmp_path / "redis" / "appendonly.aof").write_bytes(OF_REDIS_6)
    with run_redis(tmp_path) as (_, layout):
        assert build_client(layout).lrange("celery", 0, -1) == [b"first", b"second"]
        build_client(layout).rpush("celery", "third")
        assert build_client(layout).execute_command("WAITAOF", 1, 0, 60_000)[0] == 1, "it is on the disk"
    with run_redis(tmp_path) as (_, layout):
        assert build_client(layout).lrange("celery", 0, -1) == [b"first", b"second", b"third"]
