"""Feeds are compacted behind what is published; one that cannot be is told of, and keeps nobody waiting."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings

from tests.workers.conftest import MakeNode, build_state, compile_programs
from tests.workers.test_publisher import build_mark, put
from timeline_app.feed import segments
from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.models import Query
from timeline_app.web.nodes.feed_compaction import pack_feeds
from workers.engine import publisher


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    settings.BATCHES_PER_SEGMENT = 4
    monkeypatch.setattr(segments, "UNCOMPACTED_BATCHES", 1)
    monkeypatch.setattr(segments, "REMOVE_AFTER_S", -1.0)


@pytest.fixture
def queries(make_node: MakeNode, data: Path) -> list[Query]:
    """Two queries, of each ten batches that are there and nine that are published."""
    programs = compile_programs({"a": build_state("x"), "b": build_state("y")})
    digests = [make_node(programs[name]).digest for name in ("a", "b")]
    for digest in digests:
        for batch in range(10):
            put(data, digest, batch, build_mark("s", batch, events=1))
    Query.objects.update(position=8)
    return list(Query.objects.order_by("pk"))


def feed_of(query: Query, data: Path) -> FileFeed:
    return FileFeed(Places(data).feed(query.name))


def list_own_files(feed: FileFeed) -> list[int]:
    """The batches that are still files of their own."""
    return [batch for batch in range(10) if feed.manifest(batch).exists()]


def test_what_is_published_long_ago_is_compacted_and_publishing_goes_on(
    queries: list[Query], data: Path
) -> None:
    assert pack_feeds() == 16
    assert pack_feeds() == 0
    assert [list_own_files(feed_of(query, data)) for query in queries] == [[8, 9], [8, 9]]
    assert publisher.publish_once() == 2
    assert set(Query.objects.values_list("position", flat=True)) == {9}
    assert all(feed_of(query, data).has(batch) for query in queries for batch in range(10))


def test_a_feed_that_is_torn_is_told_of_and_the_others_are_packed(
    queries: list[Query], data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    torn = feed_of(queries[0], data)
    require_path(torn.files(2)[0]).write_bytes(b"PAR1")
    assert pack_feeds() == 8
    assert f"the feed {queries[0].name} could not be compacted" in caplog.text
    assert list_own_files(torn) == list(range(10))


def test_the_feed_of_a_query_that_ended_is_compacted_too(queries: list[Query]) -> None:
    Query.objects.update(desired="stopped", observed="stopped")
    assert pack_feeds() == 16


def test_a_query_that_never_published_has_nothing_to_compact(queries: list[Query]) -> None:
    Query.objects.update(position=-1)
    assert pack_feeds() == 0
