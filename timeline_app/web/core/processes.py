"""Which process is meant, among all of all machines and times, and whether it is there still: as Linux tells it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_STATE, _THREADS, _START = 0, 17, 19
"""Where these stand behind the name of a process in its `stat`: fields 3, 20 and 22 of proc(5)."""


def mark_of(number: int) -> str:
    """A process that lives: where its number counts, that, when it began; empty where Linux does not tell."""
    with suppress(OSError, IndexError):
        return f"{_identify_pid_namespace()}:{number}:{_read_process_stat(number)[_START]}"
    return ""


def has_ended(mark: str) -> bool:
    """Whether a process was one of this machine, and is there no more; false where that is not known."""
    where, _, rest = mark.partition(":")
    number = rest.partition(":")[0]
    with suppress(OSError):
        return bool(number) and where == _identify_pid_namespace() and _is_another(int(number), mark)
    return False


def _is_another(number: int, mark: str) -> bool:
    """Whether there is no such process, or another one; of those of others nothing else may be seen."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    return mark_of(number) not in (mark, "") or _is_zombie(number)


def _is_zombie(number: int) -> bool:
    """Whether it has ended with all its threads, and its parent was not told yet."""
    with suppress(OSError):
        about = _read_process_stat(number)
        return about[_STATE] in ("Z", "X") and int(about[_THREADS]) <= 1
    return False


def _read_process_stat(number: int) -> list[str]:
    """What Linux tells of a process, from its state on."""
    return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()


def _identify_pid_namespace() -> str:
    """What gives processes their numbers: a run of the machine, and a container in it."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot.replace('-', '')[:16]}-{Path('/proc/self/ns/pid').stat().st_ino}"
