"""Find and end every process that carries a stack's mark, whatever group, session or parent it has by now.

Spark's Python daemons lead process groups of their own and outlive a killed JVM for a moment; a killed runner
leaves supervisord behind. The environment a process was started with tells them all.
"""

from __future__ import annotations

import os
import time

import psutil

MARK = "STACK_ID"
PATIENCE = 5.0
LONGEST_DEATH = 10.0


def list_marked(identity: str) -> list[psutil.Process]:
    """List the living processes of a stack, this one excepted."""
    return [process for process in psutil.process_iter() if _has_mark(process, identity)]


def name_of(process: psutil.Process) -> str:
    """What a person knows it by: redis-server, java, python."""
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
    """End every process of a stack: ask each once, kill what is left after PATIENCE; give how many."""
    asked: set[int] = set()
    patient_until = time.monotonic() + PATIENCE
    while left := list_marked(identity):
        kill = time.monotonic() > patient_until
        if time.monotonic() > patient_until + LONGEST_DEATH:
            break
        for process in left:
            if kill or process.pid not in asked:
                _send_signal(process, kill=kill)
        asked.update(process.pid for process in left)
        time.sleep(0.1)
    return len(asked)


def _send_signal(process: psutil.Process, *, kill: bool) -> None:
    try:
        if kill:
            process.kill()
        else:
            process.terminate()
    except psutil.NoSuchProcess:
        pass
