"""A plan that runs with an operator of somebody's own that is gone, or another one by now, or cannot be used at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.operators.owned import LASTED, use_own_folders, write
from tests.operators.small import build_node
from tests.workers.conftest import MakeNode, build_state, compile_programs
from timeline_app.compiler import Program
from timeline_app.web.models import Query
from workers.engine import launcher, supervisor

ROOT = Path(__file__).resolve().parents[2]


def compile_upside_down(folder: Path, text: str = LASTED) -> Program:
    """The program of a node with such an operator."""
    with use_own_folders(write(folder, upside=text)):
        nodes = {
            "x": build_state("x"),
            "is": build_node("equal_to", "x", value="a"),
            "off": build_node("upside_down", "is"),
        }
        return compile_programs(nodes)["off"]


def launch_query(program: Program, make_node: MakeNode, monkeypatch: pytest.MonkeyPatch) -> Query:
    """Its query after an attempt to start it, at a Spark that answers."""
    query = make_node(program).query
    monkeypatch.setattr(launcher, "get_session", lambda *_: None)
    monkeypatch.setattr(launcher, "list_active_queries", lambda _: {})
    assert supervisor._claim(query)
    launcher.launch(query.name)
    return Query.objects.get(pk=query.pk)


def test_a_query_whose_operator_is_gone_waits_for_it_and_says_so(
    tmp_path: Path, make_node: MakeNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = launch_query(compile_upside_down(tmp_path), make_node, monkeypatch)
    assert (query.observed, query.restarts, query.claimed_until) == ("starting", 0, None)
    assert query.words.startswith(
        "starting, the operator upside_down is not here any more; put it back (TIMELINE"
    )


def test_a_query_whose_operator_is_another_one_waits_too(
    tmp_path: Path, make_node: MakeNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = compile_upside_down(tmp_path / "before")
    with use_own_folders(write(tmp_path / "after", upside=LASTED + "\n")):
        query = launch_query(program, make_node, monkeypatch)
    assert "starting, the operator upside_down is another one than when this was started" in query.words
    assert "apply the plans that use it again" in query.words


def start(folder: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A process of the product with such a folder."""
    environment = {**os.environ, "TIMELINE_OPERATORS": folder}
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("manage.py", "check"),
        ("-m", "workers.stack.prepare"),
        ("-c", "import timeline_app.asgi"),
        ("-c", "import django; django.setup(); import workers.celery"),
    ],
    ids=["command", "start", "web", "worker"],
)
def test_nothing_starts_with_operators_that_cannot_be_used(tmp_path: Path, words: tuple[str, ...]) -> None:
    process = start(str(write(tmp_path, upside="1 / 0", other="x = 2")), *words)
    assert process.returncode != 0
    last = process.stderr.strip().splitlines()[-1]
    if words[0] != "-c":
        assert process.stderr.strip() == last
    assert "Cannot start. other.py: declares no operator;" in last
    assert "upside.py: cannot be imported: ZeroDivisionError: division by zero (line 1 of" in last
    assert last.endswith("See docs/own-operators.md.")


def test_a_folder_that_is_not_there_is_a_wrong_setting(tmp_path: Path) -> None:
    process = start(str(tmp_path / "no"), "manage.py", "check")
    assert process.returncode != 0
    [answer] = process.stderr.strip().splitlines()
    assert f"TIMELINE_OPERATORS='{tmp_path / 'no'}': the folder" in answer
