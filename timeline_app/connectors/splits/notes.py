"""Stores for notes that must outlive a source's readers: entries that the first writer writes once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from timeline_app.fs import durable


class Store(Protocol):
    """Names and contents, shared by planner and readers. All content is durable."""

    def put(self, name: str, content: bytes) -> bytes:
        """Store a content unless the name exists; return the stored content."""

    def get(self, name: str) -> bytes | None:
        """Return the content of a name."""

    def write(self, name: str, content: bytes) -> None:
        """Replace a content."""

    def names(self, beginning: str) -> list[str]:
        """Return the names with a prefix, sorted."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove names, where they exist."""


class Folder:
    """A store in a directory of its own, which planner and readers see."""

    def __init__(self, path: Path) -> None:
        """The directory is made with the first entry."""
        self.path = path

    def put(self, name: str, content: bytes) -> bytes:
        """Link a whole file to its name: of several writers one is first, and all get its content."""
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
        """Replace the file."""
        durable.make_folders(self.path)
        durable.replace(self.path / name, content)

    def names(self, beginning: str) -> list[str]:
        """List the directory."""
        try:
            return sorted(path.name for path in self.path.iterdir() if path.name.startswith(beginning))
        except FileNotFoundError:
            return []

    def remove(self, names: Iterable[str]) -> None:
        """Remove files; missing ones are ignored."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)
