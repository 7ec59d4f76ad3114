"""The classes of Spark that the set-up keeps: a server has them in its memory as they are, and is there sooner."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from workers.spark.connect.server import CLASSES

pytestmark = pytest.mark.spark


def test_a_server_has_the_kept_classes_in_its_memory(spark_remote: str) -> None:
    port = f"spark.connect.grpc.binding.port={urlsplit(spark_remote).port}"
    [server] = [item.pid for item in psutil.process_iter(["cmdline"]) if port in (item.info["cmdline"] or ())]
    assert str(CLASSES.resolve()) in Path(f"/proc/{server}/maps").read_text()


def test_the_kept_classes_can_be_read_by_who_did_not_make_them() -> None:
    """In an image root makes them, and the product runs as another user."""
    assert CLASSES.stat().st_mode & 0o444 == 0o444
