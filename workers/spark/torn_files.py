"""Finds torn files of a Spark state. Hadoop keeps a CRC-32 of each chunk beside each file."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

_HEADER = b"crc\0"


def find_torn_files(state: Path, since: float) -> set[Path]:
    """Return the files of a state written since an instant (seconds since 1970) that do not match their checksums."""
    return {path for path in _iterate_written(state, since) if not _has_valid_checksum(path)}


def remove_snapshots(torn: set[Path]) -> set[Path]:
    """Remove torn snapshots and those that contain a torn file, and return them.

    Spark falls back to the previous one.
    """
    removed = {path for path in torn if path.suffix == ".zip"}
    for snapshot in torn:
        if snapshot.suffix == ".sst":
            snapshots = snapshot.parent.parent.glob("*.zip")
            removed.update({path for path in snapshots if _is_naming(path, snapshot.name)}, {snapshot})
    for path in removed:
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        path.unlink(missing_ok=True)
    return removed


def _iterate_written(folder: Path, since: float) -> Iterator[Path]:
    for path in folder.rglob("*"):
        is_data_file = path.suffix != ".crc" and ".tmp" not in path.name and path.is_file()
        if is_data_file and path.stat().st_mtime >= since:
            yield path


def _is_naming(snapshot: Path, name: str) -> bool:
    """Return whether a snapshot contains a file; an unreadable one may contain any."""
    try:
        with zipfile.ZipFile(snapshot) as archive:
            return name.encode() in archive.read("metadata")
    except (OSError, KeyError, zipfile.BadZipFile):
        return True


def _has_valid_checksum(path: Path) -> bool:
    """Return whether a file matches its checksums. Without any, it was written last, or is torn as well."""
    try:
        content, sums = path.read_bytes(), path.with_name(f".{path.name}.crc").read_bytes()
    except FileNotFoundError:
        return False
    if sums[:4] != _HEADER or len(sums) < 8:
        return False
    size = int.from_bytes(sums[4:8])
    pieces = (content[start : start + size] for start in range(0, len(content), size)) if size else ()
    return b"".join(zlib.crc32(piece).to_bytes(4) for piece in pieces) == sums[8:]
