"""`manage.py plan test`: tests of a plan where changes are checked, with a database or without."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed
from tests.web.test_plan_tests import US, build_expectations, build_span, create_sample
from timeline_app.web.models import Plan, Stream
from timeline_app.web.samples.test_services import create_plan_test

STOPPED = 'player_state == "stopped"'
EVENTS = [{"session_id": "s1", "t": US // 1_000, "player_state": "play"}]


@pytest.fixture
def tested_plan(ada: User, plan: Plan, player: Stream) -> Plan:
    """A plan with two tests, one of which fails."""
    sample = create_sample(ada, EVENTS)
    for name, value in (("is right", True), ("is wrong", False)):
        expected = build_expectations("played", build_span(US, None, value))
        create_plan_test(plan=plan, user=ada, sample=sample, name=name, expected=expected)
    return plan


@pytest.fixture
def file(api: APIClient, tested_plan: Plan, tmp_path: Path) -> Path:
    """The tests, exported."""
    path = tmp_path / "tests.json"
    path.write_text(json.dumps(api.get(f"/api/plans/{tested_plan.pk}/tests/export/").json()))
    return path


def run(*arguments: str) -> tuple[str, str]:
    """What is printed, and why it fails."""
    out = StringIO()
    try:
        call_command("plan", "test", *arguments, stdout=out)
    except CommandError as why:
        return out.getvalue(), str(why)
    return out.getvalue(), ""


def test_it_says_what_became_of_each_test_and_fails_unless_all_passed(tested_plan: Plan) -> None:
    answer, why = run(str(tested_plan.pk))
    assert answer.splitlines() == [
        "passed   is right",
        "failed   is wrong",
        "    node played, key s1: expected false from 12:03:41 on, got true",
    ]
    assert why == "1 passed, 1 failed"
    assert run(str(tested_plan.pk), "--test", "is right") == ("passed   is right\n1 passed\n", "")


def test_an_export_runs_elsewhere_with_the_same_outcome(tested_plan: Plan, file: Path) -> None:
    assert run(str(file)) == run(str(tested_plan.pk))


def test_exported_tests_run_against_a_changed_plan(file: Path, tmp_path: Path) -> None:
    changed, text, renamed = (tmp_path / name for name in ("plan.json", "plan.txt", "other.json"))
    changed.write_text(json.dumps(build_document(played=has_existed(STOPPED))))
    text.write_text(f"played = has_existed(player.{STOPPED})\n")
    for plan in (changed, text):
        answer, why = run(str(file), "--against", str(plan))
        assert (answer.splitlines()[0], why) == ("failed   is right", "1 passed, 1 failed")
    renamed.write_text(json.dumps(build_document(started=has_existed())))
    answer, why = run(str(file), "--against", str(renamed))
    assert "broken   is right" in answer
    assert why == "2 broken"


BAD: dict[str, Any] = {
    "no file": None,
    "no JSON": "{",
    "a list": [],
    "another document": {"version": 1, "nodes": {}},
    "no tests": {"export": 1, "plan": {}, "samples": {}},
    "a test that is none": {"export": 1, "plan": {}, "samples": {}, "tests": [1]},
    "a test of no sample": {"export": 1, "plan": {}, "samples": {}, "tests": [{"name": "x", "sample": "s"}]},
    "a plan without nodes": {"export": 1, "plan": {"version": 1}, "samples": {}, "tests": []},
    "an event that is none": {
        "export": 1,
        "plan": build_document(played=has_existed()) | {"streams": {"player": {"key": "k", "time": "t"}}},
        "samples": {"s": {"player": [7]}},
        "tests": [{"name": "x", "sample": "s", "expected": []}],
    },
    "expected that is none": {
        "export": 1,
        "plan": build_document(played=has_existed()) | {"streams": {"player": {"key": "k", "time": "t"}}},
        "samples": {"s": {"player": []}},
        "tests": [{"name": "x", "sample": "s", "expected": {}}],
    },
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_refused_in_words(tmp_path: Path, content: Any) -> None:
    file = tmp_path / "bad.json"
    if content is not None:
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    answer, why = run(str(file))
    assert answer == ""
    assert why


def test_what_is_not_there_is_told(db: None, file: Path) -> None:
    assert "There is no plan 999." in run("999")[1]
    assert "did you mean is right" in run(str(file), "--test", "is rihgt")[1]
    assert "cannot be read" in run(str(file), "--against", "/nowhere")[1]
