"""A standalone Spark cluster of one's own: a master, two workers and a Connect server that know nothing of us."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pyspark

from timeline_app.private_files import SPARK_TOKEN
from workers.stack.health import find_free_port, is_port_open

TIMEOUT_S = 120.0
HOST = "127.0.0.1"
HOME = Path(pyspark.__file__).parent


@dataclass
class Cluster:
    """Where it is, and its processes by name."""

    address: str
    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def executors(self) -> list[psutil.Process]:
        """The JVMs that run tasks."""
        items = [psutil.Process(process.pid).children(recursive=True) for process in self.processes.values()]
        return [item for group in items for item in group if _is_executor(item)]

    def start(self, name: str, words: list[str], **variables: str) -> None:
        """Start a process in a folder and with an environment that lead to no code of the project."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        with (folder / "log").open("wb") as sink:
            self.processes[name] = subprocess.Popen(
                words, cwd=folder, env=build_environment() | variables,
                stdin=subprocess.DEVNULL, stdout=sink, stderr=sink,
                start_new_session=True,
            )  # fmt: skip

    def start_worker(self, name: str, master: str) -> None:
        """Start a worker of two cores."""
        place = self.folder / name / "work"
        words = [
            "--host",
            HOST,
            "--cores",
            "2",
            "--memory",
            "1g",
            "--webui-port",
            "0",
            "--work-dir",
            str(place),
        ]
        self.start(name, [*build_java_command("org.apache.spark.deploy.worker.Worker"), *words, master])

    def wait_for(self, port: int, name: str) -> None:
        """Until somebody listens there."""
        self.wait_until(lambda: is_port_open(port), name)

    def wait_until(self, true: Callable[[], object], name: str) -> None:
        """Until it is so; fails with the end of the log of that process."""
        until = time.monotonic() + TIMEOUT_S
        while not true():
            log = (self.folder / name / "log").read_text(errors="replace")[-3000:]
            assert self.processes[name].poll() is None, f"{name} ended:\n{log}"
            assert time.monotonic() < until, f"{name} did not come so far:\n{log}"
            time.sleep(0.2)

    def end(self) -> None:
        """End everything, with all that it started."""
        for process in self.processes.values():
            kill_all(process.pid)
            process.wait()


@contextmanager
def run_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster with two executors that answers at its address, to who has the token in it."""
    master, web, connect = find_free_port(), find_free_port(), find_free_port()
    url, token = f"spark://{HOST}:{master}", secrets.token_hex(16)
    cluster = Cluster(f"sc://{HOST}:{connect}/;token={token}", folder)
    with ExitStack() as last:
        last.callback(cluster.end)
        words = ["--host", HOST, "--port", str(master), "--webui-port", str(web)]
        cluster.start("master", [*build_java_command("org.apache.spark.deploy.master.Master"), *words])
        cluster.wait_for(master, "master")
        for number in (1, 2):
            cluster.start_worker(f"worker{number}", url)
        cluster.start("connect", connect_server(url, connect), **{SPARK_TOKEN: token})
        cluster.wait_for(connect, "connect")
        cluster.wait_until(lambda: len(cluster.executors()) == 2, "connect")
        yield cluster


def build_java_command(name: str) -> list[str]:
    """The command that runs a class of Spark's."""
    return [str(HOME / "bin" / "spark-class"), name]


def connect_server(master: str, port: int) -> list[str]:
    """What whoever runs a cluster starts, with nothing of ours but what docs/cluster.md asks for."""
    settings = {
        "spark.connect.grpc.binding.address": HOST,
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.host": HOST,
        "spark.driver.memory": "1g",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "2",
        "spark.ui.enabled": "false",
        "spark.connect.session.manager.defaultSessionTimeout": "30d",
    }
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    start = [str(HOME / "bin" / "spark-submit"), "--master", master, *words]
    return [*start, "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]


def build_environment() -> dict[str, str]:
    """Java, this Python with its packages, and no way to the project."""
    environment = {
        name: os.environ[name] for name in ("JAVA_HOME", "HOME", "LANG", "TMPDIR") if name in os.environ
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {
        **environment,
        "OMP_NUM_THREADS": "1",
        "PATH": path,
        "SPARK_LOCAL_IP": HOST,
        "PYSPARK_PYTHON": sys.executable,
    }


def kill_all(pid: int) -> None:
    """Kill a process and all that it started, at once."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for item in family:
        try:
            item.send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            continue


def _is_executor(process: psutil.Process) -> bool:
    try:
        return "org.apache.spark.executor.CoarseGrainedExecutorBackend" in process.cmdline()
    except psutil.Error:
        return False
