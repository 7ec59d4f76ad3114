"""Addresses of shared storage, `hdfs://…` and `s3a://…`, used like paths of a disk as far as they can be."""

from __future__ import annotations

import errno
import getpass
import io
import os
import re
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import IO, Any, Protocol
from urllib.parse import urlsplit

import pyarrow as pa

TAIL = 64 * 1024
"""So many bytes of the end of a file come with the first request: all of a small one, what stands about a large one."""
KEPT = 32 * 2**20
"""So many bytes of such ends are kept at hand; files that are read so never change."""
STAGED = ".staged"
"""The ending of files that are not whole yet."""
NAMENODE = 9870
"""Where a NameNode speaks HTTP, unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file: a stamp that changes when it is replaced, its bytes, and when it was written (seconds since 1970)."""

    stamp: Hashable
    size: int
    written: float


class Store(Protocol):
    """What a kind of shared storage does; paths have no slash at either end. Failures are `OSError`s."""

    def look(self, path: str) -> Seen | None:
        """The file of that name, in one request; None where there is none."""

    def holds(self, path: str) -> bool:
        """Whether it is a folder, with anything in it."""

    def children(self, path: str) -> Iterator[tuple[str, Seen | None]]:
        """The names in a folder; folders come without anything seen. Nothing where there is no such folder."""

    def tail(self, path: str, most: int) -> tuple[bytes, int]:
        """The last bytes of a file, and how many it has; raises FileNotFoundError."""

    def part(self, path: str, start: int, end: int) -> bytes:
        """The bytes from start to end (exclusive); raises FileNotFoundError."""

    def create(self, path: str, body: IO[bytes]) -> bool:
        """Make a file, whole, unless there is one; whether it was made. Of several that try one does."""

    def replace(self, path: str, body: IO[bytes]) -> None:
        """Make a file, whole, or put it in the place of the one there is."""

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""

    def remove_all(self, path: str) -> None:
        """Remove a folder with all that is in it, if it is there."""


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A file or folder of a shared storage; `server` is where it is asked for by HTTP (empty: Amazon's own)."""

    scheme: str
    host: str
    path: str
    server: str = ""

    def __str__(self) -> str:
        """As Spark spells it."""
        return f"{self.scheme}://{self.host}/{self.path}"

    @property
    def reference(self) -> str:
        """As another process of ours is told it, with the server."""
        return f"{self}#{self.server}" if self.server else str(self)

    def __truediv__(self, name: str) -> Address:
        return replace(self, path=f"{self.path}/{name}".strip("/"))

    @property
    def name(self) -> str:
        """The last part."""
        return PurePosixPath(self.path).name

    @property
    def stem(self) -> str:
        """The last part without its ending."""
        return PurePosixPath(self.path).stem

    @property
    def suffix(self) -> str:
        """The ending of the last part."""
        return PurePosixPath(self.path).suffix

    @property
    def parent(self) -> Address:
        """The folder that it is in."""
        return replace(self, path=self.path.rpartition("/")[0])

    def with_name(self, name: str) -> Address:
        """Another one in the same folder."""
        return self.parent / name

    def is_file(self) -> bool:
        """Whether there is such a file; one request."""
        return self.store.look(self.path) is not None

    def is_dir(self) -> bool:
        """Whether there is such a folder with anything in it."""
        return self.store.holds(self.path)

    def exists(self) -> bool:
        """Whether it is either."""
        return self.is_file() or self.is_dir()

    def mkdir(self, *, parents: bool = True, exist_ok: bool = True) -> None:
        """Nothing: folders are there with what is in them."""

    def glob(self, pattern: str) -> Iterator[Address]:
        """What is in the folder and has a name like that."""
        return (self / name for name, _ in self.store.children(self.path) if fnmatchcase(name, pattern))

    def rglob(self, pattern: str) -> Iterator[Address]:
        """The same of the folders in it, and so on."""
        for name, seen in self.store.children(self.path):
            if fnmatchcase(name, pattern):
                yield self / name
            if seen is None:
                yield from (self / name).rglob(pattern)

    def read_bytes(self) -> bytes:
        """All of a file, as it is now; raises FileNotFoundError."""
        content, size = self.store.tail(self.path, TAIL)
        return (
            content if len(content) == size else self.store.part(self.path, 0, size - len(content)) + content
        )

    def read_text(self) -> str:
        """The same as text."""
        return self.read_bytes().decode()

    def unlink(self, *, missing_ok: bool = False) -> None:
        """Remove the file; raises FileNotFoundError where none is there, unless that is as well."""
        if not (missing_ok or self.is_file()):
            raise FileNotFoundError(errno.ENOENT, "there is no such file", str(self))
        self.store.remove(self.path)

    @property
    def store(self) -> Store:
        """What speaks to the storage; each process has its own."""
        return _store(os.getpid(), self.scheme, self.host, self.server)


Place = Path | Address


def is_address(text: str) -> bool:
    """Whether it is an address, of whatever kind, and no path."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None


def place(text: str) -> Place:
    """The place of that spelling, as `told` gives it; raises `ValueError` for an address of another kind."""
    if not is_address(text):
        return Path(text)
    parts = urlsplit(text)
    if parts.scheme not in ("hdfs", "s3a") or not parts.hostname or parts.query or "@" in parts.netloc:
        raise ValueError("must be a directory, hdfs://namenode:8020/path or s3a://bucket/path")
    return Address(parts.scheme, parts.netloc, parts.path.strip("/"), parts.fragment)


def require_path(where: Place) -> Path:
    """A place that is a path; raises `ValueError` for an address."""
    if isinstance(where, Address):
        raise ValueError(f"{where} is no path of a disk")
    return where


def format_url(where: Place) -> str:
    """How another process is told of a place."""
    return str(where) if isinstance(where, Path) else where.reference


def assign_server(where: Place, webhdfs: str, endpoint: str) -> Place:
    """The same, with the server at which an address is asked for: those that are given, or the usual one."""
    if isinstance(where, Path):
        return where
    if where.scheme == "s3a":
        return replace(where, server=endpoint)
    return replace(where, server=webhdfs or f"http://{where.host.partition(':')[0]}:{NAMENODE}")


@lru_cache(maxsize=16)
def _store(_process: int, scheme: str, host: str, server: str) -> Store:
    """A forked process makes its own: connections, and the threads of a client, are not shared."""
    if scheme == "s3a":
        from timeline_app.fs.s3 import Objects  # noqa: PLC0415  (only where it is wanted)

        return Objects(host, server)
    from timeline_app.fs.hdfs import WebHdfs  # noqa: PLC0415

    return WebHdfs(server.split(","), os.environ.get("HADOOP_USER_NAME") or _get_user())


def _get_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError) as why:
        words = f"the user of this process ({os.getuid()}) has no name: set HADOOP_USER_NAME to one of HDFS"
        raise OSError(errno.EINVAL, words) from why


class _Ends:
    """The ends of files that never change, those that were asked for last."""

    def __init__(self) -> None:
        self._lock, self._size = Lock(), 0
        self._kept: OrderedDict[Address, tuple[bytes, int]] = OrderedDict()

    def of(self, file: Address) -> tuple[bytes, int]:
        """The end of a file, and its size."""
        with self._lock:
            if file in self._kept:
                self._kept.move_to_end(file)
                return self._kept[file]
        tail = file.store.tail(file.path, TAIL)
        with self._lock:
            if file not in self._kept:
                self._kept[file] = tail
                self._size += len(tail[0])
            while self._size > KEPT:
                _, (gone, _) = self._kept.popitem(last=False)
                self._size -= len(gone)
        return tail


_ends = _Ends()


class _Ranges(io.RawIOBase):
    """A large file, of which only the ranges are fetched that are read; its end is here."""

    def __init__(self, file: Address, tail: bytes, size: int) -> None:
        self._file, self._tail, self._size, self._at = file, tail, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        start = self._at
        self._at = self._size if size is None or size < 0 else min(start + size, self._size)
        begins = self._size - len(self._tail)
        if start >= begins:
            return self._tail[start - begins : self._at - begins]
        return self._file.store.part(self._file.path, start, self._at)


def open_for_arrow(file: Place) -> Any:
    """A file that never changes, for Arrow to read; raises FileNotFoundError, at once or when it is read."""
    if isinstance(file, Path):
        return file
    tail, size = _ends.of(file)
    return pa.BufferReader(tail) if len(tail) == size else pa.PythonFile(_Ranges(file, tail, size), mode="r")


def measure_size(file: Place) -> int:
    """The bytes of a file that never changes; raises FileNotFoundError."""
    return file.stat().st_size if isinstance(file, Path) else _ends.of(file)[1]
