"""Feeds: revisions as rows of Parquet and back, and only what a manifest names."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.logs import Delivered, align_both, compute_prefixes, is_same
from tests.algebra.test_revisions import draw_histories
from tests.evaluate.running import compute_timelines
from tests.strategies import Drawn, Plan, cases
from timeline_app.algebra.revisions import Revisions, diff
from timeline_app.feed import feed_rows
from timeline_app.feed.files import FileFeed
from timeline_app.testing.points import iterate_stretches


def list_rows_with_births(revisions: Revisions) -> list[tuple[object, ...]]:
    births = revisions.birth.tolist()
    return [(*item, birth) for item, birth in zip(iterate_stretches(revisions), births, strict=True)]


@pytest.mark.deep
@given(draw_histories())
def test_revisions_survive_the_feed(history: tuple[Plan, Delivered, list[int]]) -> None:
    for before, after in pairwise(compute_prefixes(*history)):
        for name in after:
            revisions = diff(*align_both(before[name], after[name]))
            rows = feed_rows.build_rows(revisions)
            assert rows.schema == feed_rows.PIECES
            back = feed_rows.read_revisions(_shuffle_rows(rows), revisions.kind)
            assert list_rows_with_births(back) == list_rows_with_births(revisions)


@pytest.mark.deep
@given(cases())
def test_whole_timelines_survive_as_revisions_that_say_everything(case: tuple[Plan, Drawn]) -> None:
    for item in compute_timelines(*case).values():
        rows = feed_rows.build_rows(feed_rows.build_full_revisions(item))
        back = feed_rows.build_timelines(feed_rows.read_revisions(rows, item.kind))
        assert is_same(*align_both(item, back))


def _shuffle_rows(rows: pa.Table) -> pa.Table:
    return rows.take(pa.array(np.random.default_rng(len(rows)).permutation(len(rows))))


@given(st.integers(-(2**62), 2**62), st.integers(0, 2**40))
def test_marks_are_told_from_revisions(until: int, events: int) -> None:
    mark = feed_rows.build_progress_row(
        "player", until, events=events, late=1, duplicates=2, conflicts=3, too_late=4
    )
    assert mark.schema == feed_rows.PIECES
    (row,) = feed_rows.select_progress_rows(mark).to_pylist()
    assert (row["source"], row["t"], row["events"]) == ("player", until, events)
    assert [row[name] for name in ("late", "duplicates", "conflicts", "too_late")] == [1, 2, 3, 4]


def test_only_what_a_manifest_names_is_read(tmp_path: Path) -> None:
    published = FileFeed(tmp_path)
    (tmp_path / "_spark_metadata").mkdir()
    assert not published.has(0)
    for name in ("good one", "leftover"):
        pq.write_table(
            feed_rows.select_node_rows(feed_rows.build_progress_row(name, 5)), tmp_path / f"{name}.parquet"
        )
    line = json.dumps({"path": f"file://{tmp_path}/good%20one.parquet", "size": 1})
    (tmp_path / "_spark_metadata" / "0").write_text(f"v1\n{line}")
    (tmp_path / "_spark_metadata" / "1").write_text("v1")
    assert published.has(0)
    assert published.read(0)["source"].to_pylist() == ["good one"]
    assert published.read(1).num_rows == 0
    assert published.read(1).schema == feed_rows.SCHEMA
