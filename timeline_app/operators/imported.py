"""Custom code: the files in folders that a variable names, as modules of one package, and entry points.

Files whose name begins with `_` are imported by the others; those that begin with `test_` are tests.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType


class Unusable(ImportError):
    """Custom code that cannot be used: `problems` lists what is wrong, each with its place and a fix."""

    def __init__(self, problems: Iterable[str]) -> None:
        """At least one."""
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


def parse_folders(text: str) -> tuple[Path, ...]:
    """Return the folders that a variable names, between colons. Raises `ValueError` where one is not there."""
    folders = tuple(Path(item.strip()).expanduser() for item in text.split(os.pathsep) if item.strip())
    for folder in folders:
        if not folder.is_absolute():
            raise ValueError(f"the folder {folder} must be named from / or ~ on")
        if not folder.is_dir():
            trouble = (
                "is a file; name the folder that it lies in" if folder.is_file() else "is not there; make it"
            )
            raise ValueError(f"the folder {folder} {trouble}, or take it out")
    return folders


def import_package(name: str, variable: str) -> ModuleType | None:
    """Return the package of the files; None where no folder is named. Raises `ValueError` where one is not there."""
    if name in sys.modules:
        return sys.modules[name]
    if find_spec(name) is not None:
        return importlib.import_module(name)
    named = parse_folders(os.environ.get(variable, ""))
    if not named:
        return None
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(folder) for folder in named]
    sys.modules[name] = module_from_spec(spec)
    return sys.modules[name]


def list_files(package: ModuleType, problems: list[str]) -> dict[str, Path]:
    """Return the files by module name, helpers included and tests left out; their problems are appended."""
    files: dict[str, Path] = {}
    for folder in package.__path__:
        for path in sorted(Path(folder).glob("*.py")):
            name = path.stem
            if name.startswith("test_") or name in ("conftest", "__init__"):
                continue
            if not name.isidentifier():
                problems.append(f"{path} is no name that Python can import; use letters, digits and _")
            elif name in files:
                other = files[name]
                problems.append(
                    f"{path} is there twice, the other is {other}; call one of them something else"
                )
            else:
                files[name] = path
    return files


def iterate_modules(name: str, variable: str, problems: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the place (in words) and the module name of each file that is no helper."""
    try:
        package = import_package(name, variable)
    except ValueError as error:
        problems.append(f"{variable}: {error}")
        return
    for module, path in (list_files(package, problems) if package is not None else {}).items():
        if not module.startswith("_"):
            yield path.name, f"{name}.{module}"


def explain_import_error(location: str, error: BaseException) -> str:
    """Return what went wrong while something was imported, and where in it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    line, file = last.lineno, last.filename
    if isinstance(error, SyntaxError):
        line, file = error.lineno, str(error.filename)
    words = f"{type(error).__name__}: {error} (line {line} of {Path(file).name})"
    return f"{location}: cannot be imported: {words}; mend it or take it out"
