"""A checkpoint whose newest file is torn is mended exactly, and the words say how: through real Spark."""

from __future__ import annotations

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
from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.models import Node, Query
from timeline_app.web.nodes.timelines import peek
from workers.spark.checkpoint import find_newest, read_offsets
from workers.spark.connect.session import get_session, list_active_queries

pytestmark = pytest.mark.spark

Tear = Callable[[Path], object]


def empty_file(file: Path) -> None:
    file.write_bytes(b"")


def fill_with_zeros(file: Path) -> None:
    file.write_bytes(b"\0" * file.stat().st_size)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-3])


def build_event(number: int) -> bytes:
    return b'{"k": "k%d", "t": %d, "x": "%d"}' % (number % 2, number * 1_000, number)


def stop_queries(remote: str, data: Path) -> None:
    """Stop the queries as a crash of the server would, without anybody's wish."""
    for query in list_active_queries(get_session(remote, str(data))).values():
        query.stop()


def read_values(key: str) -> list[object]:
    result = peek(Node.objects.get(), key)
    assert result is not None
    return [point["value"] for point in result["points"]]


def has_revisions(times: int) -> bool:
    return Node.objects.get().revisions == times


@pytest.mark.parametrize("tear", [empty_file, fill_with_zeros, cut])
@pytest.mark.parametrize("part", ["offsets", "commits", "manifest", "metadata"])
def test_the_newest_file_is_torn(make_node: MakeNode, data: Path, remote: str, part: str, tear: Tear) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    for number in (1, 2):
        land_line(data, build_event(number))
        run_rounds_until(partial(has_revisions, number))
    stop_queries(remote, data)
    Query.objects.update(offsets={})  # nobody saw how far it had read
    checkpoint = require_path(Places(data).checkpoint(node.digest))
    feed = FileFeed(Places(data).feed(node.digest))
    batch = find_newest(checkpoint / "offsets")
    assert batch == 1
    files = {"manifest": require_path(feed.manifest(batch)), "metadata": checkpoint / "metadata"}
    tear(files.get(part, checkpoint / part / str(batch)))
    land_line(data, build_event(3))
    Query.objects.update(retry_at=timezone.now())
    run_rounds_until(lambda: Node.objects.get().events == 3)
    assert read_values("k1") == [None, "1", "3"]
    assert read_values("k0") == [None, "2"]
    assert read_offsets(checkpoint / "offsets" / str(find_newest(checkpoint / "offsets"))) == (3,)
    assert read_query(node).mended != ""


def test_a_batch_that_published_nothing_is_planned_anew(make_node: MakeNode, data: Path, remote: str) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    land_line(data, build_event(1))
    run_rounds_until(lambda: Node.objects.get().revisions == 1)
    stop_queries(remote, data)
    (require_path(Places(data).checkpoint(node.digest)) / "offsets" / "1").write_bytes(b"v1\n{")
    land_line(data, build_event(3))
    run_rounds_until(lambda: Node.objects.get().events == 2)
    assert read_values("k1") == [None, "1", "3"]
    assert "planned anew" in read_query(node).mended


@pytest.mark.parametrize("part", ["commits", "manifest"])
def test_the_newest_file_is_torn_while_the_next_batch_is_planned(
    make_node: MakeNode, data: Path, remote: str, part: str
) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    for number in (1, 2):
        land_line(data, build_event(number))
        run_rounds_until(partial(has_revisions, number))
    stop_queries(remote, data)
    land_line(data, build_event(3))
    checkpoint = require_path(Places(data).checkpoint(node.digest))
    feed = FileFeed(Places(data).feed(node.digest))
    planned = (checkpoint / "offsets" / "1").read_text().replace('{"next": 2}', '{"next": 3}')
    (checkpoint / "offsets" / "2").write_text(planned)
    cut(require_path(feed.manifest(1)) if part == "manifest" else checkpoint / "commits" / "1")
    run_rounds_until(lambda: Node.objects.get().events == 3)
    assert (read_values("k1"), read_values("k0")) == ([None, "1", "3"], [None, "2"])
    assert Node.objects.get().revisions == 3
    assert "batch 1" in read_query(node).mended


@pytest.mark.parametrize("seen_before", [True, False])
def test_what_a_node_of_nodes_had_read_is_known_from_reports_or_it_is_built_anew(
    make_node: MakeNode, data: Path, remote: str, seen_before: bool
) -> None:
    seen_node = {"op": "has_existed", "stream": "s", "params": {"where": 'x == "v"'}}
    count = {"op": "aggregate", "inputs": {"of": "seen", "by": "a"}, "params": {"function": "count"}}
    programs = compile_programs({"a": build_state("x"), "seen": seen_node, "counted": count})
    below, node = [make_node(programs[name]) for name in ("a", "seen", "counted")][-2:]

    def counted(value: str) -> object:
        result = peek(Node.objects.get(pk=node.pk), value)
        return None if result is None else result["points"][-1]["value"]

    for number in (1, 2, 3):
        land_line(data, b'{"k": "k%d", "t": %d, "x": "v"}' % (number, number * 1_000))
        run_rounds_until(partial(lambda wanted: counted("v") == wanted, number))
    checkpoint = require_path(Places(data).checkpoint(node.digest))
    run_rounds_until(lambda: str(find_newest(checkpoint / "offsets")) in read_query(node).offsets)
    stop_queries(remote, data)
    if not seen_before:
        Query.objects.update(offsets={})
    empty_file(checkpoint / "offsets" / str(find_newest(checkpoint / "offsets")))
    land_line(data, b'{"k": "k4", "t": 4000, "x": "v"}')
    run_rounds_until(lambda: counted("v") == 4)
    now = Query.objects.get(nodes=node)
    assert (now.name == node.digest) is seen_before
    assert ("found again" if seen_before else "built anew") in now.mended
    assert read_query(below).mended == ""
