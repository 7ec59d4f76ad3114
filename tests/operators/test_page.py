"""docs/operators.md says what the declarations say."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_operators_is_as_the_declarations_write_it() -> None:
    written = runpy.run_path(str(DOCS / "operators_page.py"))["page"]()
    assert (DOCS / "operators.md").read_text(encoding="utf-8") == written, "run `make docs`"
