"""Whether a process has ended is said only where that is known."""

from __future__ import annotations

import os
import subprocess
import sys
from unittest.mock import Mock

import pytest

from timeline_app.web.core import processes


@pytest.mark.parametrize("told", ["", "dead", "elsewhere-1:1:1", ":1:1"])
def test_of_a_process_elsewhere_or_unknown_it_is_not_known_that_it_ended(told: str) -> None:
    assert not processes.has_ended(told)


def test_a_process_of_somebody_else_lives_though_nothing_is_to_be_seen_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where /proc hides the processes of others."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        mark = processes.mark_of(other.pid)
        monkeypatch.setattr(os, "kill", Mock(side_effect=PermissionError))
        assert not processes.has_ended(mark)
        monkeypatch.undo()
        monkeypatch.setattr(processes, "mark_of", lambda _: "")
        assert not processes.has_ended(mark)
        monkeypatch.undo()
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        assert processes.has_ended(mark), "its parent was not told yet"
    assert processes.has_ended(mark)


def test_another_process_of_the_same_number_is_not_the_holder() -> None:
    where, number, started = processes.mark_of(os.getpid()).split(":")
    assert processes.has_ended(f"{where}:{number}:{int(started) - 1}")
