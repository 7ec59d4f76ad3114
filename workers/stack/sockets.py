"""Chooses the folder of a stack's sockets, which only our user may enter."""

from __future__ import annotations

import atexit
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

MAX_SOCKET_PATH_BYTES = 100  # the kernel takes about 107 bytes
LONGEST_NAME = "supervisord.sock"
_NOTE = "sockets"


def choose_socket_folder(home: Path) -> Path:
    """Return the stack's folder or, where paths below it are too long, a private one elsewhere with a random name.

    The stack's folder records that name once it exists, so that each stack has one.
    """
    if len(os.fsencode(home / LONGEST_NAME)) < MAX_SOCKET_PATH_BYTES:
        return home
    note = home / _NOTE
    if note.is_file() and _is_closed(remembered := Path(note.read_text())):
        return remembered
    folder = Path(tempfile.mkdtemp(prefix="timelines-", dir=os.environ.get("XDG_RUNTIME_DIR")))
    atexit.register(_remove_if_empty, folder)
    remember_socket_folder(home, folder)
    return folder


def remember_socket_folder(home: Path, folder: Path) -> None:
    """Record where the sockets of a stack lie. A refused start has made no folder, and leaves none."""
    if folder != home and home.is_dir():
        (home / _NOTE).write_text(str(folder))


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _is_closed(folder: Path) -> bool:
    """Return whether it is a folder of our user that nobody else may enter."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
