"""A real Spark Connect server for the tests, on a free port, gone with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from workers.spark.connect.embedded_server import start_embedded_server


@pytest.fixture(scope="session")
def spark_remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server."""
    with start_embedded_server(tmp_path_factory.mktemp("spark")) as address:
        yield address


@pytest.fixture(scope="session")
def spark(spark_remote: str) -> Any:
    """A session at the server, as the workers open it."""
    from workers.spark.connect.session import get_session

    return get_session(spark_remote, "tests")
