"""Identification of processes across machines and restarts, and whether they still live, from Linux's /proc."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_STATE, _THREADS, _START = 0, 17, 19
"""Positions of these fields behind the name of a process in its `stat`: fields 3, 20 and 22 of proc(5)."""


def mark_of(number: int) -> str:
    """Return the mark of a live process: its PID namespace, number and start time; "" if Linux does not tell."""
    with suppress(OSError, IndexError):
        return f"{_identify_pid_namespace()}:{number}:{_read_process_stat(number)[_START]}"
    return ""


def has_ended(mark: str) -> bool:
    """Return whether the process ran on this machine and has ended; false if that is unknown."""
    where, _, rest_of_mark = mark.partition(":")
    number = rest_of_mark.partition(":")[0]
    with suppress(OSError):
        return bool(number) and where == _identify_pid_namespace() and _is_another(int(number), mark)
    return False


def _is_another(number: int, mark: str) -> bool:
    """Return whether the process is gone or its number is reused; of other users' processes nothing else is
    visible.
    """
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    return mark_of(number) not in (mark, "") or _is_zombie(number)


def _is_zombie(number: int) -> bool:
    """Return whether all threads have ended, but the parent has not yet been told."""
    with suppress(OSError):
        about = _read_process_stat(number)
        return about[_STATE] in ("Z", "X") and int(about[_THREADS]) <= 1
    return False


def _read_process_stat(number: int) -> list[str]:
    """Return the fields of a process's `stat`, from its state on."""
    return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()


def _identify_pid_namespace() -> str:
    """Return the scope of process numbers: a boot of the machine, and a container in it."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot.replace('-', '')[:16]}-{Path('/proc/self/ns/pid').stat().st_ino}"
