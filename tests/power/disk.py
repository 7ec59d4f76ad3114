"""A disk that loses what was not brought to it (fsync) when its power is cut.

`recorder.c`, preloaded into the processes of the product, copies each file and the names in each folder at their fsync.
`cut` makes of those copies a disk as a power cut may leave it:

* `NOTHING`: all that was not brought to disk is gone, names as well as content;
* `NAMES`: names are there as they were (file systems write them down in order), content that was not brought to disk
  is not: the file is empty;
* `ANYTHING`: of each name and of each file by chance either, or a part of the file, or zeros in its place.
"""

from __future__ import annotations

import ctypes
import os
import random
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from tests.preloading import compile_library


class Loss(Enum):
    """What a power cut takes."""

    NOTHING = "only what was synced is left"
    NAMES = "names are left"
    ANYTHING = "anything"


class RecordedDisk:
    """What lies below a folder, and what of it is safe."""

    def __init__(self, root: Path, scratch: Path) -> None:
        """The folder must be there; what is in it already counts as safe."""
        self.root, self.shadow = root, scratch / "shadow"
        self.shadow.mkdir(parents=True)
        library = compile_library(Path(__file__).with_name("recorder.c"), scratch)
        assert library is not None, "no C compiler: install cc (Debian: gcc)"
        places = {"POWER_ROOT": str(root), "POWER_SHADOW": str(self.shadow)}
        self.environment = {**places, "LD_PRELOAD": str(library)}
        self._loaded = ctypes.CDLL(str(library))
        self.record(root)

    def record(self, folder: Path) -> None:
        """All of it is safe as it is now."""
        for path in (folder, *folder.rglob("*")):
            handle = os.open(path, os.O_RDONLY)
            self._record(handle)
            os.close(handle)

    def _record(self, handle: int) -> None:
        self._loaded.power_record(handle, str(self.root).encode(), str(self.shadow).encode())

    def recording(self, sync: Callable[[int], None]) -> Callable[[int], None]:
        """`os.fsync` of this process, into which nothing is preloaded."""

        def record_fsync(handle: int) -> None:
            sync(handle)
            self._record(handle)

        return record_fsync

    def cut(self, target: Path, loss: Loss, chance: random.Random) -> None:
        """Make the disk that is found when the power is back; nobody writes any more."""
        self._folder(self.root, self._identity(self.root), target, loss, chance)

    def _folder(self, live: Path, identity: str, target: Path, loss: Loss, chance: random.Random) -> None:
        target.mkdir()
        safe, entries = self._names(identity), self._entries(live)
        for name in sorted(safe.keys() | entries.keys()):
            kept = {Loss.NOTHING: safe, Loss.NAMES: entries, Loss.ANYTHING: chance.choice((safe, entries))}[
                loss
            ]
            if name in kept:
                self._entry(live / name, kept[name], entries.get(name), target / name, loss, chance)

    def _entry(
        self, live: Path, identity: str, path: str | None, target: Path, loss: Loss, chance: random.Random
    ) -> None:
        """A file or a folder of that identity; what has its name on the live disk may be another one, or nothing."""
        same = identity == path
        if same and live.is_dir():
            self._folder(live, identity, target, loss, chance)
            return
        copy = self.shadow / identity
        safe = copy.read_bytes() if copy.is_file() else b""
        content = live.read_bytes() if same else safe
        choices = {safe, content, content[: len(content) // 2], b"\0" * len(content)}
        unsynced = loss is Loss.ANYTHING and content != safe
        target.write_bytes(chance.choice(sorted(choices)) if unsynced else safe)

    def _names(self, identity: str) -> dict[str, str]:
        """Of the safe entries of a folder the identities."""
        listed = self.shadow / identity
        lines = listed.read_text().splitlines() if listed.is_file() else []
        return {name: item for item, name in (line.split(" ", 1) for line in lines)}

    def _entries(self, folder: Path) -> dict[str, str]:
        return {path.name: self._identity(path) for path in folder.iterdir()} if folder.is_dir() else {}

    def _identity(self, path: Path) -> str:
        """Inode and time of birth, as the recorder spells them."""
        text, handle = ctypes.create_string_buffer(96), os.open(path, os.O_RDONLY)
        try:
            assert self._loaded.power_identify(handle, b"", text, ctypes.c_size_t(96)) >= 0, path
        finally:
            os.close(handle)
        return text.value.decode()
