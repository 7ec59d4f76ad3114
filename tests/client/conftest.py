"""The client against a real server: web and Redis, without the engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from timelines import Client, Plan

from tests.browser.product import STREAM, add_user
from tests.browser.shell import open_shell, run_in_django
from workers.stack import Stack, health

DOCUMENT = {
    "version": 1,
    "name": "Played",
    "nodes": {
        "played": {"op": "has_existed", "stream": "player", "params": {"where": 'player_state == "play"'}},
        "never": {"op": "not", "inputs": {"of": "played"}},
    },
    "results": ["never"],
}
Revise = Callable[..., None]


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Web server and Redis in a directory of their own, on free ports."""
    data = tmp_path_factory.mktemp("client")
    with Stack(data, demo=False, port=health.find_free_port(), engine=False) as running, open_shell(running):
        yield running


@pytest.fixture(scope="package")
def ada(stack: Stack) -> Iterator[Client]:
    """Somebody who draws and runs plans, with a declared stream."""
    with Client(stack.url, add_user(stack, "ada").token) as client:
        client.streams.declare("player", **STREAM)
        yield client


@pytest.fixture(scope="package")
def bob(stack: Stack) -> Iterator[Client]:
    """Somebody else."""
    with Client(stack.url, add_user(stack, "bob").token) as client:
        yield client


@pytest.fixture(scope="package")
def root(stack: Stack) -> Iterator[Client]:
    """An administrator."""
    with Client(stack.url, add_user(stack, "root", staff=True).token) as client:
        yield client


@pytest.fixture(scope="package")
def running(ada: Client) -> Plan:
    """A plan whose nodes are known; nothing computes them here."""
    return ada.plans.create(DOCUMENT).run()


@pytest.fixture(scope="package")
def revise(stack: Stack) -> Revise:
    """Write into the revision log of a node, as the publisher does."""

    def write(
        digest: str, key: str, pieces: list[Any], start: int | None = None, end: int | None = None
    ) -> None:
        code = (
            "import json\n"
            "from tests.web.log import revise\n"
            "from timeline_app.web.models import Node\n"
            f"told = json.loads({json.dumps(json.dumps([digest, key, pieces, start, end]))})\n"
            "digest, key, pieces, start, end = told\n"
            "revise(Node.objects.get(digest=digest), key, pieces, start=start, end=end)\n"
        )
        run_in_django(stack, code)

    return write
