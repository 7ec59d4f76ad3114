"""Opens files of sources so that nobody can replace one by a link between the check and the reading."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
"""O_PATH looks names up without the right to list the folder."""
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Without O_NONBLOCK, opening a named pipe would wait for a writer."""


def open_within(path: Path, folders: Sequence[Path]) -> BinaryIO:
    """Open a regular file inside one of the folders; without folders, anywhere. Raises `OSError`.

    Links are resolved first. Then each part of the real path is opened in its folder without following links, so a
    link found there was put in place meanwhile.
    """
    real = path.resolve(strict=True)
    roots = (
        [Path(real.anchor)] if not folders else [folder for folder in folders if real.is_relative_to(folder)]
    )
    if not roots:
        raise PermissionError(f"{path.name} leads out of the folders that may be read")
    *inner, name = real.relative_to(roots[0]).parts or (".",)
    folder = os.open(roots[0], _FOLDER)
    try:
        for part in inner:
            below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = below
        file = os.open(name, _FILE, dir_fd=folder)
    except OSError as why:
        why.filename = str(path)
        raise
    finally:
        os.close(folder)
    return _refuse_irregular(file, path)


def _refuse_irregular(file: int, path: Path) -> BinaryIO:
    if stat.S_ISREG(os.fstat(file).st_mode):
        return os.fdopen(file, "rb")
    os.close(file)
    raise PermissionError(f"{path.name} is no regular file")
