"""Files of the product are for its own user: the umask of its processes, and modes of what was there before."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from timeline_app.fs import durable

FILES = "TIMELINE_FILES"
"""The variable that says who may use the files: `private`, our user alone, or `group`, also the folder's group."""
PRIVATE, GROUP = "private", "group"
SPARK_TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # noqa: S105  (a name)  # nosec B105
"""The variable from which Spark Connect and its clients read the token that they share."""
KEPT_BELOW = (
    "backups", "chains", "checkpoints", "delivered", "demo-login", "feeds", "landing", "logs", "redis",
    "restoring", "secret-key", "setup", "sources", "spark", "spool", "stack", "timelines.sqlite3",
    "timelines.sqlite3-shm", "timelines.sqlite3-wal", "warehouse",
)  # fmt: skip
"""The entries of a data directory that are ours. Nothing else there is touched."""


def parse_umask(environment: Mapping[str, str]) -> int:
    """Return the permission bits that our files never have."""
    return 0o007 if environment.get(FILES) == GROUP else 0o077


def set_umask() -> None:
    """Let this process and its children create files that other accounts cannot open."""
    os.umask(parse_umask(os.environ))


def close_folder(folder: Path) -> list[str]:
    """Remove the permissions of others from a data directory and its entries; return problems in words.

    A closed folder hides everything below it, so deeper files are left unchanged.
    """
    mask = parse_umask(os.environ)
    return [words for path in (folder, *map(folder.joinpath, KEPT_BELOW)) for words in _close(path, mask)]


def list_open(folder: Path) -> list[Path]:
    """Return the entries of a data directory that other accounts can open, although it was closed at the start."""
    mask = parse_umask(os.environ)
    return [path for path in (folder, *map(folder.joinpath, KEPT_BELOW)) if _is_open(path, mask)]


def _is_open(path: Path, mask: int) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & mask)


def _close(path: Path, mask: int) -> Iterator[str]:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(status.st_mode) or not status.st_mode & mask:
        return
    if _is_shared(status, path):
        yield _describe_open(path, status.st_mode, "many accounts work there: use a folder below it")
        return
    if mask & 0o070 and status.st_mode & stat.S_ISGID and status.st_mode & stat.S_IWGRP and path.is_dir():
        mask = 0o007  # somebody gave it to a group on purpose
        hint = f"it was given to a group; set {FILES}={GROUP} where that is meant, else chmod g-rwxs"
        yield _describe_open(path, status.st_mode, hint)
    try:
        path.chmod(stat.S_IMODE(status.st_mode) & ~mask)
        why = "" if not path.lstat().st_mode & mask else "the file system keeps no permissions"
    except OSError as error:
        why = str(error.strerror)
    if why:
        yield _describe_open(
            path, status.st_mode, f"it could not be closed: {why}; chown or mount it for our user"
        )


def _is_shared(status: os.stat_result, path: Path) -> bool:
    """Return whether it is a folder like `/tmp` or `/`, which is not ours to close."""
    return bool(status.st_mode & stat.S_ISVTX) or path == Path(path.anchor)


def _describe_open(path: Path, mode: int, hint: str) -> str:
    bits = f"{stat.S_IMODE(mode):o}"
    return f"{path} is open to other accounts of this machine (mode {bits}): {hint}. See docs/security.md"


def load_secret(path: Path) -> str:
    """Return the secret in this file, created once; a hard link makes two simultaneous processes agree."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        with draft.open("wb") as sink:
            sink.write(secrets.token_urlsafe(50).encode())
            durable.sync_file(sink)  # what it seals from now on must not outlast it
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
        durable.sync_folder(path.parent)
    return path.read_text().strip()
