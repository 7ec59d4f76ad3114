"""The whole product with feeds that are topics: right whoever is killed, and nobody tells the broker's password."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from tests.broker import PASSWORD, USER, Broker
from tests.browser.product import add_user, truth
from tests.stack.test_cluster import PLAN
from tests.stack.test_kafka import Load, compare, reads_on
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
            topic, api = broker.topic("plays", partitions=2), add_user(stack, "ada")
            api.declare("player")
            source = {"kind": "kafka", "options": {"servers": broker.servers, "topics": topic}}
            api.call("PUT", "streams/player/source/", source)
            plan = api.add_plan(PLAN)["id"]
            api.call("POST", f"plans/{plan}/run/", {"placement": "together"})
            load = Load(broker, topic)
            try:
                reads_on(stack, api)
                for victim in ("publisher", "broker", "spark"):
                    if victim == "broker":
                        broker.kill()
                        broker.start()
                    else:
                        stack.kill(victim)
                    reads_on(stack, api)
            finally:
                sent = load.stop()
            (tmp_path / "truth").mkdir()
            compare(stack, api, plan, truth(PLAN, {"player": sent}, tmp_path / "truth"))
        assert [path.parent.name for path in data.glob("feeds/*/topic")]
        assert not list(data.glob("feeds/*/_spark_metadata")), "no feed is files"
        told = [
            path for path in data.rglob("*") if path.is_file() and PASSWORD in path.read_text(errors="ignore")
        ]
        assert told == [data / "feeds-broker"]
