"""`--marked spark`: only files that name the mark are imported; to import all takes each worker a quarter minute."""

from __future__ import annotations

from pathlib import Path

import pytest

STAGES = ("deep", "spark", "stack", "browser")
"""The marks that a stage selects by; they stand in the file of the test itself, never in what it imports."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--marked", choices=STAGES, help="import only files that name this mark")


def names_mark(file: Path, mark: str) -> bool:
    return f"mark.{mark}" in file.read_text(encoding="utf-8")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """None leaves it to others."""
    mark = config.getoption("marked")
    if not mark or not collection_path.name.startswith("test_") or names_mark(collection_path, mark):
        return None
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test whose mark came from elsewhere would be run by no stage."""
    for path, marks in {item.path: {mark.name for mark in item.iter_markers()} for item in items}.items():
        if strange := [mark for mark in STAGES if mark in marks and not names_mark(path, mark)]:
            raise pytest.UsageError(f"{path} does not name its mark: write pytest.mark.{strange[0]} in it")
