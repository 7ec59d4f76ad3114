"""The server starts no process that it can do without: that took most of a small batch, and of a query's start."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from workers.engine.warming import start_first_plan
from workers.spark.connect.embedded_server import start_embedded_server
from workers.spark.connect.server import JARS
from workers.spark.connect.session import get_session

pytestmark = pytest.mark.spark
PATH = "PATH"


def _read_command_line(process: psutil.Process) -> list[str]:
    """How it was started; nothing of one that has just ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@dataclass(frozen=True)
class ProcessServer:
    """A server of these tests alone, and the file that tells what the program `chmod` was asked for."""

    spark: Any
    told: Path

    def _is_server(self, process: psutil.Process) -> bool:
        try:
            return "java" in process.name() and str(self.told.parent) in process.environ()[PATH].split(
                os.pathsep
            )
        except psutil.Error:
            return False

    def processes(self) -> list[str]:
        """What its Python processes are forked from, by the work that they are there for."""
        (own,) = filter(self._is_server, psutil.Process().children(recursive=True))
        return sorted(words[-1] for words in map(_read_command_line, own.children()) if words)


@pytest.fixture(scope="module")
def process_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessServer]:
    programs = tmp_path_factory.mktemp("programs")
    answer, chmod = programs / "told", programs / "chmod"
    chmod.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(answer))}\nexec /bin/chmod "$@"\n')
    chmod.chmod(0o755)
    data = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PATH, f"{programs}{os.pathsep}{os.environ[PATH]}")
        with start_embedded_server(data) as address:
            yield ProcessServer(get_session(address, str(data)), answer)


def test_no_program_is_asked_for_the_rights_of_a_file(process_server: ProcessServer, tmp_path: Path) -> None:
    assert list(JARS.glob("*.jar")), "the set-up has not got the jars for Spark"
    assert start_first_plan(process_server.spark, tmp_path).awaitTermination(300)
    assert list(tmp_path.rglob("*.parquet"))
    assert not process_server.told.exists(), process_server.told.read_text()


def test_queries_share_the_processes_that_plan_and_work_for_them(
    process_server: ProcessServer, tmp_path: Path
) -> None:
    for number in range(3):
        assert start_first_plan(process_server.spark, tmp_path / str(number)).awaitTermination(300)
    names = process_server.processes()
    assert names.count("pyspark.worker") == 1
    assert names.count("pyspark.sql.worker.plan_data_source_read") == 1
    assert len(names) == len(set(names))
