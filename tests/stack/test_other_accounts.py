"""What another account of the machine finds of a product that runs: nothing opens, and no mode says that it could."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from workers.stack import Stack, health
from workers.stack.layout import ROOT
from workers.stack.processes import list_marked

pytestmark = pytest.mark.stack
NOBODY = 65534
PATIENCE_S = 900.0
OURS = ("spark", "redis", "supervisord", "file ", "folder ", "environment ", "socket ")
"""Doors that open for our own user: what is tried is the right thing."""


@pytest.fixture(scope="module")
def product() -> Iterator[Stack]:
    """The demo, in a data directory that was there before, as open as earlier versions left it."""
    if os.geteuid():
        pytest.fail("only root can become another account: run this test as root, in a container for example")
    with tempfile.TemporaryDirectory(prefix="timelines-accounts-") as folder:
        data = Path(folder) / "data"
        (data / "landing").mkdir(parents=True)
        for path in (Path(folder), data, data / "landing"):
            path.chmod(0o755)
        with Stack(data, demo=True, port=health.find_free_port()) as running:
            assert running.wait_for_demo(PATIENCE_S)
            yield running


def list_processes(stack: Stack) -> list[psutil.Process]:
    """All of the product."""
    return list_marked(stack.layout.identity)


def list_connections(process: psutil.Process, kind: str) -> list[Any]:
    """Its connections; none of a process that has ended meanwhile, as Spark's workers do."""
    try:
        return list(process.net_connections(kind))
    except psutil.NoSuchProcess:
        return []


def list_ports(process: psutil.Process) -> set[int]:
    """On which it listens; all of this machine only."""
    connections = [item for item in list_connections(process, "tcp") if item.status == psutil.CONN_LISTEN]
    assert {item.laddr.ip for item in connections} <= {"127.0.0.1", "::ffff:127.0.0.1"}, process.cmdline()
    return {item.laddr.port for item in connections}


def try_doors(stack: Stack, uid: int) -> dict[str, Any]:
    """What opens for that user, door by door."""
    layout, running = stack.layout, list_processes(stack)
    listening = [str(item.laddr) for process in running for item in list_connections(process, "unix")]
    java = [process for process in running if process.name() == "java"]
    doors = {
        "data": str(layout.data),
        "supervisord": str(layout.socket),
        "redis": str(layout.redis_socket),
        "spark": f"sc://127.0.0.1:{layout.spark_port}",
        "rpc": [port for process in java for port in list_ports(process) - {layout.spark_port}],
        "pids": [process.pid for process in running],
        "sockets": sorted({path for path in listening if path.startswith("/") and Path(path).exists()}),
        "secrets": [
            layout.spark_token_file.read_text(),
            (layout.data / "secret-key").read_text(),
            health.read_login(layout.data)["password"],
        ],
    }
    assert len(doors["rpc"]) == 2
    done = subprocess.run(
        [sys.executable, "-m", "tests.stack.other_account", str(uid)],
        cwd=ROOT, input=json.dumps(doors), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_no_door_opens_for_another_account(product: Stack) -> None:
    ours = try_doors(product, os.geteuid())
    closed = {name: door["said"] for name, door in ours.items() if name.startswith(OURS) and not door["open"]}
    assert not {
        name: output for name, output in closed.items() if "No such" not in output
    }  # some have ended meanwhile
    theirs = try_doors(product, NOBODY)
    assert int(theirs["a secret on a command line"]["said"].split()[0]) >= 10
    assert not {name: door["said"] for name, door in theirs.items() if door["open"]}
    assert "UNAUTHENTICATED" in theirs["spark"]["said"]
    assert "uid 0" in ours["spark"]["said"]
    assert {door["said"].partition(":")[0] for name, door in theirs.items() if name.startswith("rpc")} == {
        "PermissionError"
    }


def test_no_path_of_the_data_directory_has_permissions_for_others(product: Stack) -> None:
    paths = [product.layout.data, *product.layout.data.rglob("*")]
    modes = {path: path.lstat().st_mode & 0o777 for path in paths if not path.is_symlink() and path.exists()}
    assert {path: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
    assert len(modes) > 100


def test_every_process_makes_files_for_its_own_user(product: Stack) -> None:
    def read_umask(process: psutil.Process) -> str:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        return next(line.split()[1] for line in lines if line.startswith("Umask:"))

    result = {process.pid: (read_umask(process), process.cmdline()) for process in list_processes(product)}
    assert len(result) >= 10
    assert {pid: value for pid, value in result.items() if value[0] != "0077"} == {}


def test_only_the_web_and_spark_listen_on_ports(product: Stack) -> None:
    ports = {process: list_ports(process) for process in list_processes(product)}
    listening = {process.name(): port for process, port in ports.items() if port}
    web = {name: value for name, value in listening.items() if product.layout.web_port in value}
    assert list(web.values()) == [{product.layout.web_port}]
    spark = {name: value for name, value in listening.items() if name not in web}
    assert list(spark) == ["java"]
    assert product.layout.spark_port in spark["java"]
    assert (
        len(spark["java"]) == 3
    )  # Connect, which asks for the token; the driver's two, which ask for its secret
