"""A small disk and a clock of one's own for the product under test, with and without root.

The run goes into a mount namespace, where the data directory is a small tmpfs: it gets full truly, and is gone with
the run. All processes of the product are started with a clock that is as far off as a file says (`clock.c`), and with
a disk that is as slow as another file says (`disk.c`).
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

from tests.preloading import compile_library

INSIDE = "CHAOS_DISK"
PRIVATE = ["--mount", "--propagation", "private"]
AS_ROOT = ["--user", "--map-root-user"]


def print_progress(line: str) -> None:
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
            print_progress(
                "!!! NO FULL DISK: no mount namespace can be made here (unshare); that fault is left out"
            )

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


class Shim:
    """A library in front of the C library of the product's processes, and the number (8 bytes) that it goes by."""

    def __init__(self, source: str, folder: Path, missing: str) -> None:
        """It changes nothing at first; `missing` says which faults are left out without a compiler."""
        self.file = folder / Path(source).with_suffix(".value")
        self.file.write_bytes(struct.pack("=q", 0))
        self.library = compile_library(Path(__file__).with_name(source), folder)
        if self.library is None:
            print_progress(f"!!! {missing}: no C compiler (cc); that fault is left out")

    def set(self, number: int) -> None:
        """Make this the number."""
        with self.file.open("r+b") as mapped:
            mapped.write(struct.pack("=q", number))


class Clock(Shim):
    """The clock of the product's processes, as far ahead of the right one as the file says, in microseconds.

    Not libfaketime, because under that the JVM takes ten times as long to start.
    """

    def __init__(self, folder: Path) -> None:
        """Right at first."""
        super().__init__("clock.c", folder, "NO CLOCK JUMP")

    def jump(self, seconds: int) -> None:
        """Put it so far ahead of the right time."""
        self.set(seconds * 1_000_000)


class DiskPace(Shim):
    """How long the product's processes wait for each write below the data directory, in microseconds."""

    def __init__(self, folder: Path) -> None:
        """As fast as it is at first."""
        super().__init__("disk.c", folder, "NO SLOW DISK")

    @contextmanager
    def slow(self, micros: int) -> Iterator[None]:
        """Each write takes so long meanwhile; -1: none comes back."""
        self.set(micros)
        try:
            yield
        finally:
            self.set(0)


def build_preload_environment(clock: Clock, pace: DiskPace, data: Path) -> dict[str, str]:
    """The environment that makes a process live by this clock and this disk."""
    libraries = [str(shim.library) for shim in (clock, pace) if shim.library is not None]
    return {
        "LD_PRELOAD": ":".join(libraries),
        "CHAOS_CLOCK": str(clock.file),
        "CHAOS_DISK_DELAY": str(pace.file),
        "CHAOS_DATA": f"{data}/",
    }
