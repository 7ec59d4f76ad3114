"""A small disk and a separate clock for the product under test, with and without root.

The run enters a mount namespace, where the data directory is a small tmpfs: it really gets full, and is gone with the
run. All processes of the product are started with a clock that is off by as much as a file says (`clock.c`), and with a
disk that is as slow as another file says (`disk.c`).
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
    print(line, file=sys.stderr, flush=True)


def enter_namespace(arguments: list[str]) -> None:
    """Run this program in its own mount namespace; return if it is there already, or that is impossible."""
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
        """Mount it if that is allowed."""
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
        """Fill the disk meanwhile."""
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
    """A library in front of the C library of the product's processes, controlled by a number (8 bytes)."""

    def __init__(self, source: str, folder: Path, missing: str) -> None:
        """Start without effect; `missing` says which faults are left out without a compiler."""
        self.file = folder / Path(source).with_suffix(".value")
        self.file.write_bytes(struct.pack("=q", 0))
        self.library = compile_library(Path(__file__).with_name(source), folder)
        if self.library is None:
            print_progress(f"!!! {missing}: no C compiler (cc); that fault is left out")

    def set(self, number: int) -> None:
        """Set the number."""
        with self.file.open("r+b") as mapped:
            mapped.write(struct.pack("=q", number))


class Clock(Shim):
    """The clock of the product's processes, ahead of the real one by as many microseconds as the file says.

    libfaketime does not serve: under it the JVM takes ten times as long to start.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__("clock.c", folder, "NO CLOCK JUMP")

    def jump(self, seconds: int) -> None:
        """Set it this far ahead of the real time."""
        self.set(seconds * 1_000_000)


class DiskPace(Shim):
    """The delay in microseconds of each write of the product below the data directory."""

    def __init__(self, folder: Path) -> None:
        super().__init__("disk.c", folder, "NO SLOW DISK")

    @contextmanager
    def slow(self, micros: int) -> Iterator[None]:
        """Delay each write meanwhile; -1: block it."""
        self.set(micros)
        try:
            yield
        finally:
            self.set(0)


def build_preload_environment(clock: Clock, pace: DiskPace, data: Path) -> dict[str, str]:
    """Return the environment that subjects a process to this clock and disk."""
    libraries = [str(shim.library) for shim in (clock, pace) if shim.library is not None]
    return {
        "LD_PRELOAD": ":".join(libraries),
        "CHAOS_CLOCK": str(clock.file),
        "CHAOS_DISK_DELAY": str(pace.file),
        "CHAOS_DATA": f"{data}/",
    }
