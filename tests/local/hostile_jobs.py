"""Jobs that take what they can get: `python -m tests.local.hostile_jobs SOCKET` is a fork server of them."""

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

from timeline_app.local.sandbox.messages import Message
from timeline_app.local.sandbox.server import ForkServer


def numpy_memory(_: Message) -> Message:
    held = [np.ones(1_000_000) for _ in range(10_000)]
    return Message(len(held))


def python_memory(_: Message) -> Message:
    held = [str(place) * 50 for place in range(100_000_000)]
    return Message(len(held))


def arrow_memory(_: Message) -> Message:
    one = pa.array(["x" * 1_000] * 1_000)
    held = [pc.take(one, pa.array(range(1_000))) for _ in range(10_000)]
    return Message(len(held))


def abort(_: Message) -> Message:
    os.abort()


def spin(_: Message) -> Message:
    while True:
        pass


def sleep(_: Message) -> Message:
    time.sleep(3_600)
    return Message(None)


def nap(message: Message) -> Message:
    time.sleep(message.header)
    return Message("awake")


def large_answer(_: Message) -> Message:
    return Message(None, [b"x" * 3_000_000])


def large_file(_: Message) -> Message:
    with tempfile.TemporaryFile() as file:
        file.truncate(300 * 2**20)
    return Message(None)


def recurse(_: Message) -> Message:
    def deeper(level: int) -> int:
        return deeper(level + 1) + 1

    return Message(deeper(0))


def look_around(_: Message) -> Message:
    kinds = [str(one.readlink()) for one in Path("/proc/self/fd").iterdir() if one.exists()]
    umask = os.umask(0)
    found: dict[str, Any] = {
        "sockets": [one for one in kinds if one.startswith("socket:")],
        "umask": umask,
        "environment": sorted(os.environ),
        "modules": sorted(sys.modules),
    }
    return Message(found)


def echo(message: Message) -> Message:
    return message


JOBS = (
    numpy_memory, python_memory, arrow_memory, abort, spin, sleep, nap, large_answer, large_file, recurse,
    look_around, echo,
)  # fmt: skip


if __name__ == "__main__":
    named = {job.__name__: job for job in JOBS}
    ForkServer(named, socket.socket(fileno=int(sys.argv[1]))).serve()
