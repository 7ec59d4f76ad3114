"""A query whose state cannot be read is built anew from the retained events; nothing is said twice. Real Spark."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.utils import timezone

from tests.workers.conftest import MakeNode, land, observed, programs, rounds, state
from tests.workers.test_mending import event, halt, values
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.models import Node, Query
from workers.engine import rebuild
from workers.spark.connect.session import Failure
from workers.spark.state.pages import ForeignState

pytestmark = pytest.mark.spark


def told(node: Node) -> Query:
    """The query that computes the node now."""
    return Query.objects.get(nodes=node)


def torn_changelogs(folder: Path) -> None:
    for file in folder.rglob("*.changelog"):
        file.write_bytes(file.read_bytes()[:12])


def missing_files(folder: Path) -> None:
    for file in [*folder.rglob("*.changelog"), *folder.rglob("*.zip")]:
        file.unlink()


def no_state(folder: Path) -> None:
    shutil.rmtree(folder)


def another_format(folder: Path) -> None:
    (folder.parent / "format").write_text("1")


@pytest.mark.parametrize("harm", [torn_changelogs, missing_files, no_state, another_format])
def test_state_that_cannot_be_read_is_built_anew(
    make_node: MakeNode,
    data: Path,
    remote: str,
    monkeypatch: pytest.MonkeyPatch,
    harm: Callable[[Path], None],
) -> None:
    monkeypatch.setattr(rebuild, "MIN_FAILURES_BEFORE_REBUILD", 2)
    node = make_node(programs({"a": state("x")})["a"])
    for number in (1, 2, 3):
        land(data, event(number))
        rounds(partial(lambda wanted: Node.objects.get().events == wanted, number))
    halt(remote, data)
    harm(require_path(Places(data).checkpoint(node.digest)) / "state")
    land(data, event(4))
    Query.objects.update(retry_at=timezone.now())
    rounds(lambda: told(node).name != node.digest)
    rounds(lambda: Node.objects.get().revisions == 4)
    assert (values("k1"), values("k0")) == ([None, "1", "3"], [None, "2", "4"])
    assert "built anew" in told(node).mended
    land(data, event(5))
    rounds(lambda: Node.objects.get().revisions == 5)
    assert values("k1") == [None, "1", "3", "5"]
    rounds(lambda: observed(node).desired == "stopped")


def test_state_of_another_format_is_told_apart() -> None:
    try:
        raise ForeignState("state of format 1 cannot be read; this reads 2")
    except ForeignState as problem:
        raised = f"Traceback (most recent call last):\n  File x\n{type(problem).__name__}: {problem}"
    assert Failure.of(RuntimeError(raised)).of_state
    assert Failure.of(RuntimeError("[CANNOT_LOAD_STATE_STORE.UNEXPECTED_FILE_SIZE] …")).of_state
    assert not Failure.of(RuntimeError("[CANNOT_LOAD_STATE_STORE.UNRELEASED_THREAD_ERROR] …")).of_state
    assert not Failure.of(RuntimeError("No space left on device")).of_state
