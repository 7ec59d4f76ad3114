"""What the pages show of Python is run, and prints what they say."""

from __future__ import annotations

import doctest
import re
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
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8", optionflags=OPTIONS)
    assert result.attempted > 1
    assert result.failed == 0


def test_the_pages_about_python_have_examples() -> None:
    assert {"tour.md", "python.md"} <= {page.name for page in PAGES}


def test_the_example_of_the_module_prints_what_it_shows() -> None:
    result = doctest.testmod(timeline_app.timeline, optionflags=OPTIONS)
    assert result.attempted > 5
    assert result.failed == 0


LINKING = sorted(
    {*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "benchmarks/README.md"}
)


def strip_code(page: Path) -> str:
    """Without code, in which `](` and `#` mean something else."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^    .*$", "", text, flags=re.MULTILINE)


def list_anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", strip_code(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_to_pages_and_headings(page: Path) -> None:
    missing = []
    for target in re.findall(r"\]\(([^)\s:]+)\)", strip_code(page)):
        path, _, heading = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        if not linked.exists() or (heading and heading not in list_anchors(linked)):
            missing.append(target)
    assert missing == []
