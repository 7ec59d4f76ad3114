"""A source in files, as Spark's tests use it, keeps its promises; each case in a directory of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.connectors.lines import LinesWorld
from timeline_app.connectors.source_kit import CASES, SourceCase


@pytest.mark.parametrize("case", CASES, ids=str)
def test_lines_keep_their_promises(case: SourceCase, tmp_path: Path) -> None:
    case.run(lambda: LinesWorld(tmp_path))
