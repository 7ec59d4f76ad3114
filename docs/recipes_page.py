"""Writes docs/recipes.md from the recipes of the palette: `python docs/recipes_page.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("recipes.md")
RECIPES: list[dict[str, Any]] = json.loads(
    (ROOT / "frontend/src/plans/recipes/recipes.json").read_text(encoding="utf-8")
)
HEAD = """# Recipes

Written by `make docs` from `frontend/src/plans/recipes/recipes.json`; change that, not this page.

Small plans that answer common questions. In the studio, search the palette by any of a recipe's words and press it: its
nodes are added to the plan, on a stream of yours. Fields and conditions that your stream does not have are left empty,
and the list of problems leads to them. In the text view, paste the lines.
"""


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield HEAD
    for recipe in RECIPES:
        yield f"## {recipe['title']}\n"
        yield f"{recipe['summary']}\n"
        yield "```timeline"
        yield from recipe["plan"]
        yield "```\n"
        yield f"Found by: {', '.join(recipe['synonyms'])}.\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
