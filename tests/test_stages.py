"""The stages of `make test`: each test that is no long one is run by one of them, and the quickest come first."""

from __future__ import annotations

import re
from itertools import chain, combinations
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

from tests.marked import STAGES

MAKEFILE = (Path(__file__).parents[1] / "Makefile").read_text().replace("\\\n", " ")
QUICK = r"QUICK := (.+)"
MARKS = list(chain.from_iterable(combinations(STAGES, count) for count in range(len(STAGES) + 1)))


def read_recipe(target: str) -> str:
    result = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.M)
    assert result, target
    return result[1]


def parse_selection(target: str) -> Expression:
    text = re.search(r'-m "([^"]+)"', read_recipe(target))
    quick = re.search(QUICK, MAKEFILE)
    assert text
    assert quick
    return Expression.compile(text[1].replace("$(QUICK)", quick[1]))


def list_stages() -> list[str]:
    """In the order in which they run."""
    return re.findall(r"test-[a-z]+", read_recipe("test"))


@pytest.mark.parametrize("marks", MARKS, ids=str)
def test_whatever_a_test_is_marked_with_one_stage_runs_it(marks: tuple[str, ...]) -> None:
    by_marks = ["test-fast", "test-deep", "test-spark", "test-stack", "test-live"]
    assert set(by_marks) < set(list_stages())
    chosen = [name for name in by_marks if parse_selection(name).evaluate(lambda mark, /, **_: mark in marks)]
    assert len(chosen) == 1, chosen


@pytest.mark.parametrize("stage", ["test-deep", "test-spark", "test-stack", "test-live"])
def test_a_stage_imports_the_files_of_a_mark_that_it_selects_by(stage: str) -> None:
    marked = re.search(r"--marked (\w+)", read_recipe(stage))
    assert marked
    for marks in MARKS:
        assert not parse_selection(stage).evaluate(lambda mark, /, **_: mark in marks) or marked[1] in marks  # noqa: B023


def test_what_fails_within_two_minutes_is_known_before_what_takes_longer() -> None:
    quick = {"test-fast", "test-web", "test-postgres"}
    assert set(list_stages()[: len(quick)]) == quick
    assert list_stages()[0] == "test-fast"
