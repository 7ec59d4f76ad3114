"""`python -m workers.spark.connect.server` becomes a Spark Connect server, on the port of SPARK_REMOTE.

The JVM replaces this process, so that a supervisor watches the JVM itself. The environment's `python3` must come
first on PATH: the runner of streaming state starts Python workers by name.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pyspark

from timeline_app.fs.paths import Address, Place, assign_server, place
from timeline_app.private_files import SPARK_TOKEN, parse_umask, set_umask
from workers.spark.connect.cluster import OWN, build_settings

ROOT = Path(__file__).resolve().parents[3]
END_WITH_PARENT = "SPARK_END_WITH_PARENT"
"""In the environment of an unsupervised server: it ends when the process that started it is killed."""
CLASSES = Path(sys.prefix) / "share" / "timelines" / "spark-classes.jsa"
"""The class archive (see `workers.class_archive`); without it a start takes twice as long."""
JARS = Path(sys.prefix) / "share" / "timelines" / "jars"
"""The jars beside PySpark's own (see `jars`); without them each file costs a `chmod`."""
S3A_JARS = JARS.with_name("s3a")
"""The further jars for data in an S3 bucket: S3A, and the parts of AWS's SDK that it needs."""
S3A_WANTED = Path(__file__).parents[1] / "jars" / "s3a" / "ivy.xml"
CLASSES_TO = "SPARK_CLASSES_TO"
"""In the environment of a server that writes its class archive when it ends: the path."""
JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC -Xmn512m"
MIN_TOKEN_CHARS = 16
"""`variables.token` demands the same of our other processes."""
NICE = 5
"""Spark yields to other processes under load, so that results are published and shown before it goes on."""
_FILES = "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem"
_PR_SET_PDEATHSIG = 1


class NoJars(RuntimeError):
    """A package that an address needs is not installed; the message says what to do."""


def build_configuration(host: str, port: int, local: Path, data: Place) -> dict[str, str]:
    """Return Spark's settings for the embedded server; docs/engine.md explains each."""
    return {
        **build_settings(data),
        **_build_hadoop_settings(data),
        OWN: "true",
        "spark.connect.grpc.binding.address": host,
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.authenticate": "true",
        "spark.network.crypto.enabled": "true",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.shuffle.compress": "false",
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
        "spark.sql.warehouse.dir": str(local / "warehouse"),
        "spark.scheduler.mode": "FIFO",
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.daemon.module": "workers.spark.connect.daemon",
        "spark.connect.session.manager.defaultSessionTimeout": "30d",
        "spark.local.dir": str(local / "spark"),
    }  # fmt: skip


def _build_hadoop_settings(data: Place) -> dict[str, str]:
    """Return Hadoop's settings for the kind of data directory; its own defaults are removed (see `jars`)."""
    if not isinstance(data, Address):
        return {"spark.hadoop.fs.permissions.umask-mode": f"{parse_umask(os.environ):03o}"}
    if data.scheme == "hdfs":
        return {"spark.hadoop.fs.AbstractFileSystem.hdfs.impl": "org.apache.hadoop.fs.Hdfs"}
    names = ("AWS_REGION", "AWS_DEFAULT_REGION")
    region = next((os.environ[name] for name in names if os.environ.get(name)), "")
    endpoint = {"endpoint": data.server, "path.style.access": "true"} if data.server else {}
    s3a_settings = {
        **endpoint,
        **({"endpoint.region": region} if region else {}),
        "impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        "aws.credentials.provider": "software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider",
    }
    return {
        **{f"spark.hadoop.fs.s3a.{name}": value for name, value in s3a_settings.items()},
        "spark.hadoop.fs.AbstractFileSystem.s3a.impl": "org.apache.hadoop.fs.s3a.S3A",
    }


def build_command(host: str, port: int, local: Path, data: Place) -> list[str]:
    """Return the server's command line."""
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    settings = [
        word
        for name, value in build_configuration(host, port, local, data).items()
        for word in ("--conf", f"{name}={value}")
    ]
    log = f"-Dlog4j2.configurationFile=file:{Path(__file__).parents[1] / 'log4j2.properties'}"
    java = f"--driver-java-options={JAVA} {_format_class_option()} {log}"
    server = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--name", "timelines"]
    return [
        str(submit),
        "--master",
        "local[*]",
        *_list_jar_options(),
        *_list_s3a_options(data),
        java,
        *settings,
        *server,
        "spark-internal",
    ]


def _list_jar_options() -> list[str]:
    jars = sorted(map(str, JARS.glob("*.jar")))
    return (
        ["--driver-class-path", ":".join(jars), "--conf", f"spark.hadoop.fs.file.impl={_FILES}"]
        if jars
        else []
    )


def _list_s3a_options(data: Place) -> list[str]:
    """Return the options for S3A, after all others so that the class archive stays valid."""
    if not isinstance(data, Address) or data.scheme != "s3a":
        return []
    jars = sorted(map(str, S3A_JARS.glob("*.jar")))
    if not jars:
        hint = f"{sys.executable} -m workers.spark.connect.jars {S3A_WANTED} {S3A_JARS}"
        raise NoJars(f"for {data} Spark needs the jars of S3A, and they are not there; get them: {hint}")
    return ["--jars", ",".join(jars)]


def _format_class_option() -> str:
    if to := os.environ.get(CLASSES_TO):
        return f"-XX:ArchiveClassesAtExit={to}"
    quiet = "-Xlog:cds=off -Xlog:cds+dynamic=off"  # an archive of another Java is ignored silently
    return f"-XX:SharedArchiveFile={CLASSES} {quiet}" if CLASSES.is_file() else ""


def build_environment() -> dict[str, str]:
    """Return the environment of the server and of the Python workers that it forks."""
    home = Path(sys.executable).parent
    path = f"{home}{os.pathsep}{os.environ.get('PATH', '')}"
    imports = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    local = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    inherited = {
        name: value for name, value in os.environ.items() if name != "SPARK_REMOTE"
    }  # that setting is for clients
    return {**inherited, **threads, **local, "PATH": path, "PYTHONPATH": imports}


def end_with_parent() -> None:
    """Ask the kernel for a SIGKILL when the parent ends (prctl(2), Linux). It outlives the `exec`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def make_room(scratch: Path) -> None:
    """Empty the server's folder: a killed server leaves its working copies of all states behind."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True, exist_ok=True)


def get_places() -> tuple[Path, Place]:
    """Return the server's local directory and the data directory, from the environment."""
    environment = os.environ
    endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL", "")
    data = assign_server(
        place(environment.get("TIMELINE_DATA", str(ROOT / "var"))),
        environment.get("TIMELINE_WEBHDFS", ""),
        endpoint,
    )
    usual = data if isinstance(data, Path) else ROOT / "var"
    return Path(environment.get("TIMELINE_LOCAL") or usual).resolve(), data


def main() -> None:
    """Become the server. Refuse without a token: whoever reaches its port runs code as our user."""
    set_umask()
    if len(os.environ.get(SPARK_TOKEN, "")) < MIN_TOKEN_CHARS:
        hint = f"set it here and for the workers to {MIN_TOKEN_CHARS} random characters or more (openssl rand -hex 24)"
        raise SystemExit(f"Cannot start. {SPARK_TOKEN} is missing or too short: {hint}.")
    if os.environ.get(END_WITH_PARENT):
        end_with_parent()
    remote = urlsplit(os.environ.get("SPARK_REMOTE", "sc://127.0.0.1:15002"))
    local, data = get_places()
    make_room(local / "spark")
    os.chdir(local)
    os.nice(NICE)
    line = build_command(remote.hostname or "127.0.0.1", remote.port or 15002, local, data)
    os.execve(line[0], line, build_environment())  # noqa: S606  # the line is ours, and this process becomes it  # nosec B606


if __name__ == "__main__":
    main()
