"""The classes of Spark that the set-up keeps: a server has them in its memory as they are, and is there sooner."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from workers.spark.server import CLASSES

pytestmark = pytest.mark.spark


def test_a_server_has_the_kept_classes_in_its_memory(spark_remote: str) -> None:
    port = f"spark.connect.grpc.binding.port={urlsplit(spark_remote).port}"
    [server] = [one.pid for one in psutil.process_iter(["cmdline"]) if port in (one.info["cmdline"] or ())]
    assert str(CLASSES.resolve()) in Path(f"/proc/{server}/maps").read_text()
