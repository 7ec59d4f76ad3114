"""Where the sockets of a stack lie: always in a folder that only our user may enter."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

LONGEST_SOCKET_PATH = 100  # the kernel takes about 107 bytes
LONGEST_NAME = "supervisord.sock"
_NOTE = "sockets"


def socket_folder(home: Path) -> Path:
    """The stack's own folder, or, where paths below it are too long, a closed one elsewhere with a random name.

    Its own folder remembers that name, so that there is one for each stack.
    """
    if len(os.fsencode(home / LONGEST_NAME)) < LONGEST_SOCKET_PATH:
        return home
    note = home / _NOTE
    if note.is_file() and _is_closed(remembered := Path(note.read_text())):
        return remembered
    made = Path(tempfile.mkdtemp(prefix="timelines-", dir=os.environ.get("XDG_RUNTIME_DIR")))
    with suppress(OSError):  # of a data directory that cannot be one others tell
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        note.write_text(str(made))
    return made


def _is_closed(folder: Path) -> bool:
    """Whether it is a folder of our user that nobody else may enter."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
