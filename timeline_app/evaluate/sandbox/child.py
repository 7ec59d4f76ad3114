"""One piece of work, in a child of the fork server."""

from __future__ import annotations

import errno
import os
import socket
import sys
import traceback
from collections.abc import Mapping

from timeline_app.evaluate.sandbox.limits import Limit, Limits, apply_limits, free_spare_memory
from timeline_app.evaluate.sandbox.messages import Job, JobMessage

_RECEIVE_BYTES = 1 << 20


def run_child(jobs: Mapping[str, Job], connection: socket.socket, limits: Limits, server: int) -> None:
    """Read a request, work, answer, and end this process."""
    code = 1
    try:
        apply_limits(limits, server)
        code = 0 if _send(connection, _answer(jobs, connection, limits)) else 1
    except MemoryError:
        code = _report_limit(connection, "memory")
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(code)


def _answer(jobs: Mapping[str, Job], connection: socket.socket, limits: Limits) -> list[bytes]:
    try:
        answer = _run_job(jobs, connection)
    except MemoryError:
        answer = None
    except RecursionError:
        return _limit("depth")
    except OSError as why:
        if why.errno != errno.EFBIG:
            raise
        return _limit("file")
    if answer is None:  # only here the frames that held the memory are gone
        free_spare_memory()
        return _limit("memory")
    return answer if sum(map(len, answer)) <= limits.answer else _limit("answer")


def _run_job(jobs: Mapping[str, Job], connection: socket.socket) -> list[bytes]:
    message = JobMessage.decode(_read(connection))
    name, header = message.header
    answer = jobs[name](JobMessage(header, message.blobs))
    return JobMessage({"answer": answer.header}, answer.blobs).encode()


def _limit(limit: Limit) -> list[bytes]:
    return JobMessage({"limit": limit}).encode()


def _report_limit(connection: socket.socket, limit: Limit) -> int:
    free_spare_memory()
    return 0 if _send(connection, _limit(limit)) else 1


def _read(connection: socket.socket) -> bytes:
    content = bytearray()
    while chunk := connection.recv(_RECEIVE_BYTES):
        content += chunk
    return bytes(content)


def _send(connection: socket.socket, parts: list[bytes]) -> bool:
    """Write an answer. Return whether the client still listened."""
    try:
        for part in parts:
            connection.sendall(part)
    except OSError:
        return False
    return True
