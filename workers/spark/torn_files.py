"""Which files of a state Spark wrote that are not all on disk: Hadoop keeps a CRC-32 of each piece beside it."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

_HEADER = b"crc\0"


def find_torn_files(state: Path, since: float) -> set[Path]:
    """The files of a state that were written after that instant (seconds since 1970) and do not match their sums."""
    return {path for path in _iterate_written(state, since) if not _has_valid_checksum(path)}


def remove_snapshots(torn: set[Path]) -> set[Path]:
    """Remove torn snapshots, and those of which a torn file is a part: Spark goes on from the one before. Which."""
    removed = {path for path in torn if path.suffix == ".zip"}
    for part in torn:
        if part.suffix == ".sst":
            snapshots = part.parent.parent.glob("*.zip")
            removed.update({path for path in snapshots if _is_naming(path, part.name)}, {part})
    for path in removed:
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        path.unlink(missing_ok=True)
    return removed


def _iterate_written(folder: Path, since: float) -> Iterator[Path]:
    for path in folder.rglob("*"):
        ours = path.suffix != ".crc" and ".tmp" not in path.name and path.is_file()
        if ours and path.stat().st_mtime >= since:
            yield path


def _is_naming(snapshot: Path, part: str) -> bool:
    """Whether a snapshot says that a file is a part of it; one that cannot be read may be of any."""
    try:
        with zipfile.ZipFile(snapshot) as archive:
            return part.encode() in archive.read("metadata")
    except (OSError, KeyError, zipfile.BadZipFile):
        return True


def _has_valid_checksum(path: Path) -> bool:
    """Whether a file is as its sums say. Without them it was written just before the end, or is torn as well."""
    try:
        content, sums = path.read_bytes(), path.with_name(f".{path.name}.crc").read_bytes()
    except FileNotFoundError:
        return False
    if sums[:4] != _HEADER or len(sums) < 8:
        return False
    size = int.from_bytes(sums[4:8])
    pieces = (content[start : start + size] for start in range(0, len(content), size)) if size else ()
    return b"".join(zlib.crc32(piece).to_bytes(4) for piece in pieces) == sums[8:]
