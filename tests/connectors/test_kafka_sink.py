"""Topics of Kafka keep what the contract says, on a real broker."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import orjson
import pytest

from tests.broker import Broker
from tests.connectors.worlds import OfKafka, read_messages
from timeline_app.connectors.kafka.sink import KafkaTopic
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.sink_contract import TargetUnavailable
from timeline_app.connectors.sink_kit import CASES, SinkCase
from timeline_app.connectors.sink_kit.cases import build_delivery, check_arrived, deliver_batches, open_sink

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as new_broker:
        yield new_broker


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_keeps_its_promises(case: SinkCase, broker: Broker) -> None:
    case.run(partial(OfKafka, broker))


def test_a_broker_that_is_killed_in_between_has_everything_once(broker: Broker) -> None:
    world = OfKafka(broker)
    sink = open_sink(world)
    deliver_batches(sink, [0])
    broker.kill()
    try:
        with pytest.raises(TargetUnavailable, match=r"."):
            world.sink().check(build_delivery(world))
    finally:
        sink.close()
        broker.start()
    reopened = open_sink(world)
    assert reopened.last() == 0
    deliver_batches(reopened, [0, 1, 2])
    check_arrived(world, range(3))


def test_a_topic_is_made_compacted_and_its_messages_have_keys(broker: Broker) -> None:
    world = OfKafka(broker)
    sink = KafkaTopic(servers=broker.servers, topic=world.topic, partitions=3)
    sink.open(build_delivery(world))
    deliver_batches(sink, [0])
    result = read_messages(broker, world.topic)
    assert {key.decode() for key, _ in result} == {orjson.loads(value)["key"] for _, value in result}
    topic = broker.admin().list_topics(timeout=10).topics[world.topic]
    assert len(topic.partitions) == 3


def test_more_copies_than_brokers_are_refused_by_the_check(broker: Broker) -> None:
    sink = KafkaTopic(servers=broker.servers, topic="copied", copies=3)
    with pytest.raises(TargetUnavailable, match="copies is 3, and there is 1 broker: let it be 1 at most"):
        sink.check(build_delivery(OfKafka(broker)))


def test_nobody_who_answers_is_said() -> None:
    with pytest.raises(TargetUnavailable, match=r"127\.0\.0\.1:1"):
        KafkaTopic(servers="127.0.0.1:1", topic="t").check(build_delivery(OfKafka.__new__(OfKafka)))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"servers": "broker", "topic": "t"}, "servers"),
        ({"servers": "b:1", "topic": "a b"}, "topic"),
        ({"servers": "b:1", "topic": ".."}, "topic"),
        ({"servers": "b:1", "topic": "t", "partitions": 0}, "partitions"),
        ({"servers": "b:1", "topic": "t", "keyed_by": "moon"}, "keyed_by"),
    ],
)
def test_what_is_wrong_with_options_is_said(options: dict[str, object], field: str) -> None:
    with pytest.raises(BadOptions, match=f"{field}: "):
        read(KafkaTopic, options)
