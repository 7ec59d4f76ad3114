"""One stack for a data directory; a holder that died holds nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workers.stack.hold import AlreadyRunning, Hold
from workers.stack.layout import ROOT

HOLDER = """
import sys, time; from pathlib import Path; from workers.stack.hold import Hold
Hold_ = Hold(Path(sys.argv[1])); Hold_.take("http://there/"); print("held", flush=True); time.sleep(60)
"""


def test_a_second_one_is_refused_and_told_where_the_first_is(tmp_path: Path) -> None:
    first = Hold(tmp_path)
    first.take("http://here/")
    with pytest.raises(AlreadyRunning, match=f"http://here/.*{os.getpid()}"):
        Hold(tmp_path).take("http://elsewhere/")
    assert not Hold(tmp_path).is_free()
    first.give()
    assert Hold(tmp_path).is_free()
    Hold(tmp_path).take("http://elsewhere/")


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        assert child.stdout.readline() == "held\n"
        holder = Hold(tmp_path).holder()
        assert holder
        assert (holder.pid, holder.url) == (child.pid, "http://there/")
        assert not Hold(tmp_path).is_free()
        child.kill()
    assert Hold(tmp_path).is_free()
    assert Hold(tmp_path).holder() is None


def test_a_later_process_with_the_same_number_is_not_the_holder(tmp_path: Path) -> None:
    (tmp_path / "holder.json").write_text(json.dumps({"pid": os.getpid(), "started": 1.0, "url": "x"}))
    assert Hold(tmp_path).holder() is None
