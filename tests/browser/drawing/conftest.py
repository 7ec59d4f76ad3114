"""The pages without the engine: what is drawn, checked and evaluated here needs no Spark to be up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workers.stack import Stack, health


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Web server and Redis in a directory of their own, on free ports."""
    data = tmp_path_factory.mktemp("pages")
    with Stack(data, demo=False, port=health.free_port(), engine=False) as running:
        yield running
