"""Addresses of shared storage, `hdfs://…` and `s3a://…`, which behave like paths of a disk as far as possible."""

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

TAIL_BYTES = 64 * 1024
"""The end of a file that the first request fetches: a small file whole, or the metadata of a large one."""
MAX_CACHED_TAIL_BYTES = 32 * 2**20
"""The ends of recently read files are cached; such files never change."""
STAGED = ".staged"
"""The suffix of incomplete files."""
NAMENODE_HTTP_PORT = 9870
"""The default port of a NameNode."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file: a stamp that changes when it is replaced, its bytes, and when it was written (seconds since 1970)."""

    stamp: Hashable
    size: int
    written: float


class Store(Protocol):
    """The operations of a kind of shared storage; paths have no slash at either end. Failures are `OSError`s."""

    def stat(self, path: str) -> Seen | None:
        """Return the file of that name, in one request; None where there is none."""

    def holds(self, path: str) -> bool:
        """Return whether it is a folder with content."""

    def children(self, path: str) -> Iterator[tuple[str, Seen | None]]:
        """Yield the names in a folder, with None for folders; nothing where there is no such folder."""

    def tail(self, path: str, most: int) -> tuple[bytes, int]:
        """Return the last bytes of a file, and its size. Raises FileNotFoundError."""

    def part(self, path: str, start: int, end: int) -> bytes:
        """Return the bytes from start to end (exclusive). Raises FileNotFoundError."""

    def create(self, path: str, body: IO[bytes]) -> bool:
        """Create a whole file unless it exists. Return whether it was created; of several writers, one succeeds."""

    def replace(self, path: str, body: IO[bytes]) -> None:
        """Create a whole file, or replace the existing one."""

    def remove(self, path: str) -> None:
        """Remove a file, if it exists."""

    def remove_all(self, path: str) -> None:
        """Remove a folder with its content, if it exists."""


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A file or folder of a shared storage; `server` is its HTTP server (empty: Amazon's own)."""

    scheme: str
    host: str
    path: str
    server: str = ""

    def __str__(self) -> str:
        """Return Spark's spelling."""
        return f"{self.scheme}://{self.host}/{self.path}"

    @property
    def reference(self) -> str:
        """The spelling for our other processes, with the server."""
        return f"{self}#{self.server}" if self.server else str(self)

    def __truediv__(self, name: str) -> Address:
        return replace(self, path=f"{self.path}/{name}".strip("/"))

    @property
    def name(self) -> str:
        """The last part."""
        return PurePosixPath(self.path).name

    @property
    def stem(self) -> str:
        """The last part without its suffix."""
        return PurePosixPath(self.path).stem

    @property
    def suffix(self) -> str:
        """The suffix of the last part."""
        return PurePosixPath(self.path).suffix

    @property
    def parent(self) -> Address:
        """The folder that it is in."""
        return replace(self, path=self.path.rpartition("/")[0])

    def with_name(self, name: str) -> Address:
        """Return a sibling."""
        return self.parent / name

    def is_file(self) -> bool:
        """Return whether the file exists, in one request."""
        return self.store.stat(self.path) is not None

    def is_dir(self) -> bool:
        """Return whether the folder exists and has content."""
        return self.store.holds(self.path)

    def exists(self) -> bool:
        """Return whether the file or folder exists."""
        return self.is_file() or self.is_dir()

    def mkdir(self, *, parents: bool = True, exist_ok: bool = True) -> None:
        """Do nothing: folders exist with their content."""

    def glob(self, pattern: str) -> Iterator[Address]:
        """Yield the entries of the folder whose name matches."""
        return (self / name for name, _ in self.store.children(self.path) if fnmatchcase(name, pattern))

    def rglob(self, pattern: str) -> Iterator[Address]:
        """Yield the matching entries of the folder and all folders below."""
        for name, status in self.store.children(self.path):
            if fnmatchcase(name, pattern):
                yield self / name
            if status is None:
                yield from (self / name).rglob(pattern)

    def read_bytes(self) -> bytes:
        """Return the current content of a file. Raises FileNotFoundError."""
        content, size = self.store.tail(self.path, TAIL_BYTES)
        return (
            content if len(content) == size else self.store.part(self.path, 0, size - len(content)) + content
        )

    def read_text(self) -> str:
        """Return the content as text."""
        return self.read_bytes().decode()

    def unlink(self, *, missing_ok: bool = False) -> None:
        """Remove the file. Raises FileNotFoundError where none exists, unless `missing_ok`."""
        if not (missing_ok or self.is_file()):
            raise FileNotFoundError(errno.ENOENT, "there is no such file", str(self))
        self.store.remove(self.path)

    @property
    def store(self) -> Store:
        """The client of the storage; each process has its own."""
        return _store(os.getpid(), self.scheme, self.host, self.server)


Place = Path | Address


def is_address(text: str) -> bool:
    """Return whether a text is an address of any kind, and no path."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None


def place(text: str) -> Place:
    """Parse a place as `format_url` writes it. Raises `ValueError` for an address of another kind."""
    if not is_address(text):
        return Path(text)
    address = urlsplit(text)
    if (
        address.scheme not in ("hdfs", "s3a")
        or not address.hostname
        or address.query
        or "@" in address.netloc
    ):
        raise ValueError("must be a directory, hdfs://namenode:8020/path or s3a://bucket/path")
    return Address(address.scheme, address.netloc, address.path.strip("/"), address.fragment)


def require_path(where: Place) -> Path:
    """Return a place that is a path. Raises `ValueError` for an address."""
    if isinstance(where, Address):
        raise ValueError(f"{where} is no path of a disk")
    return where


def format_url(where: Place) -> str:
    """Format a place for another process."""
    return str(where) if isinstance(where, Path) else where.reference


def assign_server(where: Place, webhdfs: str, endpoint: str) -> Place:
    """Return the place with the HTTP server of an address: the given one, or the default."""
    if isinstance(where, Path):
        return where
    if where.scheme == "s3a":
        return replace(where, server=endpoint)
    return replace(where, server=webhdfs or f"http://{where.host.partition(':')[0]}:{NAMENODE_HTTP_PORT}")


@lru_cache(maxsize=16)
def _store(_process: int, scheme: str, host: str, server: str) -> Store:
    """Return the client of this process: connections and threads must not be shared with a forked process."""
    if scheme == "s3a":
        from timeline_app.fs.s3 import Objects  # noqa: PLC0415  (slow to import)

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
    """A cache of the ends of immutable files, by last use."""

    def __init__(self) -> None:
        self._lock, self._size = Lock(), 0
        self._kept: OrderedDict[Address, tuple[bytes, int]] = OrderedDict()

    def read(self, file: Address) -> tuple[bytes, int]:
        """Return the end of a file, and its size."""
        with self._lock:
            if file in self._kept:
                self._kept.move_to_end(file)
                return self._kept[file]
        tail = file.store.tail(file.path, TAIL_BYTES)
        with self._lock:
            if file not in self._kept:
                self._kept[file] = tail
                self._size += len(tail[0])
            while self._size > MAX_CACHED_TAIL_BYTES:
                _, (evicted, _) = self._kept.popitem(last=False)
                self._size -= len(evicted)
        return tail


_ends = _Ends()


class _Ranges(io.RawIOBase):
    """A large file that fetches only the ranges that are read; its end is cached."""

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
    """Return an immutable file for Arrow to read. Raises FileNotFoundError, at once or on reading."""
    if isinstance(file, Path):
        return file
    tail, size = _ends.read(file)
    return pa.BufferReader(tail) if len(tail) == size else pa.PythonFile(_Ranges(file, tail, size), mode="r")


def measure_size(file: Place) -> int:
    """Return the bytes of an immutable file. Raises FileNotFoundError."""
    return file.stat().st_size if isinstance(file, Path) else _ends.read(file)[1]
