"""Marks: how far back what comes later may reach."""

from __future__ import annotations

from typing import Any

from timeline_app.algebra.kinds import BEGINNING
from workers.spark.hosts.feed_progress import FeedProgress, SourceProgress


def compute_horizon(memory: dict[str, Any], *mark: tuple[int, int, int]) -> int:
    """After these buckets, each of so many, have said this."""
    marks = [SourceProgress(0, "s", 0, 0, 0, bucket, buckets, number) for bucket, buckets, number in mark]
    return FeedProgress(marks).horizon(memory, 1)


def test_a_horizon_is_known_when_every_bucket_has_said_its_own() -> None:
    memory: dict[str, Any] = {}
    assert compute_horizon(memory, (0, 2, 50)) == BEGINNING
    assert compute_horizon(memory, (1, 2, 30)) == 30
    assert compute_horizon(memory, (1, 2, 70)) == 50


def test_a_query_with_another_number_of_buckets_begins_anew() -> None:
    memory: dict[str, Any] = {}
    assert compute_horizon(memory, *((bucket, 4, 10) for bucket in range(4))) == 10
    assert compute_horizon(memory, (0, 2, 60)) == BEGINNING, "the other bucket may still say something older"
    assert compute_horizon(memory, (1, 2, 80)) == 60, "what the four have said holds nothing back"
