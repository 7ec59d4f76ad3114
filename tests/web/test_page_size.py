"""What a browser loads of a page before it shows it, compressed: scripts and style sheets stay within a budget."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from bootstrap import FRONTEND
from timeline_app.web.templatetags.frontend import load_manifest

DIST = FRONTEND / "dist"
ENTRY = "index.html"
BUDGETS = {
    ENTRY: (108_000, 9_000),
    "src/app/studio/StudioPage.tsx": (322_000, 21_800),
    "src/app/BoardPage.tsx": (189_000, 17_100),
}
"""For each page, bytes of scripts and of style sheets: today's and about four in a hundred more."""
ADVICE = (
    "Load what is not seen at once with `import()`, or drop the package that came with it; "
    "`npx vite build` lists the chunks. Raise the budget only for what every visitor needs, and say so in the change."
)


def gather_chunks(built: dict[str, Any], name: str, gathered: dict[str, Any]) -> dict[str, Any]:
    """A chunk of the build and all that it imports at once."""
    if name not in gathered:
        gathered[name] = built[name]
        for other in built[name].get("imports", []):
            gather_chunks(built, other, gathered)
    return gathered


def measure(folder: Path, files: Iterable[str]) -> int:
    return sum(len(gzip.compress((folder / name).read_bytes(), 9)) for name in set(files))


def measure_page(folder: Path, page: str) -> tuple[int, int]:
    """Bytes of scripts and of style sheets, compressed, that a page needs with the frame around it."""
    built = load_manifest(folder)
    assert built, f"There is no build in {folder}. Run `npm run build` in {folder.parent}."
    chunks = gather_chunks(built, page, gather_chunks(built, ENTRY, {})).values()
    styles = [css for chunk in chunks for css in chunk.get("css", [])]
    return measure(folder, [chunk["file"] for chunk in chunks]), measure(folder, styles)


def describe_excess(folder: Path, page: str, budget: tuple[int, int]) -> list[str]:
    """In words, by how much a page is over its budget, and what to do."""
    kinds = zip(("scripts", "style sheets"), measure_page(folder, page), budget, strict=True)
    return [
        f"{page} loads {size:,} bytes of {kind}, {size - most:,} over its budget of {most:,}. {ADVICE}"
        for kind, size, most in kinds
        if size > most
    ]


@pytest.mark.parametrize("page", BUDGETS)
def test_a_page_loads_no_more_than_its_budget(page: str) -> None:
    assert not (excess := describe_excess(DIST, page, BUDGETS[page])), "\n".join(excess)


def test_a_page_over_its_budget_is_told_by_how_much_and_what_to_do() -> None:
    scripts, styles = measure_page(DIST, ENTRY)
    [words] = describe_excess(DIST, ENTRY, (scripts - 1, styles))
    assert words.startswith(
        f"{ENTRY} loads {scripts:,} bytes of scripts, 1 over its budget of {scripts - 1:,}."
    )
    assert "import()" in words
