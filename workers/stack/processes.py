"""Finds and ends every process that carries a stack's mark, whatever its group, session or parent.

Spark's Python daemons lead their own process groups and briefly outlive a killed JVM; a killed runner leaves
supervisord behind. The environment of a process identifies them all.
"""

from __future__ import annotations

import os
import time

import psutil

MARK = "STACK_ID"
TERMINATE_TIMEOUT_S = 5.0
KILL_TIMEOUT_S = 10.0


def list_marked(identity: str) -> list[psutil.Process]:
    """List the living processes of a stack, except this one."""
    return [process for process in psutil.process_iter() if _has_mark(process, identity)]


def name_of(process: psutil.Process) -> str:
    """Return the name that people know a process by: redis-server, java, python."""
    try:
        return process.name()
    except psutil.Error:
        return "a process that has just ended"


def _has_mark(process: psutil.Process, identity: str) -> bool:
    if process.pid == os.getpid():
        return False
    try:
        return process.environ().get(MARK) == identity and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, OSError):
        return False


def end_all(identity: str) -> int:
    """End every process of a stack: terminate each once, kill the rest after `TERMINATE_TIMEOUT_S`. Return how many."""
    signalled: set[int] = set()
    patient_until = time.monotonic() + TERMINATE_TIMEOUT_S
    while survivors := list_marked(identity):
        kill = time.monotonic() > patient_until
        if time.monotonic() > patient_until + KILL_TIMEOUT_S:
            break
        for process in survivors:
            if kill or process.pid not in signalled:
                _send_signal(process, kill=kill)
        signalled.update(process.pid for process in survivors)
        time.sleep(0.1)
    return len(signalled)


def _send_signal(process: psutil.Process, *, kill: bool) -> None:
    try:
        if kill:
            process.kill()
        else:
            process.terminate()
    except psutil.NoSuchProcess:
        pass
