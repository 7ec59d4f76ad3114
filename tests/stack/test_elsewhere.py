"""Who asks to stop what is not there is told where something runs, and what stops it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workers.stack import Stack, health
from workers.stack.__main__ import greet, stop
from workers.stack.control import Supervisord
from workers.stack.elsewhere import running, stop_command, told_elsewhere
from workers.stack.layout import ROOT, identity_of
from workers.stack.processes import MARK
from workers.stack.stack import NotReady

READY = "print('ready', flush=True); import time; time.sleep(600)"


def test_the_command_names_the_data_directory_unless_it_is_the_usual_one() -> None:
    assert stop_command(ROOT / "var") == "make stop"
    assert stop_command(Path("/data/one")) == 'make stop ARGS="--data /data/one"'
    assert stop_command(Path("/data/my own")) == "make stop ARGS=\"--data '/data/my own'\""


def test_a_stack_with_other_data_is_named_with_what_stops_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    environment = {**os.environ, MARK: identity_of(there), "TIMELINE_DATA": str(there)}
    command = [sys.executable, "-c", READY]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            assert there in running()
            assert told_elsewhere(there) == [one for one in told_elsewhere(there) if str(there) not in one]
            assert stop(here) == 0
        finally:
            process.kill()
    said = capsys.readouterr().out
    assert f"nothing of it is running with the data in {here}" in said
    assert f"it runs with the data in {there}: {stop_command(there)}" in said
    assert there not in running()


def test_the_banner_says_what_stops_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    greet(Stack(tmp_path, demo=False), 1.0)
    assert f'make stop ARGS="--data {tmp_path}"' in capsys.readouterr().out


def test_a_demo_that_is_slow_is_told_with_one_number_and_where_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    stack = Stack(tmp_path, demo=True, tell=told.append)
    monkeypatch.setattr(Supervisord, "lives", lambda _: True)
    monkeypatch.setattr(health, "demo", lambda *_: health.Demo(0, 7, "retry 2 of 20, first batch"))
    stack._began -= 187.0
    assert not stack.wait_for_demo(patience=0.0)
    said = "\n".join(told)
    assert "187 s after the start the demo plan does not run yet (retry 2 of 20, first batch)" in said
    assert "by itself" in said
    assert f"{stack.url}nodes/" in said
    assert str(tmp_path / "logs" / "worker.log") in said
    assert "120" not in said


def test_what_does_not_come_up_is_told_with_the_time_since_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = Stack(tmp_path, demo=False)
    monkeypatch.setattr(Supervisord, "lives", lambda _: True)
    stack._began -= 30.0
    with pytest.raises(NotReady, match="web is not ready 30 s after the start"):
        stack._wait("web", lambda: False, 0.0)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("loading the product\n", "loading the product"),
        (
            "Running migrations:\n  Applying web.0001_initial... OK\n  Applying web.0002_more...",
            "making tables: web.0002_more",
        ),
        ("  Applying web.0002_more... OK\nmaking the demos\n", "making the demos"),
        ("\n\n", ""),
    ],
)
def test_the_preparation_of_the_database_says_what_it_does(tmp_path: Path, log: str, words: str) -> None:
    (tmp_path / "database.log").write_text(log)
    assert health.preparing(tmp_path / "database.log") == words
    assert health.preparing(tmp_path / "none.log") == ""


def test_the_log_says_of_the_demo_what_keeps_it_from_running(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of its nodes may be idle already while its plan, on the pages, is still starting."""

    def node(
        observed: str, words: str, progress: int | None = None, desired: str = "running"
    ) -> dict[str, Any]:
        return {"desired": desired, "observed": observed, "words": words, "last_progress": progress}

    idle, starting = node("running", "idle, no input yet"), node("starting", "starting, first batch")
    on, before = node("running", "", 9), node("running", "", 1)
    others = [node("stopped", "", desired="stopped"), node("failed", "")]
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(health, "statuses", lambda *_: found)
    assert health.demo("", "", 0.0) == (0, 0, "")
    found[:] = [idle]
    assert health.demo("", "", 0.0) == (0, 1, "idle, no input yet")
    found[:] = [idle, on, starting, idle, *others]
    assert health.demo("", "", 0.0) == (1, 4, "starting, first batch")
    found[:] = [on, before, *others]
    assert health.demo("", "", 5e-6) == (1, 2, "")
