"""Each demo gives the answer that a slow script, written for its question alone, finds in the same events."""

from __future__ import annotations

import importlib
import itertools
import json
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.demos.slow.reading import LATENESS, Answers
from timeline_app.demos import load_demos

EXAMPLES = [(name, file) for name, demo in load_demos().items() for file in demo.plans]


def simulate_file(name: str, events: int, seed: int, rate: float | None = None) -> str:
    """A file of events as `simulate` writes it."""
    arriving = itertools.islice(load_demos()[name].deliveries(seed=seed, rate=rate), events)
    return "".join(json.dumps(item.event) + "\n" for item in arriving)


def evaluate_file(folder: Path, name: str, file: str, text: str) -> dict[str, dict[str, Any]]:
    """What `manage.py evaluate` prints, by node and key."""
    (folder / "plan.json").write_text(json.dumps(load_demos()[name].examples()[file]))
    (folder / "events.jsonl").write_text(text)
    out = StringIO()
    results = load_demos()[name].plans[file]["results"]
    call_command(
        "evaluate", str(folder / "plan.json"), str(folder / "events.jsonl"), "--node", *results, stdout=out
    )
    result: dict[str, dict[str, Any]] = {}
    for line in map(json.loads, out.getvalue().splitlines()):
        result.setdefault(line["node"], {})[line["key"]] = line
    return result


def compute_slowly(name: str, text: str) -> Answers:
    answers: Answers = importlib.import_module(f"tests.demos.slow.{name}").compute_answers(text)
    return answers


def format_point(point: tuple[Any, ...]) -> dict[str, Any]:
    """A point as it is printed."""
    time, value, *slope = point
    if slope and value is not None:
        value = float(Fraction(value))
    return {"t": time, "value": value} | ({"slope": float(slope[0])} if slope else {})


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("name", "file"), EXAMPLES)
def test_the_answer_is_what_a_slow_script_finds_at_every_point_of_every_key(
    name: str, file: str, seed: int, tmp_path: Path
) -> None:
    text = simulate_file(name, 2000, seed)
    expected = compute_slowly(name, text)
    last = max(json.loads(line)["t"] for line in text.splitlines()) * 1000
    answers = evaluate_file(tmp_path, name, file, text)
    assert list(answers) == sorted(load_demos()[name].plans[file]["results"])
    for node, keys in answers.items():
        assert list(keys) == sorted(expected[node])
        for key, answer in keys.items():
            assert answer["points"] == [format_point(point) for point in expected[node][key]], (node, key)
            assert answer["final_until"] == last - LATENESS
