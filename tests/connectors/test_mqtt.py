"""MQTT, against a real broker: the promises, a broker that goes away, and what is declared wrongly."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import uuid4

import paho.mqtt.client as paho
import pytest

from tests.connectors.mosquitto import PASSWORD, USER, Mosquitto
from tests.connectors.strangers import run_stranger
from timeline_app.connectors.mqtt import source as mqtt_source
from timeline_app.connectors.mqtt.source import Mqtt, MqttConnection
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.reading import SourceUnavailable
from timeline_app.connectors.source_contract import Resume
from timeline_app.connectors.source_kit import CASES, SourceCase, SourceHarness
from timeline_app.connectors.source_kit.memory import Faults, Memory
from timeline_app.connectors.splits.estimators import Manual
from timeline_app.connectors.splits.portions import Carried, CarriedReader
from timeline_app.connectors.splits.tracker import Tracker

pytestmark = pytest.mark.deep
"""Real waits, and programs that are started: not for each save of a file."""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path_factory.mktemp("mosquitto"))
    yield broker
    broker.stop()


class MqttWorld(SourceHarness):
    """A topic and a session of its own."""

    def __init__(self, broker: Mosquitto) -> None:
        self.broker, self.name = broker, uuid4().hex
        first = self.source()
        list(first.restrictions())  # the session begins
        first.close()

    def source(self) -> Mqtt:
        return Mqtt(self.broker.address, f"{self.name}/+", self.name)

    def send(self, events: Iterable[int]) -> None:
        self.broker.send(f"{self.name}/n", [json.dumps({"n": number}).encode() for number in events])

    def number(self, row: Mapping[str, Any]) -> int:
        return int(json.loads(row["event"])["n"])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_mqtt_keeps_its_promises(case: SourceCase, broker: Mosquitto) -> None:
    case.run(lambda: MqttWorld(broker))


def take_all(reader: CarriedReader, count: int) -> list[int]:
    """The numbers of so many messages; every portion is durable before the next is asked for."""
    numbers: list[int] = []
    for _ in range(200):
        numbers += [int(json.loads(message.value or b"")["n"]) for message in reader.take().messages]
        if len(numbers) >= count:
            return numbers
    raise AssertionError(f"{len(numbers)} of {count} came")


def test_what_is_durable_and_not_acknowledged_when_it_is_killed_is_given_once(broker: Mosquitto) -> None:
    world, store = MqttWorld(broker), Memory(Faults())
    world.send(range(100))
    first = Carried(world.source, "it", store).open({})
    result = take_all(first, 100)
    world.send(range(100, 150))
    second = Carried(world.source, "it", store).open(
        first.positions
    )  # it takes the session over, as after a kill
    result += take_all(second, 50)
    second.take()
    second.close()
    first.close()
    assert sorted(result) == list(range(150))


def test_no_more_waits_here_than_there_is_room_for_and_the_broker_gives_the_rest_in_order(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt_source, "MAX_QUEUED_BYTES", 100)
    world = MqttWorld(broker)
    source = world.source()
    connection = source.connected()
    world.send(range(60))
    connection.echo()  # all that was published is here, or was
    assert connection.full
    assert 0 < sum(len(item.text) for item in connection.waiting) <= 100
    source.close()
    reader = Carried(world.source, "it", Memory(Faults())).open({})
    assert take_all(reader, 60) == list(range(60))
    reader.take()
    reader.close()
    world.send([60])
    reopened = Carried(world.source, "other", Memory(Faults())).open({})
    assert take_all(reopened, 1) == [60], "all before was acknowledged"
    reopened.close()


def test_a_backlog_that_comes_again_and_is_heard_slowly_is_read_to_its_end(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the broker answers comes behind all that it gives again."""
    world, hear = MqttWorld(broker), MqttConnection._hear
    world.send(range(1_500))
    first = world.source()
    while first.size("", 0, None) != 1_500:
        pass
    first.close()  # given, and not acknowledged

    def hear_slowly(connection: MqttConnection, message: paho.MQTTMessage) -> None:
        time.sleep(0.003)
        hear(connection, message)

    monkeypatch.setattr(mqtt_source, "ANSWER_TIMEOUT_S", 2.0)
    monkeypatch.setattr(MqttConnection, "_hear", hear_slowly)
    reader = Carried(world.source, "it", Memory(Faults())).open({})
    assert take_all(reader, 1_500) == list(range(1_500))
    reader.take()
    reader.close()


def test_a_broker_that_is_stopped_and_started_loses_and_doubles_nothing(broker: Mosquitto) -> None:
    world, store = MqttWorld(broker), Memory(Faults())
    reader = Carried(world.source, "it", store).open({})
    world.send(range(50))
    result = take_all(reader, 50)
    broker.stop()
    words = f"no broker answers at {broker.address}|the broker {broker.address} (says|was lost)"
    try:
        with pytest.raises(SourceUnavailable, match=words):
            take_all(reader, 1)
    finally:
        broker.start()
    world.send(range(50, 90))
    reopened = Carried(world.source, "it", store).open(reader.positions)
    result += take_all(reopened, 40)
    reopened.take()
    reopened.close()
    assert sorted(result) == list(range(90))


def test_a_connection_that_is_lost_in_the_middle_ends_the_batch(broker: Mosquitto) -> None:
    world = MqttWorld(broker)
    source = world.source()
    world.send(range(10))
    while source.size("", 0, None) != 10:
        pass
    payloads: list[Any] = []
    batches = source.process("", Tracker(0), Manual(), payloads.append)
    first = next(batches)
    source.connected().close()
    with pytest.raises(StopIteration) as end:
        next(batches)
    assert isinstance(end.value.value, Resume)
    source.finalize("", payloads)
    rest = list(source.process("", Tracker(1), Manual(), payloads.append))
    assert len([first, *rest]) == 10
    source.close()


def test_messages_without_acknowledgement_and_of_other_bytes_are_given(broker: Mosquitto) -> None:
    world = MqttWorld(broker)
    source = world.source()
    list(source.restrictions())
    broker.send(f"{world.name}/n", [b"\xff", b"{}"], qos=0)
    while source.size("", 0, None) != 2:
        pass
    acks: list[Any] = []
    rows = list(source.process("", Tracker(0), Manual(), acks.append))
    assert [row[0] for row in rows if isinstance(row, tuple)] == ["\0base64:/w==", "{}"]
    assert acks == []
    source.close()


def test_a_sample_leaves_all_to_who_reads(broker: Mosquitto) -> None:
    world = MqttWorld(broker)
    world.send(range(5))
    assert list(world.source().sample(20)) == []  # what waits is the session's own
    reader = Carried(world.source, "it", Memory(Faults())).open({})
    assert sorted(take_all(reader, 5)) == list(range(5))
    reader.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"broker": "127.0.0.1:1"}, "no broker answers at 127.0.0.1:1: check broker"),
        ({"broker": "nowhere.invalid"}, "no host of the name nowhere.invalid is known"),
        ({"tls": True}, "check tls and ca|check port and tls"),
        ({"tls": True, "ca": "no certificate"}, "ca holds no certificates"),
        ({"user": USER, "password": "wrong"}, "Not authorized: check user and password"),
        ({"user": ""}, "Not authorized: check user and password"),
    ],
)
def test_what_is_wrong_is_said_with_a_hint(broker: Mosquitto, options: Any, words: str) -> None:
    settings: dict[str, Any] = {
        "broker": f"127.0.0.1:{broker.closed_port}",
        "topics": "a",
        "session": uuid4().hex,
    }
    with pytest.raises(SourceUnavailable, match=words) as result:
        Carried(lambda: Mqtt(**settings | options), "it", Memory(Faults())).sample()
    assert "wrong" not in str(result.value)


def test_a_right_login_reads(broker: Mosquitto) -> None:
    options: dict[str, Any] = {
        "broker": f"127.0.0.1:{broker.closed_port}",
        "topics": "a",
        "session": uuid4().hex,
    }
    assert list(Mqtt(**options, user=USER, password=PASSWORD).sample(5)) == []


def test_two_that_share_a_session_are_told(broker: Mosquitto) -> None:
    world = MqttWorld(broker)
    left, right = world.source(), world.source()
    list(left.restrictions())
    list(right.restrictions())
    assert left.open is not None
    assert left.open.over.wait(10)
    with pytest.raises(SourceUnavailable, match="another client has the"):
        left.connected()
    right.close()
    left.close()


def test_what_is_declared_wrongly_is_told_with_its_hint() -> None:
    with pytest.raises(BadOptions) as bad:
        read(Mqtt, {"broker": "mqtt://host", "topics": "a/#/b", "session": "", "tls": "yes"})
    assert dict(bad.value.problems) == {
        "broker": "'mqtt://host' is no address of a broker; write host or host:port",
        "topics": "'a/#/b' is no topic; such as players/+/events or players/#, several by commas",
        "session": "is needed and is empty",
        "tls": "must be true or false, not 'yes'",
    }


def test_a_shared_subscription_is_refused() -> None:
    """Its messages match no topic here, and the broker may give them to somebody else."""
    with pytest.raises(BadOptions, match=r"'\$share/g/players/#' is shared, and may lose or double messages"):
        read(Mqtt, {"broker": "host", "topics": "a, $share/g/players/#", "session": "s"})


def test_names_that_the_protocol_cannot_carry_are_refused() -> None:
    options = {
        "broker": "host",
        "topics": f"a,{'b' * 2_000}",
        "session": "s" * 2_000,
        "user": "ä" * 600,
        "password": "ä" * 40_000,
    }
    with pytest.raises(BadOptions) as bad:
        read(Mqtt, options)
    assert dict(bad.value.problems) == {
        "topics": "has a topic of 2,000 bytes: 1,000 at most",
        "session": "has 2,000 bytes: 1,000 at most",
        "user": "has 1,200 bytes: 1,000 at most",
        "password": "has 80,000 bytes: 65,000 at most",
    }


@pytest.mark.parametrize(
    "says", [b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"+OK\r\n"]
)
def test_what_is_no_broker_is_told_with_a_hint(says: bytes) -> None:
    with (
        run_stranger(says, every=0.05) as place,
        pytest.raises(SourceUnavailable, match="check port and tls"),
    ):
        list(Mqtt(place, "a", "s").restrictions())
