"""Who watches the processes goes on when the disk is full."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from workers.stack.layout import ROOT

FULL = Path("/dev/full")
CONFIGURATION = """
[supervisord]
nodaemon = true
silent = true
loglevel = debug
logfile = /dev/full
logfile_maxbytes = 0
pidfile = {folder}/pid

[program:touch]
command = touch {folder}/there
startsecs = 0
"""


@pytest.mark.deep
def test_it_starts_and_watches_though_nothing_can_be_written(tmp_path: Path) -> None:
    configuration = tmp_path / "supervisord.conf"
    configuration.write_text(CONFIGURATION.format(folder=tmp_path))
    command = [sys.executable, "-m", "workers.stack.watcher", "-n", "-c", str(configuration)]
    with FULL.open("wb") as full, subprocess.Popen(command, cwd=ROOT, stdout=full, stderr=full) as watcher:
        try:
            until = time.monotonic() + 20
            while not (tmp_path / "there").exists():
                assert watcher.poll() is None, "it ended"
                assert time.monotonic() < until
                time.sleep(0.05)
            time.sleep(0.5)
            assert watcher.poll() is None, "it ended after it had started a process"
        finally:
            watcher.terminate()
