"""A process that does nothing any more ends itself; one that was stopped, or has nothing to do, does not."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from workers import watchdog
from workers.stack.layout import ROOT
from workers.watchdog import EXIT_SOFTWARE

pytestmark = pytest.mark.deep
HEAD = """
import threading, time
from workers import watchdog
watchdog.STEP_S = 0.05
asked = []
def ask(): {ask}
watched = watchdog.Watchdog("it", {seconds}, ask)
watched.start()
print("started", flush=True)
"""


def start_process(body: str, ask: str = "pass", seconds: float = 0.5) -> subprocess.Popen[str]:
    code = HEAD.format(ask=ask, seconds=seconds) + body
    child = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout
    assert child.stdout.readline() == "started\n"
    return child


def test_one_that_hangs_ends_and_says_where_it_hung() -> None:
    child = start_process("def waits_for_ever(): threading.Event().wait()\nwaits_for_ever()")
    _, output = child.communicate(timeout=30)
    assert child.returncode == EXIT_SOFTWARE
    assert "it has done nothing for" in output
    assert "in waits_for_ever" in output


def test_one_that_hangs_in_its_own_end_ends() -> None:
    child = start_process("threading.Thread(target=threading.Event().wait).start()")
    child.communicate(timeout=30)
    assert child.returncode == EXIT_SOFTWARE


def test_one_that_does_something_goes_on() -> None:
    child = start_process("for _ in range(30): watched.ping(); time.sleep(0.05)\nprint('done')")
    assert child.communicate(timeout=30)[0] == "done\n"
    assert child.returncode == 0


def test_one_with_nothing_to_do_is_asked_first() -> None:
    child = start_process("time.sleep(2.0)\nprint('done')", ask="watched.ping()")
    assert child.communicate(timeout=30)[0] == "done\n"


def test_one_that_cannot_be_asked_is_not_to_blame() -> None:
    child = start_process("time.sleep(2.0)\nprint('done')", ask="raise OSError('Redis is away')")
    output, warned = child.communicate(timeout=30)
    assert output == "done\n"
    assert "Redis is away" in warned


def test_one_whose_question_hangs_ends() -> None:
    child = start_process("time.sleep(600)", ask="threading.Event().wait()")
    child.communicate(timeout=30)
    assert child.returncode == EXIT_SOFTWARE


def test_while_something_long_is_done_nothing_else_need_be() -> None:
    child = start_process("watched.begin('it'); time.sleep(2.0); watched.end('it')\nprint('done')")
    assert child.communicate(timeout=30)[0] == "done\n"


def test_what_takes_too_long_even_for_that_hangs() -> None:
    child = start_process("watchdog.MAX_WORK_S = 0.5; watched.begin('it'); time.sleep(600)")
    child.communicate(timeout=30)
    assert child.returncode == EXIT_SOFTWARE


def test_one_is_asked_again_for_a_neighbour_may_take_what_was_meant_for_it() -> None:
    child = start_process(
        "time.sleep(2.0)\nprint('done')", ask="asked.append(1); len(asked) > 2 and watched.ping()"
    )
    assert child.communicate(timeout=30)[0] == "done\n"


def test_time_in_which_it_was_stopped_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([1_000.0, 1_000.0 + 3_600.0, 5_000.0, 5_001.5])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    assert [watchdog._sleep_step(), watchdog._sleep_step()] == [2 * watchdog.STEP_S, 1.5]
