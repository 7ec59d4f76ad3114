"""What all tests share: hypothesis profiles, and settings under which no test touches a running product."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.spark_server"]

# Before Django reads its settings.
DATA = Path(tempfile.mkdtemp(prefix="timelines-tests-"))
for name in [name for name in os.environ if name.startswith("TIMELINE_")]:
    del os.environ[name]
os.environ.pop("DATABASE_URL", None)
os.environ |= {"TIMELINE_DATA": str(DATA), "REDIS_URL": "redis://127.0.0.1:1/0"}

settings.register_profile("dev", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session", autouse=True)
def _no_trace() -> Iterator[None]:
    yield
    shutil.rmtree(DATA, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """A database in a file, as in the product: sockets and tasks read it from threads of their own."""
    from django.db import connections

    connections.databases["default"]["TEST"]["NAME"] = str(DATA / "test.sqlite3")
