"""A process that does nothing any more ends itself; one that was stopped, or has nothing to do, does not."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from workers.pulse import ENDED
from workers.stack.layout import ROOT

HEAD = """
import threading, time
from workers import pulse
pulse.STEP = 0.05
def ask(): {ask}
watched = pulse.Pulse("it", {seconds}, ask)
watched.start()
print("started", flush=True)
"""


def process(body: str, ask: str = "pass", seconds: float = 0.5) -> subprocess.Popen[str]:
    code = HEAD.format(ask=ask, seconds=seconds) + body
    child = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout
    assert child.stdout.readline() == "started\n"
    return child


def test_one_that_hangs_ends_and_says_where_it_hung() -> None:
    child = process("def waits_for_ever(): threading.Event().wait()\nwaits_for_ever()")
    _, said = child.communicate(timeout=30)
    assert child.returncode == ENDED
    assert "it has done nothing for" in said
    assert "in waits_for_ever" in said


def test_one_that_hangs_in_its_own_end_ends() -> None:
    child = process("threading.Thread(target=threading.Event().wait).start()")
    child.communicate(timeout=30)
    assert child.returncode == ENDED


def test_one_that_does_something_goes_on() -> None:
    child = process("for _ in range(30): watched.beat(); time.sleep(0.05)\nprint('done')")
    assert child.communicate(timeout=30)[0] == "done\n"
    assert child.returncode == 0


def test_one_with_nothing_to_do_is_asked_first() -> None:
    child = process("time.sleep(2.0)\nprint('done')", ask="watched.beat()")
    assert child.communicate(timeout=30)[0] == "done\n"


def test_one_that_cannot_be_asked_is_not_to_blame() -> None:
    child = process("time.sleep(2.0)\nprint('done')", ask="raise OSError('Redis is away')")
    said, warned = child.communicate(timeout=30)
    assert said == "done\n"
    assert "Redis is away" in warned


def test_one_whose_question_hangs_ends() -> None:
    child = process("time.sleep(600)", ask="threading.Event().wait()")
    child.communicate(timeout=30)
    assert child.returncode == ENDED


def test_one_that_was_stopped_goes_on_where_it_was() -> None:
    body = "for _ in range(20): watched.beat(); time.sleep(0.05)\nprint('done')"
    child = process(body)
    child.send_signal(signal.SIGSTOP)
    time.sleep(2.0)
    child.send_signal(signal.SIGCONT)
    assert child.communicate(timeout=30)[0] == "done\n"
