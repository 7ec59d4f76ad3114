"""A query whose state cannot be read is built anew from the retained events; nothing is said twice. Real Spark."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.utils import timezone

from tests.workers.conftest import (
    MakeNode,
    build_state,
    compile_programs,
    land_line,
    read_query,
    run_rounds_until,
)
from tests.workers.test_mending import build_event, read_values, stop_queries
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.models import Node, Query
from workers.engine import rebuild
from workers.spark.connect.session import Failure
from workers.spark.state.pages import ForeignState

pytestmark = pytest.mark.spark


def find_query(node: Node) -> Query:
    """The query that computes the node now."""
    return Query.objects.get(nodes=node)


def truncate_changelogs(folder: Path) -> None:
    for file in folder.rglob("*.changelog"):
        file.write_bytes(file.read_bytes()[:12])


def remove_files(folder: Path) -> None:
    for file in [*folder.rglob("*.changelog"), *folder.rglob("*.zip")]:
        file.unlink()


def remove_state(folder: Path) -> None:
    shutil.rmtree(folder)


def write_another_format(folder: Path) -> None:
    (folder.parent / "format").write_text("1")


@pytest.mark.parametrize("harm", [truncate_changelogs, remove_files, remove_state, write_another_format])
def test_state_that_cannot_be_read_is_built_anew(
    make_node: MakeNode,
    data: Path,
    remote: str,
    monkeypatch: pytest.MonkeyPatch,
    harm: Callable[[Path], None],
) -> None:
    monkeypatch.setattr(rebuild, "MIN_FAILURES_BEFORE_REBUILD", 2)
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    for number in (1, 2, 3):
        land_line(data, build_event(number))
        run_rounds_until(partial(lambda wanted: Node.objects.get().events == wanted, number))
    stop_queries(remote, data)
    harm(require_path(Places(data).checkpoint(node.digest)) / "state")
    land_line(data, build_event(4))
    Query.objects.update(retry_at=timezone.now())
    run_rounds_until(lambda: find_query(node).name != node.digest)
    run_rounds_until(lambda: Node.objects.get().revisions == 4)
    assert (read_values("k1"), read_values("k0")) == ([None, "1", "3"], [None, "2", "4"])
    assert "built anew" in find_query(node).mended
    land_line(data, build_event(5))
    run_rounds_until(lambda: Node.objects.get().revisions == 5)
    assert read_values("k1") == [None, "1", "3", "5"]
    run_rounds_until(lambda: read_query(node).desired == "stopped")


def test_state_of_another_format_is_told_apart() -> None:
    try:
        raise ForeignState("state of format 1 cannot be read; this reads 2")
    except ForeignState as problem:
        raised = f"Traceback (most recent call last):\n  File x\n{type(problem).__name__}: {problem}"
    assert Failure.from_exception(RuntimeError(raised)).of_state
    assert Failure.from_exception(RuntimeError("[CANNOT_LOAD_STATE_STORE.UNEXPECTED_FILE_SIZE] …")).of_state
    assert not Failure.from_exception(
        RuntimeError("[CANNOT_LOAD_STATE_STORE.UNRELEASED_THREAD_ERROR] …")
    ).of_state
    assert not Failure.from_exception(RuntimeError("No space left on device")).of_state
