"""A backup on disk: a directory of files, and a manifest with the checksum of each."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings

from timeline_app.feed.syncing import sync_tree
from timeline_app.fs import durable
from timeline_app.fs.paths import Address

FORMAT, READABLE_FORMATS = 2, (1, 2)
"""The written format, and the readable ones: 1 has neither a digest of the key nor the names of what it seals."""
MANIFEST = "manifest.json"
KEY = "secret-key"
"""The file of the key that signs sessions and seals secrets, unless the environment gives one."""
COPY_CHUNK_BYTES = 1 << 20


class Refused(Exception):
    """A backup cannot be made or restored; says why, and what to do."""


def get_data_directory() -> Path:
    """Return the directory to back up; raise `Refused` if the data are in remote storage."""
    if isinstance(settings.TIMELINE_DATA, Address):
        raise Refused(
            f"TIMELINE_DATA is {settings.TIMELINE_DATA}, and only a directory can be backed up while the product runs: "
            "stop the product, copy that place with its own tools, and the database and TIMELINE_LOCAL with theirs"
        )
    return Path(settings.TIMELINE_DATA)


@dataclass(slots=True)
class Manifest:
    """The contents of a backup: origin, time, and each file with its size and SHA-256.

    `sealed` names the sources and sinks whose secrets only the key with this digest opens.
    """

    made_at: str
    database: str
    data: str
    secrets: bool
    migrations: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    queries: dict[str, dict[str, int]] = field(default_factory=dict)
    key: str = ""
    sealed: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, tuple[int, str]] = field(default_factory=dict)
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write the manifest when all other files are on disk: without it there is no backup."""
        sync_tree(folder)
        durable.replace(folder / MANIFEST, json.dumps(asdict(self), indent=1).encode())

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Return the manifest of a backup; raise `Refused`."""
        try:
            document: Any = json.loads((folder / MANIFEST).read_text())
        except (OSError, ValueError) as why:
            raise Refused(f"{folder} is no backup, or was never finished: {why}") from why
        if not isinstance(document, dict) or document.get("format") not in READABLE_FORMATS:
            raise Refused(
                f"{folder} is of a format that this version does not know; it knows {READABLE_FORMATS}"
            )
        try:
            manifest = cls(**document)
            manifest.files = {
                check_path(name): (int(size), str(checksum))
                for name, (size, checksum) in manifest.files.items()
            }
        except (TypeError, ValueError) as why:
            raise Refused(f"the manifest of {folder} is damaged: {why}") from why
        return manifest


def key_digest(key: str) -> str:
    """Return a digest that distinguishes keys without revealing them."""
    return hmac.digest(key.encode(), b"timelines: which key a backup needs", "sha256").hex()[:8]


def format_encrypted_things(manifest: Manifest) -> str:
    """Name the sources and sinks that need the key; "" if there are none."""
    return " and ".join(f"{kind} {', '.join(names)}" for kind, names in manifest.sealed.items() if names)


def check_path(name: str) -> str:
    """Return a path below the backup; raise ValueError if it leads elsewhere."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name:
        raise ValueError(f"it names {name[:80]!r}, which lies outside")
    return name


def copy(source: Path, target: Path) -> tuple[int, str]:
    """Copy a file; return the size and checksum of what was copied."""
    checksum, size = hashlib.sha256(), 0
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as reader, target.open("wb") as writer:
        while chunk := reader.read(COPY_CHUNK_BYTES):
            checksum.update(chunk)
            size += len(chunk)
            writer.write(chunk)
    return size, checksum.hexdigest()


def measure_file(path: Path) -> tuple[int, str]:
    """Return the size and checksum of a file."""
    with path.open("rb") as reader:
        return path.stat().st_size, hashlib.file_digest(reader, "sha256").hexdigest()


def find_damages(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Yield which files of a backup are missing or changed."""
    for name, (size, expected) in manifest.files.items():
        path = folder / name
        if path.is_symlink() or not path.is_file():
            yield f"{name} is missing"
        elif (size, expected) != measure_file(path):
            yield f"{name} is not as it was written"


@dataclass(slots=True)
class Copier:
    """Copies files below the data directory into a backup, and records their checksums."""

    data: Path
    target: Path
    manifest: Manifest

    def take(self, path: Path) -> None:
        name = path.relative_to(self.data).as_posix()
        self.manifest.files[name] = copy(path, self.target / name)

    def record_file(self, path: Path) -> None:
        """Record a file that was written into the backup."""
        self.manifest.files[path.relative_to(self.target).as_posix()] = measure_file(path)

    def drop(self, folder: Path) -> None:
        """Remove what was copied below a folder, because it is copied again."""
        start = f"{folder.relative_to(self.data).as_posix()}/"
        for name in [name for name in self.manifest.files if name.startswith(start)]:
            (self.target / name).unlink(missing_ok=True)
            del self.manifest.files[name]
