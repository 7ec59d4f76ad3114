"""Bytes of events from any place, which can be opened more than once."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO


@dataclass(frozen=True, slots=True)
class Content:
    """Content to read; `size` is its bytes, where known. What `open` returns can seek unless `packed`."""

    open: Callable[[], BinaryIO]
    size: int | None
    packed: bool = False

    @classmethod
    def of_path(cls, path: Path) -> Content:
        """Return the content of a file or named pipe. Raises `OSError` where it cannot be read."""
        if path.is_fifo() or path.is_char_device():
            with path.open("rb") as pipe:
                return cls.of_pipe(pipe)
        return cls(lambda: path.open("rb"), path.stat().st_size)

    @classmethod
    def of_stdin(cls) -> Content:
        """Standard input."""
        return cls.of_pipe(sys.stdin.buffer)

    @classmethod
    def of_pipe(cls, pipe: IO[bytes]) -> Content:
        """Spool a pipe to a temporary file: formats are detected at the beginning or the end."""
        file = tempfile.NamedTemporaryFile()  # noqa: SIM115 (it lives as long as it may be opened)
        shutil.copyfileobj(pipe, file, 1 << 20)
        file.flush()
        return cls(lambda: open(file.name, "rb"), file.tell())  # noqa: PTH123

    @classmethod
    def of_bytes(cls, body: bytes) -> Content:
        """Return content that is in memory."""
        return cls(lambda: io.BytesIO(body), len(body))

    def read_head(self, size: int) -> bytes:
        """Return the first bytes."""
        with self.open() as file:
            return file.read(size)

    def spool(self) -> Content:
        """Return the content in a form that can seek."""
        if not self.packed:
            return self
        with self.open() as file:
            return Content.of_pipe(file)
