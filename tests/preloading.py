"""Compiles the C files that tests preload (LD_PRELOAD) into processes of the product."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def compile_library(source: Path, folder: Path) -> Path | None:
    """The shared library of a C file, made in a folder; None where there is no C compiler (cc)."""
    if shutil.which("cc") is None:
        return None
    library = folder / f"{source.stem}.so"
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library
