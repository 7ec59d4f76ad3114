"""docs/operators.md and its pictures say what the declarations say, and what the examples answer."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from docs.operators_examples import evaluate_example
from docs.operators_figures import LEFT, LETTER, MAX_TICKS, RIGHT, WIDTH, build_figure, place_labels
from docs.operators_pictures import FOLDER, mark
from timeline_app.operators import operators

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_operators_is_as_the_declarations_write_it() -> None:
    written = runpy.run_path(str(DOCS / "operators_page.py"))["build_page"]()
    assert (DOCS / "operators.md").read_text(encoding="utf-8") == written, "run `make docs`"


@pytest.mark.parametrize("name", operators())
def test_the_picture_of_an_operator_shows_what_its_example_answers_now(name: str) -> None:
    drawn = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert mark(build_figure(evaluate_example(operators()[name]))) in drawn, "run `make pictures`"


def test_there_is_no_picture_of_anything_else() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(operators())


@pytest.mark.parametrize("name", sorted(operators().keys() - {"constant"}))  # which has but one
def test_an_example_shows_more_than_one_value(name: str) -> None:
    result = evaluate_example(operators()[name]).lanes[-1]
    assert any(len(points) > 1 for points in result.keys.values())


@pytest.mark.parametrize("name", operators())
def test_what_is_written_in_a_picture_runs_into_nothing(name: str) -> None:
    example = evaluate_example(operators()[name])
    spec = build_figure(example)
    end = spec["layout"]["xaxis"]["range"][1]
    second = (WIDTH - LEFT - RIGHT) / end
    placed = list(
        zip([event["key"] for event in example.events], place_labels(example.events, second), strict=True)
    )
    for index, (key, label) in enumerate(placed):
        beside = [other for its, other in placed[index + 1 :] if (its, other.level) == (key, label.level)]
        assert all(label.end <= other.start for other in beside), label
        assert label.end <= WIDTH - LEFT, "it is cut off on the right"
    assert end / spec["layout"]["xaxis"]["dtick"] <= MAX_TICKS


@pytest.mark.parametrize("name", operators())
def test_the_text_of_a_span_fits_into_it(name: str) -> None:
    spec = build_figure(evaluate_example(operators()[name]))
    second = (WIDTH - LEFT - RIGHT) / spec["layout"]["xaxis"]["range"][1]
    bars = [trace for trace in spec["data"] if trace["type"] == "bar"]
    for bar in bars:
        assert LETTER * bar["textfont"]["size"] * len(bar["text"][0]) <= bar["x"][0] * second, bar["text"]
