"""What the pages show of Python is run, and prints what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import timeline_app.timeline

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if ">>>" in page.read_text(encoding="utf-8")
]
OPTIONS = doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_print_what_it_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8", optionflags=OPTIONS)
    assert found.attempted > 1
    assert found.failed == 0


def test_the_pages_about_python_have_examples() -> None:
    assert {"tour.md", "python.md"} <= {page.name for page in PAGES}


def test_the_example_of_the_module_prints_what_it_shows() -> None:
    found = doctest.testmod(timeline_app.timeline, optionflags=OPTIONS)
    assert found.attempted > 5
    assert found.failed == 0
