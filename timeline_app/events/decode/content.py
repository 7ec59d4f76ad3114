"""Bytes of events, wherever they lie: they can be opened as often as they are read."""

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
    """`size` is how many bytes there are, where that is known; what `open` gives can seek unless `packed`."""

    open: Callable[[], BinaryIO]
    size: int | None
    packed: bool = False

    @classmethod
    def of_path(cls, path: Path) -> Content:
        """A file, or a pipe of that name; raises `OSError` where it cannot be read."""
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
        """What can be read only once is kept in a temporary file: its kind shows at its beginning, or at its end."""
        kept = tempfile.NamedTemporaryFile()  # noqa: SIM115 (it lives as long as it may be opened)
        shutil.copyfileobj(pipe, kept, 1 << 20)
        kept.flush()
        return cls(lambda: open(kept.name, "rb"), kept.tell())  # noqa: PTH123

    @classmethod
    def of_bytes(cls, body: bytes) -> Content:
        """What is in memory already."""
        return cls(lambda: io.BytesIO(body), len(body))

    def read_head(self, size: int) -> bytes:
        """The first bytes."""
        with self.open() as file:
            return file.read(size)

    def spool(self) -> Content:
        """The same where one can seek."""
        if not self.packed:
            return self
        with self.open() as file:
            return Content.of_pipe(file)
