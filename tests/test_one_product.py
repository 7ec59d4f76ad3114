"""The tests of pages share a product for each worker, in any order of files: no name is given in two of them."""

from __future__ import annotations

import re
from collections import Counter

from timeline_app.settings import ROOT

FILES = sorted((ROOT / "tests" / "browser" / "drawing").glob("test_*.py"))
NAMED = re.compile(r'(?:add_user|there_is|declare_stream)\(\w+, "(\w+)"')


def test_who_or_what_is_made_has_a_name_of_its_own() -> None:
    made = Counter(name for path in FILES for name in set(NAMED.findall(path.read_text())))
    assert len(made) > len(FILES) / 2
    assert [name for name, files in made.items() if files > 1] == []
