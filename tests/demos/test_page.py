"""docs/demos.md and docs/examples say what the demos are and answer; what the page runs prints what it shows."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.demos.test_known_answers import compute_slowly, simulate_file
from timeline_app.demos import load_demos

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "demos.md").read_text(encoding="utf-8")
SECTIONS = dict(section.split("\n", 1) for section in PAGE.split("\n## ")[1:])
PLANS = {
    plan["name"]: (demo, file, plan) for demo in load_demos().values() for file, plan in demo.plans.items()
}


def test_the_examples_are_the_plans_of_the_demos() -> None:
    written = runpy.run_path(str(DOCS / "examples_of_demos.py"))["build_examples"]()
    assert {path.name for path in (DOCS / "examples").glob("*.json")} == set(written)
    for name, text in written.items():
        assert (DOCS / "examples" / name).read_text(encoding="utf-8") == text, "run `make docs`"


def test_there_is_a_section_for_each_plan() -> None:
    assert list(SECTIONS) == list(dict.fromkeys(SECTIONS))
    assert set(SECTIONS) == set(PLANS)
    for name, (demo, file, _) in PLANS.items():
        assert f"manage.py simulate {demo.stream} " in SECTIONS[name]
        assert f"docs/examples/{file}.json" in SECTIONS[name]
        if len(demo.plans) == 1:
            assert demo.question in " ".join(SECTIONS[name].split())


@pytest.mark.parametrize("name", PLANS)
def test_the_commands_of_the_page_print_what_it_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").symlink_to(DOCS)
    monkeypatch.chdir(tmp_path)
    simulate, evaluate = (
        shlex.split(line)[1:] for line in re.findall(r"^    \$ (.*)$", SECTIONS[name], re.MULTILINE)
    )
    out = StringIO()
    call_command(*simulate)
    call_command(*evaluate, stdout=out)
    printed_lines = re.findall(r'^    (\{"node".*)$', SECTIONS[name], re.MULTILINE)
    assert out.getvalue().splitlines() == printed_lines


@pytest.mark.parametrize("name", PLANS)
def test_the_slow_script_finds_what_the_page_shows(name: str) -> None:
    demo, _, _ = PLANS[name]
    expected = compute_slowly(demo.stream, simulate_file(demo.stream, 1000, 1))
    [moment] = re.findall(r"--at 2024-07-01T09:(\d\d):(\d\d)Z", SECTIONS[name])
    now = (1_719_824_400 + int(moment[0]) * 60 + int(moment[1])) * 1_000_000
    for line in map(json.loads, re.findall(r'^    (\{"node".*)$', SECTIONS[name], re.MULTILINE)):
        assert line["value"] == compute_value_at(expected[line["node"]][line["key"]], now)


def compute_value_at(points: Sequence[Any], now: int) -> float:
    """The value of a line at an instant."""
    time, value, slope = [point for point in points if point[0] is None or point[0] <= now][-1]
    return float(value if time is None else value + slope * (now - time) / 1_000_000)
