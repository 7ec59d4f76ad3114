"""Places of every kind, each on a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.stores import KINDS, Served
from timeline_app.fs.paths import Place

Serve = Callable[[str], Served]


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Each kind of server, started when it is asked for first."""
    running: dict[str, Served] = {}
    with ExitStack() as stack:

        def served(kind: str) -> Served:
            if kind not in running:
                running[kind] = stack.enter_context(KINDS[kind](tmp_path_factory.mktemp(kind)))
            return running[kind]

        yield served


@pytest.fixture
def kinds(servers: Serve, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """The same, with the variables that lead there."""

    def served(kind: str) -> Served:
        served = servers(kind)
        for name, value in served.environment.items():
            monkeypatch.setenv(name, value)
        return served

    return served


@pytest.fixture(params=["directory", "hdfs", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path, kinds: Serve) -> Place:
    """An empty place of that kind."""
    return tmp_path if request.param == "directory" else kinds(request.param).place / tmp_path.name
