"""Find and end every process that carries a stack's mark, whatever group, session or parent it has by now.

Spark's Python daemons lead process groups of their own and outlive a killed JVM for a moment; a killed runner
leaves supervisord behind. The environment a process was started with tells them all.
"""

from __future__ import annotations

import os
import time

import psutil

MARK = "STACK_ID"


def marked(identity: str) -> list[psutil.Process]:
    """List the living processes of a stack, this one excepted."""
    return [process for process in psutil.process_iter() if _has_mark(process, identity)]


def _has_mark(process: psutil.Process, identity: str) -> bool:
    if process.pid == os.getpid():
        return False
    try:
        return process.environ().get(MARK) == identity and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, OSError):
        return False


def end_all(identity: str, patience: float = 5.0) -> int:
    """End every process of a stack, first politely; give how many there were."""
    found = marked(identity)
    ended = {process.pid for process in found}
    for process in found:
        _signal(process, kill=False)
    psutil.wait_procs(found, timeout=patience)
    deadline = time.monotonic() + 10.0
    while (left := marked(identity)) and time.monotonic() < deadline:
        ended.update(process.pid for process in left)
        for process in left:
            _signal(process, kill=True)
        psutil.wait_procs(left, timeout=1.0)
    return len(ended)


def _signal(process: psutil.Process, *, kill: bool) -> None:
    try:
        if kill:
            process.kill()
        else:
            process.terminate()
    except psutil.NoSuchProcess:
        pass
