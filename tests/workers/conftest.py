"""Queries and nodes in the database, as running plans make them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from timeline_app.compiler import Program, compile_plan
from timeline_app.web.models import Node, Query

STREAM = {"key": "k", "time": "t", "allowed_lateness": "10s"}
MakeNode = Callable[..., Node]


def programs(nodes: dict[str, Any]) -> dict[str, Program]:
    """The programs of a plan on the stream `s`, by the names of its nodes."""
    compiled = compile_plan({"version": 1, "streams": {"s": STREAM}, "nodes": nodes}, {})
    return {name: compiled.programs[digest] for name, digest in compiled.names.items()}


def state(field: str) -> dict[str, Any]:
    """A node that keeps the latest value of a field."""
    return {"op": "latest_event_to_state", "stream": "s", "params": {"field": field}}


@pytest.fixture
def data(tmp_path: Path, settings: Settings) -> Path:
    """The data directory of the installation under test."""
    settings.TIMELINE_DATA = tmp_path
    return tmp_path


@pytest.fixture
def make_node(transactional_db: None, data: Path) -> MakeNode:
    """Makes a wanted query and its node from a program."""
    owner = User.objects.create_user("owner")

    def make(program: Program, **fields: Any) -> Node:
        query = Query.objects.create(
            name=program.digest,
            program=program.to_document(),
            desired=Query.Desired.RUNNING,
            **fields,
        )
        facts = {"operator": program.operator, "kind": program.kind.value, "owner": owner}
        facts |= {"program": query.program}
        return Node.objects.create(digest=program.digest, query=query, **facts)

    return make
