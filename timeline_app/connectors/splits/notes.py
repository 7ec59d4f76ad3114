"""Where a source's readers note what must outlive them: entries that are written once, by whoever comes first."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from timeline_app.fs import durable


class Store(Protocol):
    """Names and contents, shared by the planner and all that read. What is in it is on disk."""

    def put(self, name: str, content: bytes) -> bytes:
        """What is there under that name from now on: the content, or what was there before."""

    def get(self, name: str) -> bytes | None:
        """What is there under that name."""

    def write(self, name: str, content: bytes) -> None:
        """Put something in place of what is there."""

    def names(self, beginning: str) -> list[str]:
        """The names that begin so, sorted."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove those that are there."""


class Folder:
    """A store in a directory of its own, which planner and readers see."""

    def __init__(self, path: Path) -> None:
        """The directory is made with the first entry."""
        self.path = path

    def put(self, name: str, content: bytes) -> bytes:
        """One file, linked to its name when it is whole: of several writers one is first, and all are told so."""
        target = self.path / name
        durable.make_folders(self.path)
        with durable.open_staged_file(self.path) as (draft, sink):
            sink.write(content)
            durable.sync_file(sink)
            try:
                os.link(draft, target)
            except FileExistsError:
                content = target.read_bytes()
        durable.sync_folder(self.path)
        return content

    def get(self, name: str) -> bytes | None:
        """Read the file."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Replaced whole."""
        durable.make_folders(self.path)
        durable.replace(self.path / name, content)

    def names(self, beginning: str) -> list[str]:
        """Look through the directory."""
        try:
            return sorted(path.name for path in self.path.iterdir() if path.name.startswith(beginning))
        except FileNotFoundError:
            return []

    def remove(self, names: Iterable[str]) -> None:
        """Files that are gone already do not matter."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)
