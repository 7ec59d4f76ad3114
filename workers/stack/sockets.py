"""Where the sockets of a stack lie: always in a folder that only our user may enter."""

from __future__ import annotations

import atexit
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

LONGEST_SOCKET_PATH = 100  # the kernel takes about 107 bytes
LONGEST_NAME = "supervisord.sock"
_NOTE = "sockets"


def choose_socket_folder(home: Path) -> Path:
    """The stack's own folder, or, where paths below it are too long, a closed one elsewhere with a random name.

    Its own folder, once it is there, remembers that name, so that there is one for each stack.
    """
    if len(os.fsencode(home / LONGEST_NAME)) < LONGEST_SOCKET_PATH:
        return home
    note = home / _NOTE
    if note.is_file() and _is_closed(remembered := Path(note.read_text())):
        return remembered
    made = Path(tempfile.mkdtemp(prefix="timelines-", dir=os.environ.get("XDG_RUNTIME_DIR")))
    atexit.register(_remove_if_empty, made)
    remember_socket_folder(home, made)
    return made


def remember_socket_folder(home: Path, folder: Path) -> None:
    """Write down where the sockets of a stack lie; a start that was refused has made no folder, and leaves none."""
    if folder != home and home.is_dir():
        (home / _NOTE).write_text(str(folder))


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _is_closed(folder: Path) -> bool:
    """Whether it is a folder of our user that nobody else may enter."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
