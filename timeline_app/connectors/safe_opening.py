"""Files of sources are opened so that nobody can exchange one for a link between the look at it and the reading."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
"""To look something up in it takes no right to list it."""
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Without O_NONBLOCK the opening of a named pipe would wait for whoever writes into it."""


def open_within(path: Path, folders: Sequence[Path]) -> BinaryIO:
    """A regular file that lies in one of these folders; without folders wherever it lies. Raises `OSError`.

    Links are resolved first, and each part of what they lead to is opened in its folder, as no link: a part that is one
    by then was exchanged meanwhile.
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
