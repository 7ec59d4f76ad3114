"""The server starts no process that it can do without: that took most of a small batch, and of a query's start."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import psutil
import pytest

from workers.spark.own import own_server
from workers.spark.server import JARS
from workers.spark.session import session
from workers.warming import first_plan

pytestmark = pytest.mark.spark


def daemons() -> list[str]:
    """What Python processes of the servers of these tests are forked from, by the work that they are there for."""
    servers = [one for one in psutil.Process().children(recursive=True) if "java" in one.name()]
    return sorted(one.cmdline()[-1] for server in servers for one in server.children() if one.cmdline())


def test_queries_share_the_processes_that_plan_and_work_for_them(spark: Any, tmp_path: Path) -> None:
    for number in range(3):
        assert first_plan(spark, tmp_path / str(number)).awaitTermination(300)
    planning = [one for one in daemons() if one.startswith("pyspark.sql.worker.")]
    assert len(planning) == len(set(planning)) > 1
    assert daemons().count("pyspark.worker") == 1


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
