"""Reports on the machine that a task runs on. It is pickled by value, since our code may be missing there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pyspark import cloudpickle

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


def probe(note: str, packages: Sequence[str]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function for `mapInArrow` that yields a JSON report for each batch that has rows."""

    def looking(batches: Iterator[Any]) -> Iterator[Any]:
        import json  # noqa: PLC0415  (imports where it runs)

        import pyarrow as pa  # noqa: PLC0415

        for batch in batches:
            if batch.num_rows:
                yield pa.record_batch([pa.array([json.dumps(report_machine(note, packages))])], ["report"])

    return looking


def report_machine(note: str, packages: Sequence[str]) -> dict[str, Any]:
    """Report host, user, package versions, whether our code can be imported, and whether the folder is usable."""
    import getpass  # noqa: PLC0415
    import importlib  # noqa: PLC0415
    import os  # noqa: PLC0415
    import socket  # noqa: PLC0415
    from importlib import metadata  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    report: dict[str, Any] = {
        "host": socket.gethostname(),
        "packages": {},
        "code": "",
        "place": "",
    }
    try:
        report["user"] = getpass.getuser()
    except (KeyError, OSError):
        report["user"] = str(os.getuid())
    for name in packages:
        try:
            report["packages"][name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            report["packages"][name] = None
    try:
        importlib.import_module("workers.spark.hosts.region")
    except ImportError as why:
        report["code"] = str(why)
    report["reads"], report["writes"] = True, True
    if "://" not in note:
        report["reads"], report["writes"] = os.access(note, os.R_OK), os.access(Path(note).parent, os.W_OK)
    elif not report["code"]:
        report["place"] = probe_python(note)
    return report


def probe_python(note: str) -> str:
    """Say why the note at an address cannot be read, or a file not be written beside it; empty where both work."""
    import uuid  # noqa: PLC0415

    try:
        from timeline_app.fs import durable, paths  # noqa: PLC0415

        where = paths.place(note)
        where.read_bytes()
        probe_folder = where.with_name(f"seen-{uuid.uuid4().hex}")
        durable.replace(probe_folder, b"by one machine")
        probe_folder.unlink(missing_ok=True)
    except (ImportError, OSError) as why:
        return str(why)
    return ""
