"""A small disk and a clock of one's own for the product under test, with and without root.

The run goes into a mount namespace, where the data directory is a small tmpfs: it gets full truly, and is gone with
the run. All processes of the product are started with a clock that is as far off as a file says (`clock.c`).
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INSIDE = "CHAOS_DISK"
PRIVATE = ["--mount", "--propagation", "private"]
AS_ROOT = ["--user", "--map-root-user"]


def say(line: str) -> None:
    """Progress, for people."""
    print(line, file=sys.stderr, flush=True)


def enter_namespace(arguments: list[str]) -> None:
    """Become this program in a mount namespace of its own; comes back where that is so already, or cannot be."""
    if INSIDE in os.environ:
        return
    for options in (PRIVATE, [*AS_ROOT, *PRIVATE]):
        attempt = ["unshare", *options, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]
        if (
            shutil.which("unshare")
            and subprocess.run(attempt, capture_output=True, check=False).returncode == 0
        ):
            os.environ[INSIDE] = "1"
            os.execvp("unshare", ["unshare", *options, sys.executable, "-m", "tests.chaos", *arguments])
    os.environ[INSIDE] = ""


class Disk:
    """The file system of the data directory."""

    def __init__(self, path: Path, megabytes: int) -> None:
        """Mounted where we may."""
        self.path = path
        self.small = bool(os.environ.get(INSIDE))
        if self.small:
            size = f"size={megabytes}m"
            subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(path)], check=True)
        else:
            say("!!! NO FULL DISK: no mount namespace can be made here (unshare); that fault is left out")

    @contextmanager
    def full(self) -> Iterator[None]:
        """Nothing can be written meanwhile."""
        ballast = self.path / "ballast"
        try:
            with ballast.open("wb") as sink:
                _fill(sink.fileno())
            yield
        finally:
            ballast.unlink()


def _fill(handle: int) -> None:
    for step in (1 << 24, 1 << 20, 1 << 12):
        try:
            while True:
                os.posix_fallocate(handle, os.fstat(handle).st_size, step)
        except OSError as full:
            if full.errno != errno.ENOSPC:
                raise


class Clock:
    """The clock of the product's processes, as far ahead of the right one as the file says (microseconds, 8 bytes).

    Not libfaketime, because under that the JVM takes ten times as long to start.
    """

    def __init__(self, folder: Path) -> None:
        """Right at first."""
        self.file, self.library = folder / "clock", folder / "clock.so"
        self.file.write_bytes(struct.pack("=q", 0))
        source = Path(__file__).with_name("clock.c")
        line = ["cc", "-O2", "-shared", "-fPIC", "-o", str(self.library), str(source), "-ldl"]
        self.can_jump = shutil.which("cc") is not None and subprocess.run(line, check=False).returncode == 0
        if not self.can_jump:
            say("!!! NO CLOCK JUMP: no C compiler (cc) for the clock; that fault is left out")

    def set(self, seconds: int) -> None:
        """Put it so far ahead of the right time."""
        with self.file.open("r+b") as mapped:
            mapped.write(struct.pack("=q", seconds * 1_000_000))

    def environment(self) -> dict[str, str]:
        """What makes a process live by this clock; how long things last is told by the right one."""
        return {"LD_PRELOAD": str(self.library), "CHAOS_CLOCK": str(self.file)} if self.can_jump else {}
