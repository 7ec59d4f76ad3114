"""The plans in the text language on docs/demos.md mean what the demos compute."""

from __future__ import annotations

import re
import textwrap

import pytest

from tests.demos.test_page import PLANS, SECTIONS
from timeline_app.compiler import compile_plan
from timeline_app.plan.text import read_text


@pytest.mark.parametrize("name", PLANS)
def test_the_text_on_the_page_computes_the_results_of_the_plan(name: str) -> None:
    demo, file, plan = PLANS[name]
    [text] = re.findall(r"^    \w+ = .*\n(?:    .*\n)*", SECTIONS[name], re.MULTILINE)
    streams = {"streams": {demo.stream: demo.declaration}}
    entry = compile_plan(read_text(textwrap.dedent(text)) | streams, {})
    expected = compile_plan(demo.examples()[file], {})
    for result in plan["results"]:
        assert entry.names[result] == expected.names[result], result
