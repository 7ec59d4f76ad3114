"""Shared storage of one's own: a real HDFS, and a real S3 server, from Maven's jars, on ports of this machine only."""

from __future__ import annotations

import os
import re
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

import bootstrap
from timeline_app.fs.paths import Address, assign_server, place
from workers.spark.connect.server import end_with_parent

TIMEOUT_S = 90.0
HEAP = "-Xmx256m"
KEY, SECRET, BUCKET = "timelines", "a-secret-of-the-tests", "timelines"
MANAGER = "org.apache.hadoop.test.MiniDFSClusterManager"


class NoStore(RuntimeError):
    """The server does not start: says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Served:
    """A shared storage that runs: the address of a folder in it, and the variables that lead there."""

    address: str
    environment: dict[str, str]

    @property
    def place(self) -> Address:
        """The same as the product knows it."""
        endpoint = self.environment.get("AWS_ENDPOINT_URL", "")
        address = assign_server(place(self.address), self.environment.get("TIMELINE_WEBHDFS", ""), endpoint)
        assert isinstance(address, Address)
        return address


@contextmanager
def run_hdfs(folder: Path) -> Iterator[Served]:
    """A NameNode and a DataNode in one process."""
    jars = [*_list_jars("hdfs"), Path(pyspark.__file__).parent / "jars" / "*"]
    answer = folder / "core-site.xml"
    options = ["-D", "dfs.replication=1", "-D", "dfs.namenode.edits.noeditlogchannelflush=true"]
    ports = ["-httpport", "0", "-nnport", "0", "-datanodes", "1", "-format", "-writeConfig", str(answer)]
    with _run_java(folder, jars, [MANAGER, *ports, *options], lambda _: _find_configured(answer)):
        result = {item.findtext("name"): item.findtext("value") for item in ET.parse(answer).getroot()}
        web = f"http://{result['dfs.namenode.http-address']}"
        yield Served(f"{result['fs.defaultFS']}/timelines", {"TIMELINE_WEBHDFS": web})


def _find_configured(file: Path) -> str | None:
    return "yes" if file.exists() and file.read_text().rstrip().endswith("</configuration>") else None


@contextmanager
def run_s3(folder: Path) -> Iterator[Served]:
    """S3Proxy, which keeps objects as files."""
    (folder / "objects" / BUCKET).mkdir(parents=True)
    (folder / "logback.xml").write_text(
        '<configuration><appender name="out" class="ch.qos.logback.core.ConsoleAppender"><encoder>'
        "<pattern>%msg%n</pattern></encoder></appender>"
        '<root level="INFO"><appender-ref ref="out"/></root></configuration>'
    )
    settings = {
        "s3proxy.endpoint": "http://127.0.0.1:0",
        "s3proxy.authorization": "aws-v2-or-v4",
        "s3proxy.identity": KEY,
        "s3proxy.credential": SECRET,
        "jclouds.provider": "filesystem-nio2",
        "jclouds.filesystem.basedir": str(folder / "objects"),
    }
    (folder / "s3.conf").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    quiet = f"-Dlogback.configurationFile={folder / 'logback.xml'}"
    start = [quiet, "org.gaul.s3proxy.Main", "--properties", str(folder / "s3.conf")]
    with _run_java(folder, _list_jars("s3"), start, _find_listener) as where:
        yield Served(
            f"s3a://{BUCKET}/tests",
            {
                "AWS_ENDPOINT_URL": f"http://{where}",
                "AWS_ACCESS_KEY_ID": KEY,
                "AWS_SECRET_ACCESS_KEY": SECRET,
                "AWS_REGION": "us-east-1",
                "AWS_DEFAULT_REGION": "us-east-1",
            },
        )


def _find_listener(log: str) -> str | None:
    result = re.search(r"\{(127\.0\.0\.1:[1-9][0-9]*)\}", log)
    return result and result[1]


KINDS = {"hdfs": run_hdfs, "s3": run_s3}


def _list_jars(kind: str) -> list[Path]:
    if not (jars := bootstrap.store_jars(kind)):
        raise NoStore(f"the jars of the tests' {kind} server are not there; hint: make setup-tests")
    return jars


@contextmanager
def _run_java(
    folder: Path, jars: list[Path], start: list[str], ready: Callable[[str], str | None]
) -> Iterator[str]:
    """A Java process that ends with this one; gives what `ready` found in its log, once it does."""
    java = [bootstrap.java_command(), HEAP, "-cp", os.pathsep.join(map(str, jars)), *start]
    log = folder / "server.log"
    with log.open("wb") as sink:
        server = subprocess.Popen(
            java,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            preexec_fn=end_with_parent,  # noqa: PLW1509
        )
        try:
            until = time.monotonic() + TIMEOUT_S
            while (result := ready(log.read_text(errors="replace"))) is None:
                if server.poll() is not None or time.monotonic() > until:
                    raise NoStore(f"it did not start:\n{log.read_text(errors='replace')[-3000:]}")
                time.sleep(0.1)
            yield result
        finally:
            server.kill()
            server.wait()
