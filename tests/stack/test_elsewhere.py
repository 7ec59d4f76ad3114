"""Who asks to stop what is not there is told where something runs, and what stops it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from workers.stack import Stack, health
from workers.stack import __main__ as command
from workers.stack import stack as of_stack
from workers.stack.__main__ import greet, stop
from workers.stack.control import Supervisord
from workers.stack.elsewhere import describe_elsewhere, find_running, stop_command
from workers.stack.layout import ROOT, derive_identity
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
    here, other_data = tmp_path / "here", tmp_path / "there"
    environment = {**os.environ, MARK: derive_identity(other_data), "TIMELINE_DATA": str(other_data)}
    command = [sys.executable, "-c", READY]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            assert other_data in find_running()
            assert describe_elsewhere(other_data) == [
                item for item in describe_elsewhere(other_data) if str(other_data) not in item
            ]
            assert stop(here) == 0
        finally:
            process.kill()
    output = capsys.readouterr().out
    assert f"nothing of it is running with the data in {here}" in output
    assert f"it runs with the data in {other_data}: {stop_command(other_data)}" in output
    assert other_data not in find_running()


def test_the_banner_says_what_stops_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    greet(Stack(tmp_path, demo=False), 1.0)
    assert f'make stop ARGS="--data {tmp_path}"' in capsys.readouterr().out


def test_a_demo_that_is_slow_is_told_with_one_number_and_where_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    stack = Stack(tmp_path, demo=True, tell=names.append)
    monkeypatch.setattr(Supervisord, "lives", lambda _: True)
    monkeypatch.setattr(health, "inspect_demo", lambda *_: health.Demo(0, 7, "retry 2 of 20, first batch"))
    stack._began -= 187.0
    assert not stack.wait_for_demo(patience=0.0)
    output = "\n".join(names)
    assert "187 s after the start the demo plan does not run yet (retry 2 of 20, first batch)" in output
    assert "by itself" in output
    assert f"{stack.url}nodes/" in output
    assert str(tmp_path / "logs" / "worker.log") in output
    assert "120" not in output


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
    assert health.describe_preparation(tmp_path / "database.log") == words
    assert health.describe_preparation(tmp_path / "none.log") == ""


def test_the_log_says_of_the_demo_what_keeps_it_from_running(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of its nodes may be idle already while its plan, on the pages, is still starting."""

    def build_node(
        observed: str, words: str, progress: int | None = None, desired: str = "running"
    ) -> dict[str, Any]:
        return {"desired": desired, "observed": observed, "words": words, "last_progress": progress}

    idle, starting = (
        build_node("running", "idle, no input yet"),
        build_node("starting", "starting, first batch"),
    )
    on, before = build_node("running", "", 9), build_node("running", "", 1)
    others = [build_node("stopped", "", desired="stopped"), build_node("failed", "")]
    documents: list[dict[str, Any]] = []
    monkeypatch.setattr(health, "load_statuses", lambda *_: documents)
    assert health.inspect_demo("", "", 0.0) == (0, 0, "")
    documents[:] = [idle]
    assert health.inspect_demo("", "", 0.0) == (0, 1, "idle, no input yet")
    documents[:] = [idle, on, starting, idle, *others]
    assert health.inspect_demo("", "", 0.0) == (1, 4, "starting, first batch")
    documents[:] = [on, before, *others]
    assert health.inspect_demo("", "", 5e-6) == (1, 2, "")


def test_words_of_what_is_waited_for_are_never_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    stack = Stack(tmp_path, demo=True, tell=names.append)
    monkeypatch.setattr(Supervisord, "lives", lambda _: True)
    monkeypatch.setattr(of_stack, "REPORT_EVERY_S", 0.0)
    looks, words = iter([False, True]), f"Log in as demo; the password is in {tmp_path}/demo-login."
    stack._wait("database", lambda: next(looks), 60.0, lambda: words)
    assert words in names[0]


def test_what_the_demo_waits_for_is_said_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    stack = Stack(tmp_path, demo=True, tell=names.append)
    monkeypatch.setattr(health, "inspect_demo", lambda *_: health.Demo(0, 7, "retry 2 of 20, first batch"))
    monkeypatch.setattr(of_stack, "DEMO_CHECK_EVERY_S", 0.0)
    stack._demo_is_late = True
    stack._tell_when_all_of_the_demo_runs()
    assert names == [], "somebody said it just now"
    stack._demo_said -= of_stack.DEMO_REPORT_EVERY_S
    for _ in range(3):
        stack._tell_when_all_of_the_demo_runs()
    assert len(names) == 1
    assert "0 of 7 nodes run" in names[0]
    assert "retry 2 of 20, first batch" in names[0]


def test_a_kill_is_told_once_and_what_starts_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, killed = list[str](), list[int]()
    stack = Stack(tmp_path, demo=False, tell=answer.append)
    monkeypatch.setattr(stack, "pids", lambda: {"web": 7})
    monkeypatch.setattr(os, "kill", lambda pid, _: killed.append(pid))
    monkeypatch.setattr(stack._silences, "hung", lambda _: {"web": 91.0})
    for _ in range(3):
        stack._end_what_hangs({"web": 7})
    assert (len(answer), killed) == (1, [7])
    monkeypatch.setattr(stack._silences, "hung", lambda _: {})
    monkeypatch.setattr(stack._silences, "starting", lambda _: {"web": 30.0})
    stack._end_what_hangs({"web": 8})
    assert ["still starting, 30 s" in line for line in answer] == [False, True]


def test_who_stops_it_is_told_what_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Held:
        looks = 0

        def is_free(self) -> bool:
            self.looks += 1
            return self.looks > 2

    monkeypatch.setattr(command, "REPORT_EVERY_S", 0.0)
    monkeypatch.setattr(command, "list_marked", lambda _: [psutil.Process()])
    command.wait_until_free(Held(), "nobody's")  # type: ignore[arg-type]
    assert f"waits for the end of {psutil.Process().name()}" in capsys.readouterr().out
