"""The server makes its files by itself: no process is started for each, which took most of a small batch."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from workers.spark.own import own_server
from workers.spark.server import JARS
from workers.spark.session import session
from workers.warming import first_plan

pytestmark = pytest.mark.spark


def test_no_program_is_asked_for_the_rights_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, told = tmp_path / "programs", tmp_path / "told"
    programs.mkdir()
    chmod = programs / "chmod"
    chmod.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(told))}\nexec /bin/chmod "$@"\n')
    chmod.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    assert list(JARS.glob("*.jar")), "the set-up has not got the jars for Spark"
    with own_server(tmp_path) as address:
        assert first_plan(session(address, str(tmp_path)), tmp_path / "first").awaitTermination(300)
    assert list((tmp_path / "first").rglob("*.parquet"))
    assert not told.exists(), told.read_text()
