"""What all tests share: hypothesis profiles, and the database."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, settings

from tests.depth import examples
from tests.environment import DATA, ON

pytest_plugins = ["tests.spark_server"]

settings.register_profile(
    "histories", examples(10), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("histories")


@pytest.fixture(scope="session", autouse=True)
def _no_trace() -> Iterator[None]:
    yield
    shutil.rmtree(DATA, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_looked_for_when_they_are_asked_for() -> Iterator[None]:
    """Not all at the first request of each client, which takes longer than most tests."""
    with override_settings(WHITENOISE_AUTOREFRESH=True):
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """A database in a file, as in the product: sockets and tasks read it from threads of their own."""
    from django.db import connections

    own = f"tests_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
    test = connections.databases["default"]["TEST"]
    test["NAME"] = own if os.environ.get(ON) else str(DATA / "test.sqlite3")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL only what asks a database can say something new."""
    if not os.environ.get(ON):
        return
    asks = {"db", "transactional_db"}
    remaining = [
        item
        for item in items
        if item.get_closest_marker("django_db") or asks & set(getattr(item, "fixturenames", ()))
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(remaining)])
    items[:] = remaining


@pytest.fixture(autouse=True)
def _where_it_belongs(request: pytest.FixtureRequest) -> None:
    """A test of PostgreSQL is never skipped: on SQLite it fails."""
    if request.node.get_closest_marker("postgres") and not os.environ.get(ON):
        pytest.fail("this test needs PostgreSQL: `make test-postgres`", pytrace=False)
