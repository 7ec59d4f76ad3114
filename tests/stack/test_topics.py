"""The whole product with feeds that are topics: right whoever is killed, and nobody tells the broker's password."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from tests.broker import PASSWORD, USER, Broker
from tests.stack.test_kafka import killed_in_turn
from workers.stack import Stack, health

pytestmark = [pytest.mark.stack, pytest.mark.long]


def test_feeds_that_are_topics_are_answered_as_evaluate_answers_whoever_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    with Broker() as broker:
        login = f"{USER}:{quote(PASSWORD)}"
        monkeypatch.setenv("TIMELINE_FEEDS", f"kafka://{login}@{broker.closed}/feeds?security=sasl_plaintext")
        with Stack(data, demo=False, port=health.free_port()) as stack:
            killed_in_turn(stack, broker, tmp_path, ("publisher", "broker", "spark"))
        assert [path.parent.name for path in data.glob("feeds/*/topic")]
        assert not list(data.glob("feeds/*/_spark_metadata")), "no feed is files"
        told = [
            path for path in data.rglob("*") if path.is_file() and PASSWORD in path.read_text(errors="ignore")
        ]
        assert told == [data / "feeds-broker"]
