"""What keeps `make run` from starting is said in a sentence, before anything is started."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from workers.stack.layout import ROOT

NOBODY = "127.0.0.1:1"


def run(data: str, *more: str, **settings: str) -> tuple[int, str]:
    """`make run`, until it ends by itself: its exit code, and what it says."""
    command = [sys.executable, "-m", "workers.stack", "run", "--no-demo", "--data", data, *more]
    ours = ("TIMELINE_", "DATABASE_URL", "REDIS_URL", "SPARK_REMOTE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    process = subprocess.run(
        command,
        cwd=ROOT,
        env={**environment, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return process.returncode, process.stdout + process.stderr


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("TIMELINE_BUCKETS", "0", "must be a whole number from 1 to 1,000"),
        ("TIMELINE_BUCKETS", "1000000000000", "must be a whole number from 1 to 1,000"),
        ("TIMELINE_TRIGGER_INTERVAL", "36500d", "must be a day at most"),
        ("SPARK_REMOTE", "localhost:15002", "must look like sc://host:port"),
        ("REDIS_URL", f"redis://user:hidden@{NOBODY}/0", "no answer"),
        ("DATABASE_URL", f"postgres://user:hidden@{NOBODY}/name", "leave DATABASE_URL out"),
        ("DATABASE_URL", "sqlite:////proc", "unable to open database file"),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: str, words: str, tmp_path: Path) -> None:
    code, output = run(str(tmp_path / "data"), **{name: value})
    assert code == 1
    assert f"Cannot start. {name}=" in output
    assert words in output
    assert "Traceback" not in output
    assert "hidden" not in output
    assert not (tmp_path / "data" / "stack").exists()


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "address"), [("REDIS_URL", "redis://{}/0"), ("DATABASE_URL", "postgres://user:hidden@{}/name")]
)
def test_who_takes_connections_and_never_answers_is_not_waited_for_long(
    name: str, address: str, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        code, output = run(
            str(tmp_path / "data"), **{name: address.format(f"127.0.0.1:{silent.getsockname()[1]}")}
        )
    assert code == 1
    assert f"Cannot start. {name}=" in output
    assert "hidden" not in output


@pytest.mark.parametrize("data", ["", "  "])
def test_no_data_directory_is_not_the_one_that_one_is_in(data: str) -> None:
    code, output = run(data)
    assert code == 2
    assert "the data directory (TIMELINE_DATA) is empty" in output


def test_a_data_directory_that_can_be_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for rejected in ("file", "file/below"):
        code, output = run(str(tmp_path / rejected))
        assert code == 1
        assert "Cannot start. TIMELINE_DATA=" in output
        assert "Traceback" not in output


@pytest.mark.parametrize("port", ["0", "-5", "99999", "http"])
def test_a_port_that_is_none_is_told(port: str, tmp_path: Path) -> None:
    code, output = run(str(tmp_path), f"--port={port}")
    assert code == 2
    assert f"{port!r} is no port: give a number from 1 to 65535" in output
