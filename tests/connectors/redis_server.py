"""A real Redis, on a port of its own, that can be killed and started again with what it had written."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import redis

from workers.stack.health import find_free_port
from workers.stack.layout import find_redis_executable


class Server:
    """Every write is on disk before it is answered (appendfsync always)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.port = find_free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                find_redis_executable(), "--bind", "127.0.0.1",
                "--port", str(self.port), "--unixsocket", str(self.path / "socket"),
                "--dir", str(self.path), "--appendonly", "yes", "--appendfsync", "always", "--save", "",
            ],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        client = self.client()
        until = time.monotonic() + 60
        while True:
            try:
                client.ping()
                return
            except redis.ConnectionError:
                assert time.monotonic() < until, "Redis does not start"
                time.sleep(0.02)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def client(self) -> Any:
        return redis.Redis.from_url(self.url)
