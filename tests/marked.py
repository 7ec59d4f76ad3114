"""`--marked spark`: only files that name the mark are imported; to import all takes each worker a quarter minute.

`--unmarked`: no files are imported that mark all their tests.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STAGES = ("deep", "spark", "stack", "browser")
"""The marks that a stage selects by; they stand in the file of the test itself, never in what it imports."""
MARKS_ALL = re.compile(rf"^pytestmark = \[?\s*pytest\.mark\.(?:{'|'.join(STAGES)})\b", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--marked", choices=STAGES, help="import only files that name this mark")
    parser.addoption("--unmarked", action="store_true", help="import no files that mark all their tests")


def has_mark(file: Path, mark: str) -> bool:
    return f"mark.{mark}" in file.read_text(encoding="utf-8")


def is_marking_all(file: Path) -> bool:
    return MARKS_ALL.search(file.read_text(encoding="utf-8")) is not None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """None leaves it to others."""
    if not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    mark = config.getoption("marked")
    needless = (mark and not has_mark(collection_path, mark)) or (
        config.getoption("unmarked") and is_marking_all(collection_path)
    )
    return True if needless else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test whose mark came from elsewhere would be run by no stage."""
    for path, marks in {item.path: {mark.name for mark in item.iter_markers()} for item in items}.items():
        if strange := [mark for mark in STAGES if mark in marks and not has_mark(path, mark)]:
            raise pytest.UsageError(f"{path} does not name its mark: write pytest.mark.{strange[0]} in it")
