"""Jobs that take what they can get: `python -m tests.evaluate.hostile_jobs SOCKET` is a fork server of them."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.evaluate.sandbox.server import ForkServer


def fill_numpy_memory(_: JobMessage) -> JobMessage:
    held = [np.ones(1_000_000) for _ in range(10_000)]
    return JobMessage(len(held))


def fill_python_memory(_: JobMessage) -> JobMessage:
    held = [str(index) * 50 for index in range(100_000_000)]
    return JobMessage(len(held))


def fill_arrow_memory(_: JobMessage) -> JobMessage:
    item = pa.array(["x" * 1_000] * 1_000)
    held = [pc.take(item, pa.array(range(1_000))) for _ in range(10_000)]
    return JobMessage(len(held))


def abort(_: JobMessage) -> JobMessage:
    os.abort()


def spin(_: JobMessage) -> JobMessage:
    while True:
        pass


def sleep(_: JobMessage) -> JobMessage:
    time.sleep(3_600)
    return JobMessage(None)


def sleep_long(message: JobMessage) -> JobMessage:
    time.sleep(message.header)
    return JobMessage("awake")


def answer_at_length(_: JobMessage) -> JobMessage:
    return JobMessage(None, [b"x" * 3_000_000])


def write_large_file(_: JobMessage) -> JobMessage:
    with tempfile.TemporaryFile() as file:
        file.truncate(300 * 2**20)
    return JobMessage(None)


def recurse(_: JobMessage) -> JobMessage:
    def go_deeper(level: int) -> int:
        return go_deeper(level + 1) + 1

    return JobMessage(go_deeper(0))


def look_around(_: JobMessage) -> JobMessage:
    kinds = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.exists()]
    umask = os.umask(0)
    document: dict[str, Any] = {
        "sockets": [kind for kind in kinds if kind.startswith("socket:")],
        "umask": umask,
        "environment": sorted(os.environ),
        "modules": sorted(sys.modules),
    }
    return JobMessage(document)


def echo(message: JobMessage) -> JobMessage:
    return message


JOBS = (
    fill_numpy_memory, fill_python_memory, fill_arrow_memory, abort, spin, sleep, sleep_long, answer_at_length,
    write_large_file, recurse, look_around, echo,
)  # fmt: skip


if __name__ == "__main__":
    named = {job.__name__: job for job in JOBS}
    ForkServer(named, socket.socket(fileno=int(sys.argv[1]))).serve()
