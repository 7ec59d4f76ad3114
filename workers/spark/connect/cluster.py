"""Prepares an external Spark: its session gets our settings and code, and its machines are checked before use.

The code travels as archives that Spark unpacks side by side where tasks run, in a folder on Python's path. No machine
of the cluster has the project installed. The version of the code is part of the session's name.
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

from timeline_app.fs import durable
from timeline_app.fs.paths import Address, Place, format_url
from timeline_app.operators import own
from workers.spark.connect.executor_probe import probe
from workers.spark.progress import RETAINED_REPORTS

ROOT = Path(__file__).resolve().parents[3]
OWN = "spark.timelines.own"
"""A setting of servers that the product starts: code and settings are already there."""
ISOLATION = "spark.sql.artifact.isolation.enabled"
"""A setting of Connect sessions that gives each query its own planning process, for ever.

Sessions that receive no code, as at the embedded server, share one planning process.
"""
EQUIPPED_WITH = "spark.timelines.fit"
"""A setting of a session that was equipped and checked: the version of its code."""
SHIPPED_PACKAGES = {
    "timeline_app": (
        "algebra",
        "times",
        "problems",
        "predicates",
        "operators",
        "events",
        "plan",
        "compiler",
        "fs",
        "landing",
        "feed",
    ),
    "workers": ("spark",),
}
PACKAGES = ("numpy", "pandas", "pyarrow", "lark", "orjson")
"""The packages that the code needs where tasks run, beside PySpark, in the versions installed here."""
PACKAGE_OF_SCHEME = {"hdfs": "urllib3", "s3a": "boto3"}
"""The package that each kind of address needs."""
PROBE_TASKS = 16
"""The number of probe tasks: each executor with free slots gets some."""
SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.providerClass":
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.fileSink.log.compactInterval": "1000000000",
    "spark.sql.streaming.fileSink.log.deletion": "false",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "20",
    "spark.sql.streaming.numRecentProgressUpdates": str(RETAINED_REPORTS),
    "spark.sql.streaming.stopTimeout": "10s",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}  # fmt: skip
"""The settings that our queries need; docs/engine.md explains each."""
_MANAGERS = "org.apache.spark.sql.execution.streaming.checkpointing"


def build_settings(data: Place) -> dict[str, str]:
    """Return the settings, with the checkpoint manager for the data.

    Only on a disk does a plain rename replace a file.
    """
    manager = "FileContextBased" if isinstance(data, Address) else "FileSystemBased"
    return {
        **SETTINGS,
        "spark.sql.streaming.checkpointFileManagerClass": f"{_MANAGERS}.{manager}CheckpointFileManager",
    }


def list_packages(data: Place) -> tuple[str, ...]:
    """Return the packages that the code needs, with the one that its kind of address needs."""
    return (*PACKAGES, PACKAGE_OF_SCHEME[data.scheme]) if isinstance(data, Address) else PACKAGES


class Unfit(RuntimeError):
    """The cluster cannot run our queries; the message lists all problems."""


@lru_cache
def build_archives() -> dict[str, bytes]:
    """Return our code as zip files: one per package, custom operators, and one whose name identifies the version."""
    archives = {name: _zip_package(ROOT / name, names) for name, names in SHIPPED_PACKAGES.items()}
    archives |= {name: _zip_files(files) for name, files in own.build_archives().items()}
    digest = hashlib.sha256(b"".join(archives.values())).hexdigest()
    return {**archives, f"timelines-{digest[:16]}": _zip_package(ROOT / "timeline_app", ())}


def identify_code() -> str:
    """Return the name that identifies the version of the code."""
    return list(build_archives())[-1]


def get_shipped_code(spark: Any) -> str:
    """Return the version of the code that a session was given; empty where the server has it."""
    return str(spark.conf.get(EQUIPPED_WITH, ""))


def equip(spark: Any, data: Place) -> None:
    """Give a session settings and code, and check its cluster; once per session. Raises `Unfit`."""
    if get_shipped_code(spark) == identify_code():
        return
    for name, value in build_settings(data).items():
        spark.conf.set(name, value)
    with tempfile.TemporaryDirectory(prefix="timelines-code-") as folder:
        for name, content in build_archives().items():
            path = Path(folder) / f"{name}.zip"
            path.write_bytes(content)
            spark.addArtifacts(f"{path}#{name}", archive=True)
    unread = list_unreadable(spark, data)
    if problems := unread + find_problems(
        collect_reports(spark, data), {name: version(name) for name in list_packages(data)}
    ):
        raise Unfit("the Spark cluster is not fit: " + "; ".join(problems))
    spark.conf.set(EQUIPPED_WITH, identify_code())


def collect_reports(spark: Any, data: Place) -> list[dict[str, Any]]:
    """Return what probe tasks report: their machine, its packages, and its access to the data directory."""
    with _note(data) as note:
        looking = probe(format_url(note), list_packages(data))
        rows = spark.range(0, PROBE_TASKS, 1, PROBE_TASKS).mapInArrow(looking, "report string").collect()
    return [json.loads(row.report) for row in rows]


def list_unreadable(spark: Any, data: Place) -> list[str]:
    """Return why Spark itself cannot read the data address; it uses its own client. Empty where it can."""
    if not isinstance(data, Address):
        return []
    with _note(data) as note:
        try:
            spark.read.text(str(note)).collect()
        except PySparkException as why:
            return [f"Spark cannot read TIMELINE_DATA, {data}: {str(why).splitlines()[0]}"]
    return []


@contextmanager
def _note(data: Place) -> Iterator[Place]:
    """Write a file there for other machines to find."""
    note = data / f"seen-{uuid.uuid4().hex}"
    durable.replace(note, b"by every machine")
    try:
        yield note
    finally:
        note.unlink(missing_ok=True)


def find_problems(machine_reports: Iterable[dict[str, Any]], required: dict[str, str]) -> list[str]:
    """Return all problems, each once with the machines it was found on."""
    hosts: dict[str, set[str]] = {}
    for report in machine_reports:
        for words in _find_wrong(report, required):
            hosts.setdefault(words, set()).add(report["host"])
    return [f"{words} (on {', '.join(sorted(where))})" for words, where in sorted(hosts.items())]


def _find_wrong(report: dict[str, Any], required: dict[str, str]) -> Iterator[str]:
    for name, needed in required.items():
        if (version := report["packages"].get(name)) != needed:
            yield (
                f"Python has {name} {version}, {needed} is needed"
                if version
                else f"Python lacks {name} {needed}"
            )
    if report.get("place"):
        yield f"TIMELINE_DATA cannot be used by user {report['user']}: {report['place']}"
    elif not report["reads"]:
        yield "TIMELINE_DATA is not there: it must be one directory, mounted under the same path on all machines"
    elif not report["writes"]:
        yield f"TIMELINE_DATA cannot be written by user {report['user']}"
    if report["code"]:
        yield f"our code cannot be imported: {report['code']}"


def _zip_package(folder: Path, names: Iterable[str]) -> bytes:
    """Zip the files of a package that are code or that code reads."""
    paths = [folder / "__init__.py", *(path for name in names for path in sorted((folder / name).rglob("*")))]
    code = [path for path in paths if path.suffix in (".py", ".lark")]
    return _zip_files({str(path.relative_to(folder)): path.read_bytes() for path in code})


def _zip_files(files: Mapping[str, bytes]) -> bytes:
    """Zip files in the given order, without dates."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()
