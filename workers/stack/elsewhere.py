"""Finds the stacks that run on this machine, by the marks of their processes, and the command that stops one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import psutil

from workers.stack.hold import Hold
from workers.stack.layout import ROOT, derive_identity
from workers.stack.processes import MARK


def stop_command(data: Path) -> str:
    """Return the command that stops the product of a data directory from another terminal."""
    if data == ROOT / "var":
        return "make stop"
    return f'make stop ARGS="--data {shlex.quote(str(data))}"'


def find_running() -> list[Path]:
    """Return the data directories of all stacks of this user that run, or that a killed one has left."""
    folders = {_find_data(_read_environment(process)) for process in psutil.process_iter()}
    return sorted(data for data in folders if data is not None)


def describe_elsewhere(here: Path) -> list[str]:
    """Return a line for each other running stack: where it runs, and how to stop it."""
    return [_format_line(data) for data in find_running() if data != here]


def _format_line(data: Path) -> str:
    holder = Hold(data / "stack").holder()
    where = f" at {holder.url}" if holder else ""
    return f"  !  it runs{where} with the data in {data}: {stop_command(data)}"


def _read_environment(process: psutil.Process) -> Mapping[str, str]:
    try:
        return {} if process.status() == psutil.STATUS_ZOMBIE else process.environ()
    except (psutil.Error, OSError):
        return {}


def _find_data(environment: Mapping[str, str]) -> Path | None:
    """Return the data directory of a process, where its mark is that of the stack there."""
    data = environment.get("TIMELINE_LOCAL") or environment.get("TIMELINE_DATA", "")
    return Path(data) if data and environment.get(MARK) == derive_identity(Path(data)) else None
