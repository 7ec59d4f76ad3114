"""The stack starts, watches, restarts and ends processes; here with small ones in place of the real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workers.stack import health, processes, silence
from workers.stack import stack as of_stack
from workers.stack.health import Demo
from workers.stack.hold import AlreadyRunning
from workers.stack.layout import ROOT, Layout, Program, derive_identity
from workers.stack.processes import MARK, end_all, list_marked
from workers.stack.silence import Silences
from workers.stack.stack import Stack, StackError

pytestmark = pytest.mark.stack

SLEEP = "import time; time.sleep(600)"
# As Spark's Python daemon: a session of its own, deaf to SIGTERM, and a parent that does not care.
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
RUNAWAY = (
    "import subprocess, sys; "
    f"subprocess.Popen([sys.executable, '-c', {DEAF!r}], start_new_session=True); {SLEEP}"
)


def build_small_programs(_: Layout) -> list[Program]:
    def build_program(name: str, group: str, script: str) -> Program:
        return Program(name, group, (sys.executable, "-c", script), 0, 5)

    return [
        build_program("redis", "base", SLEEP),
        build_program("spark", "base", RUNAWAY),
        build_program("web", "app", SLEEP),
    ]


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, messages: list[str]) -> Iterator[Stack]:
    monkeypatch.setattr(Layout, "programs", build_small_programs)
    monkeypatch.setattr(processes, "TERMINATE_TIMEOUT_S", 0.5)
    monkeypatch.setattr(Stack, "_prepare", lambda self, _: wait_until(self._supervisord.answers))
    for question in ("is_redis_up", "is_web_up", "is_port_open"):
        monkeypatch.setattr(health, question, lambda *_: True)
    stack = Stack(tmp_path, demo=False, tell=messages.append)
    yield stack
    stack.stop()
    end_all(derive_identity(tmp_path))


def wait_until(true: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "did not come true"
        time.sleep(0.05)


def test_a_killed_process_comes_back_and_is_told_of(stack: Stack, messages: list[str]) -> None:
    stack.start()
    wait_until(lambda: set(stack.pids()) == {"redis", "spark", "web"})
    stack.tend()
    for name in ("redis", "spark", "web"):
        before = stack.pids()[name]
        stack.kill(name)
        wait_until(lambda name=name, before=before: stack.pids().get(name, before) != before)  # type: ignore[misc]
        stack.tend()
        assert any(f"{name} had ended and was restarted" in line for line in messages)


def test_a_process_that_hangs_is_killed_and_comes_back(
    stack: Stack, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = True
    monkeypatch.setattr(silence, "CHECK_EVERY_S", 0.01)
    stack._silences = Silences({"web": lambda: answers}, longest=0.05)
    stack.start()
    wait_until(lambda: set(stack.pids()) == {"redis", "spark", "web"})
    stack.tend()
    hung = stack.pids()
    answers = False

    def has_come_back() -> bool:
        stack.tend()
        return stack.pids().get("web", hung["web"]) != hung["web"]

    wait_until(has_come_back)
    stack.tend()
    assert any("web has not answered for 0 s: killing it" in line for line in messages)
    assert any("web had ended and was restarted" in line for line in messages)
    assert {name: pid for name, pid in stack.pids().items() if name != "web"} == {
        name: pid for name, pid in hung.items() if name != "web"
    }


def test_of_a_demo_it_is_told_how_much_of_it_runs_and_when_all_does(
    stack: Stack, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    late, some, every = Demo(0, 3, "starting"), Demo(1, 3, "starting"), Demo(3, 3, "running")
    answers = iter([late] * 2 + [some, every, every])
    monkeypatch.setattr(health, "inspect_demo", lambda *_: next(answers))
    monkeypatch.setattr(of_stack, "DEMO_CHECK_EVERY_S", 0.0)
    stack.start()
    assert not stack.wait_for_demo(patience=-1.0)
    for _ in range(4):
        stack.tend()
    lines = [line for line in messages if "demo plan" in line]
    assert ["does not run yet" in line for line in lines] == [True, False]
    assert lines[1].startswith("  ✓  demo plan, 3 nodes run, ")
    answers = iter([some, some, every, every])
    assert stack.wait_for_demo()
    monkeypatch.setattr(of_stack, "DEMO_CHECK_EVERY_S", 600.0)
    stack.tend()  # somebody looked just now
    monkeypatch.setattr(of_stack, "DEMO_CHECK_EVERY_S", 0.0)
    for _ in range(3):
        stack.tend()
    lines = [line.rpartition(", ")[0] for line in messages if "demo plan" in line]
    assert lines[2:] == ["  …  demo plan, 1 of 3 nodes runs", "  ✓  demo plan, 3 nodes run"]


def test_stop_leaves_nothing_not_even_runaways(stack: Stack, messages: list[str]) -> None:
    stack.start()
    wait_until(
        lambda: len(list_marked(stack.layout.identity)) == 5
    )  # supervisord, three programs, the runaway
    stack.stop()
    assert list_marked(stack.layout.identity) == []
    assert any("did not stop by themselves" in line for line in messages)


def test_a_second_stack_is_refused_and_the_first_goes_on(stack: Stack) -> None:
    stack.start()
    second = Stack(stack.layout.data, demo=False)
    with pytest.raises(AlreadyRunning):
        second.start()
    second.stop()
    assert stack.pids()


def kill_supervisord(stack: Stack) -> None:
    pid = stack._supervisord.pid
    assert pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not stack._supervisord.lives())


def test_where_supervisord_is_killed_all_is_started_again(
    stack: Stack, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stack.start()
    before = set(stack.pids().values())
    kill_supervisord(stack)
    stack.tend()
    wait_until(lambda: set(stack.pids()) == {"redis", "spark", "web"})
    assert not before & set(stack.pids().values())
    assert any("supervisord ended by itself" in line and "starting all again" in line for line in messages)
    assert any("that it had watched" in line for line in messages)
    kill_supervisord(stack)
    with pytest.raises(StackError, match="started again a moment ago"):
        stack.tend()
    monkeypatch.setattr(of_stack, "MIN_SUPERVISORD_LIFE_S", 0.0)
    stack.tend()
    wait_until(lambda: set(stack.pids()) == {"redis", "spark", "web"})
    stack.stop()
    assert list_marked(stack.layout.identity) == []


def test_so_it_is_while_the_demo_is_waited_for(
    stack: Stack, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stack.start()
    monkeypatch.setattr(health, "inspect_demo", lambda *_: Demo(0, 3, "starting"))
    kill_supervisord(stack)
    assert not stack.wait_for_demo()
    stack.tend()
    wait_until(lambda: set(stack.pids()) == {"redis", "spark", "web"})
    assert any("starting all again" in line for line in messages)


def test_what_a_killed_run_left_is_ended_by_the_next(stack: Stack, messages: list[str]) -> None:
    environment = {**os.environ, MARK: stack.layout.identity}
    left = subprocess.Popen([sys.executable, "-c", SLEEP], env=environment, start_new_session=True)
    wait_until(lambda: list_marked(stack.layout.identity))
    stack.start()
    left.wait(5)
    assert any("earlier run" in line for line in messages)


def test_stop_from_elsewhere_ends_what_a_killed_run_left(tmp_path: Path) -> None:
    environment = {**os.environ, MARK: derive_identity(tmp_path)}
    left = subprocess.Popen([sys.executable, "-c", SLEEP], env=environment, start_new_session=True)
    wait_until(lambda: list_marked(derive_identity(tmp_path)))
    command = [sys.executable, "-m", "workers.stack", "stop", "--data", str(tmp_path)]
    for message in ("ended 1 processes", "nothing of it is running"):
        assert message in subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert left.wait(5) == -signal.SIGTERM


def test_a_process_that_does_not_stay_up_is_tried_again(
    stack: Stack, messages: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mark = tmp_path / "mended"
    script = (
        f"import pathlib, sys, time; pathlib.Path({str(mark)!r}).exists() or sys.exit(1); time.sleep(600)"
    )
    fragile = Program("web", "app", (sys.executable, "-c", script), 1, 5)
    monkeypatch.setattr(Layout, "programs", lambda _: [*build_small_programs(_)[:2], fragile])
    settings = Layout._program
    monkeypatch.setattr(Layout, "_program", lambda self, each: {**settings(self, each), "startretries": 0})
    stack.start()
    wait_until(lambda: stack._supervisord.processes()["web"]["statename"] == "FATAL")
    stack.tend()
    assert any("web does not stay up" in line for line in messages)
    mark.touch()

    def has_come_back() -> bool:
        stack.tend()
        return "web" in stack.pids()

    wait_until(has_come_back)


def test_a_data_directory_that_supervisord_would_misread_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="in its name"):
        Stack(tmp_path / "100%", demo=False)


def test_a_taken_port_is_refused_by_name(tmp_path: Path) -> None:
    taken = "import socket, time; door = socket.create_server(('127.0.0.1', 0)); "
    taken += "print(door.getsockname()[1], flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", taken], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        port = int(child.stdout.readline())
        with pytest.raises(StackError, match=f"port {port} is taken.*make run ARGS"):
            Stack(tmp_path, demo=False, port=port)
        assert health.find_free_port(port) != port
        child.kill()
