"""One stack per data directory: a lock that the kernel releases with its holder, and a note that names the holder."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import psutil


@dataclass(frozen=True)
class Holder:
    """The process that runs the stack; its start time tells it from a later process with the same id."""

    pid: int
    started: float
    url: str

    def process(self) -> psutil.Process | None:
        """Return the process, or None when it is gone."""
        try:
            process = psutil.Process(self.pid)
            return process if process.create_time() == self.started else None
        except psutil.NoSuchProcess:
            return None


class AlreadyRunning(Exception):
    """The stack of this data directory runs already."""

    def __init__(self, holder: Holder | None) -> None:
        self.holder = holder
        where = f" at {holder.url} (process {holder.pid})" if holder else ""
        super().__init__(f"it is running already{where}")


class Hold:
    """The right to run the stack of one data directory."""

    def __init__(self, folder: Path) -> None:
        self._lock_path = folder / "lock"
        self._note_path = folder / "holder.json"
        self._lock: IO[str] | None = None

    @property
    def held(self) -> bool:
        """Whether this process holds it."""
        return self._lock is not None

    def take(self, url: str) -> None:
        """Take the lock, or raise AlreadyRunning."""
        lock = self._lock_path.open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise AlreadyRunning(self.holder()) from None
        self._lock = lock
        holder = Holder(os.getpid(), psutil.Process().create_time(), url)
        self._note_path.write_text(json.dumps(asdict(holder)))

    def give(self) -> None:
        """Release the lock."""
        if self._lock:
            self._note_path.unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def holder(self) -> Holder | None:
        """Return the holder, as far as the note says and its process lives."""
        try:
            holder = Holder(**json.loads(self._note_path.read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return holder if holder.process() else None

    def is_free(self) -> bool:
        """Return whether nobody holds the lock."""
        if not self._lock_path.exists():
            return True
        with self._lock_path.open("r+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True
