"""What a stream takes from Kafka: a real broker that is killed, messages that are wrong, topics that come and go."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import orjson
import pytest
from confluent_kafka import TopicPartition
from django.contrib.auth.models import User

from tests.broker import PASSWORD, USER, Broker
from tests.stack.declared import DECLARED, build_event
from tests.stack.feeding import (
    TIMEOUT_S,
    build_wanted,
    count_refused,
    create_fed_stream,
    kill_twice,
    list_ids,
    read_source,
    wait_until,
    wait_until_landed,
)
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.connectors.reading import Message, Portion
from timeline_app.web.core.errors import ApiError
from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams import measure_writer
from timeline_app.web.streams.ingest import get_landing, take_events
from timeline_app.web.streams.services import change_stream, create_stream
from timeline_app.web.streams.source_intake import SourceProgress, SourceReadElsewhere, take_portion
from timeline_app.web.streams.source_services import pause_source, set_source, try_source

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def list_rejected(stream: Stream) -> list[RejectedEvent]:
    """The rejected messages, in the order of its messages."""
    measure_writer.write_measures()
    result = list(RejectedEvent.objects.filter(stream=stream))
    return sorted(result, key=lambda item: int(re.findall(r"message (\d+)", item.place)[0]))


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as result:
        yield result


def test_what_lies_in_several_topics_lands_once(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    for name in ("one", "two"):
        broker.topic(name, partitions=3)
    broker.send("one", map(build_event, range(500)))
    broker.send("two", map(build_event, range(500, 1000)))
    stream = create_fed_stream(ada, "several", "kafka", servers=broker.servers, topics="one, two")
    assert wait_until_landed(stream, 1000, intake) == build_wanted(1000)
    wait_until(lambda: read_source(stream).observed == "reading", lambda: read_source(stream).words, intake)

    pause_source(stream=stream, user=ada, paused=True)
    broker.send("one", map(build_event, range(1000, 1100)))
    intake()
    pause_source(stream=stream, user=ada, paused=False)
    broker.send("two", map(build_event, range(1100, 1200)))
    assert wait_until_landed(stream, 1200, intake) == build_wanted(1200)
    wait_until(lambda: read_source(stream).lag == 0, lambda: read_source(stream).lag, intake)
    stream.refresh_from_db()
    assert stream.events == 1200
    assert stream.seen_fields == ["id", "v"]


def test_what_was_there_before_is_left_out_where_it_begins_with_the_latest(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    topic = broker.topic("latest")
    broker.send(topic, map(build_event, range(50)))
    stream = create_fed_stream(ada, "latest", "kafka", servers=broker.servers, topics=topic, start="latest")
    wait_until(lambda: read_source(stream).observed == "reading", lambda: read_source(stream).words, intake)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    broker.send(topic, map(build_event, range(50, 60)))  # while nobody reads, before anything landed
    pause_source(stream=stream, user=ada, paused=False)
    assert wait_until_landed(stream, 10, intake) == sorted(f"e{number}" for number in range(50, 60))


def test_a_wrong_message_is_rejected_and_holds_up_no_other(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    topic = broker.topic("poison")
    several, array = (
        b"\n".join(map(build_event, (1, 2))),
        b"[" + build_event(3) + b"," + build_event(4) + b"]",
    )
    pretty = orjson.dumps(orjson.loads(build_event(5)), option=orjson.OPT_INDENT_2)
    problems = [
        b"{",
        b"\xff\xfe",
        None,
        b"  ",
        b"[1",
        b"17",
        build_event(9, k=None),
        build_event(9, t="noon"),
        build_event(9, v="many"),
        b"[]",
    ]
    broker.send(topic, [build_event(0), *problems, several, array, pretty, b"[" + build_event(6) + b",3]"])
    stream = create_fed_stream(ada, "poison", "kafka", servers=broker.servers, topics=topic)
    assert wait_until_landed(stream, 7, intake) == build_wanted(7)

    result = list_rejected(stream)
    places = [*(f"message {number}" for number in range(1, 11)), "line 2 of message 14"]
    assert [item.place for item in result] == [f"{place} of poison/0" for place in places]
    assert {(item.line, item.alone) for item in result} == {(None, True)}
    reasons = [(item.code, item.message) for item in result]
    assert reasons[0][0] == "cut_short"
    assert reasons[2] == ("empty", "the message has no value")
    assert reasons[6] == ("missing_key", "the key 'k' is missing")
    assert reasons[7][0] == "bad_time"
    assert result[6].text == build_event(9, k=None).decode()

    broker.send(topic, [b"wrong"] * 3)
    wait_until(lambda: count_refused(stream) == 14, lambda: count_refused(stream), intake)
    wait_until(
        lambda: 18 in [at for at, _ in read_source(stream).passed.values()],
        lambda: read_source(stream).passed,
        intake,
    )
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    pause_source(stream=stream, user=ada, paused=False)
    broker.send(topic, [build_event(7)])
    assert wait_until_landed(stream, 8, intake) == build_wanted(8)
    assert count_refused(stream) == 14


def test_events_take_the_key_and_headers_of_their_messages(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    topic, producer = broker.topic("keyed", partitions=2), broker.producer()
    bare = orjson.dumps({"t": 1_700_000_000_000, "id": "bare"})
    late = [("v", b"7"), ("id", b"first"), ("id", b"last"), ("cdn", None)]
    sent: list[tuple[bytes, str | bytes | None, list[tuple[str, str | bytes | None]]]] = [
        (build_event(1), "other", [("x-region", b"north")]),
        (bare, "kü", [("x-region", "süd")]),
        (b'{"t": 1700000000001}', b"k3", [*late]),
        (bare, b"\x00\xff", []),
        (b'{"t": 1700000000002, "k": "k4"}', None, [("x-region", b"\xe9"), ("id", b"wrong")]),
        (bare, None, []),
        (b'{"k": "k5", "id": "own"}', b"\xff", [("t", b"1700000000003")]),
    ]
    for value, key, headers in sent:
        producer.produce(topic, value, key=key, headers=headers, partition=0)
    assert producer.flush(TIMEOUT_S) == 0
    fields = {"key_field": "k", "header_fields": "region = x-region, id, cdn, t"}
    stream = create_fed_stream(ada, "keyed", "kafka", servers=broker.servers, topics=topic, **fields)
    assert wait_until_landed(stream, 4, intake) == ["bare", "e1", "last", "own"]
    landing = get_landing(stream.name)
    rows = landing.rows(0, landing.end(), ("key", "id", "fields")).to_pylist()
    assert sorted((row["key"], row["id"], dict(row["fields"]).get("region")) for row in rows) == [
        ("k1", "e1", "north"), ("k3", "last", None), ("k5", "own", None), ("kü", "bare", "süd"),
    ]  # fmt: skip
    assert [(item.place, item.field, item.code) for item in list_rejected(stream)] == [
        ("message 3 of keyed/0", "k", "not_utf8"),
        ("message 4 of keyed/0", "region", "not_utf8"),
        ("message 5 of keyed/0", "k", "missing_key"),
    ]
    tried = try_source(
        stream=stream, kind="kafka", options={"servers": broker.servers, "topics": topic, **fields}
    )
    assert '"k":"kü","region":"süd"' in tried[1]["text"]
    assert "the key is not text in UTF-8 (00 ff)" in tried[3]["problems"][0]["message"]


def test_reading_begins_with_what_was_written_at_a_time(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    topic, producer = broker.topic("since", partitions=2), broker.producer()
    now = time.time_ns() // 1_000_000
    for number in range(20):
        at = now - 60_000 + 1_000 * number
        producer.produce(topic, build_event(number), partition=0, timestamp=at)
    producer.produce(topic, build_event(98), partition=1, timestamp=now - 90_000)  # none is later in this one
    assert producer.flush(TIMEOUT_S) == 0
    moment = datetime.fromtimestamp((now - 60_000 + 5_000) / 1_000, UTC).isoformat()
    stream = create_fed_stream(ada, "since", "kafka", servers=broker.servers, topics=topic, since=moment)
    after = sorted(f"e{number}" for number in range(5, 20))
    assert wait_until_landed(stream, 15, intake) == after
    wait_until(lambda: read_source(stream).observed == "reading", lambda: read_source(stream).words, intake)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    early = datetime.fromtimestamp(
        now / 1_000 - 3_600, UTC
    ).isoformat()  # what was read goes on where it stands
    options = {"servers": broker.servers, "topics": topic, "since": early}
    set_source(stream=stream, user=ada, kind="kafka", options=options, paused=False)
    broker.send(topic, [build_event(99)], partition=1)
    assert wait_until_landed(stream, 16, intake) == sorted([*after, "e99"])


def test_reading_begins_with_offsets_where_some_are_given(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    topic, producer = broker.topic("placed", partitions=2), broker.producer()
    for number in range(20):
        producer.produce(topic, build_event(number), partition=number % 2)
    assert producer.flush(TIMEOUT_S) == 0
    options = {"servers": broker.servers, "topics": topic, "start": "latest"}
    stream = create_fed_stream(ada, "placed", "kafka", **options, offsets=f"{topic}/0=7")
    assert wait_until_landed(stream, 3, intake) == [
        "e14",
        "e16",
        "e18",
    ]  # of the other partition nothing is left
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    set_source(
        stream=stream, user=ada, kind="kafka", options=options | {"offsets": f"{topic}/1=0"}, paused=False
    )
    broker.send(topic, [build_event(99)], partition=1)
    assert wait_until_landed(stream, 4, intake) == ["e14", "e16", "e18", "e99"], (
        "what was read goes on where it stands"
    )


@pytest.mark.parametrize(
    ("offsets", "words"),
    [
        ("astray/0=11", "offsets has 11 for astray/0, which ends at 10 by now: correct it"),
        ("astray/1=0", "offsets names the partition 1 of 'astray', which is not read: it has 0 to 0"),
        ("other/0=0", "offsets names the partition 0 of 'other', which is not read: it is none of topics"),
    ],
)
def test_offsets_that_are_not_there_are_said_when_tried_and_when_read(
    broker: Broker, ada: User, intake: Callable[[], None], offsets: str, words: str
) -> None:
    if "astray" not in broker.admin().list_topics(timeout=TIMEOUT_S).topics:
        broker.send(broker.topic("astray"), map(build_event, range(10)))
    options = {"servers": broker.servers, "topics": "astray", "offsets": offsets}
    stream = create_fed_stream(ada, "astray", "kafka", **options)
    wait_until(lambda: words in read_source(stream).words, lambda: read_source(stream).words, intake)
    assert read_source(stream).observed == "retrying"
    with pytest.raises(ApiError, match=re.escape(words)):
        try_source(stream=stream, kind="kafka", options=options)


def test_what_is_final_may_go_by_the_slowest_partition(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    topic, producer = broker.topic("partitions", partitions=2), broker.producer()

    def send(partition: int, *seconds: int) -> None:
        for second in seconds:
            body = build_event(second, t=1_700_000_000_000 + 1_000 * second)
            producer.produce(topic, body, partition=partition)
        assert producer.flush(TIMEOUT_S) == 0

    def list_watermarks() -> list[int]:
        landing = get_landing(stream.name)
        marks = [beat for beat in landing.beats(0, landing.end()) if beat.holds]
        return [-1 if mark.until == BEGINNING else mark.until // 1_000_000 - 1_700_000_000 for mark in marks]

    options = {"servers": broker.servers, "topics": topic, "final_by": "slowest partition"}
    stream = create_fed_stream(ada, "partitions", "kafka", **options)
    send(0, 100, 200)
    wait_until_landed(stream, 2, intake)
    assert set(list_watermarks()) == {-1}
    words = (
        f"nothing more becomes final before {topic}/1 has had an event, unless the stream declares idle_after"
    )
    wait_until(lambda: words in read_source(stream).words, lambda: read_source(stream).words, intake)
    send(1, 50)
    wait_until(
        lambda: list_watermarks()[-1] == 20, list_watermarks, intake
    )  # less the allowed lateness, half a minute
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    send(1, 300)
    pause_source(stream=stream, user=ada, paused=False)  # who reads on knows how far both were
    wait_until(lambda: list_watermarks()[-1] == 170, list_watermarks, intake)
    change_stream(
        stream=stream, user=ada, document={**DECLARED, "idle_after": "2s", "allowed_lateness": "10s"}
    )
    wait_until(lambda: list_watermarks()[-1] == 190, list_watermarks, intake)
    send(1, 1_000)
    wait_until(lambda: list_watermarks()[-1] == 990, list_watermarks, intake)  # partition 0 is silent
    words = (
        f"its watermark is 2023-11-14T22:29:50+00:00, by {topic}/1"  # told at the next look after it landed
    )
    wait_until(lambda: words in read_source(stream).words, lambda: read_source(stream).words, intake)
    options["final_by"] = "newest event"
    set_source(stream=stream, user=ada, kind="kafka", options=options)
    wait_until(lambda: not Stream.objects.get(pk=stream.pk).held, lambda: read_source(stream).words, intake)


def test_a_broker_that_is_killed_again_and_again_loses_and_doubles_nothing(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    topic = broker.topic("load", partitions=2)
    stream = create_fed_stream(ada, "load", "kafka", servers=broker.servers, topics=topic)
    producer = broker.producer()

    def send(number: int) -> None:
        producer.produce(topic, build_event(number))
        if number % 20 == 19:
            producer.poll(0.02)

    sent = kill_twice(stream, intake, send, broker.kill, broker.start, "broker")
    assert producer.flush(TIMEOUT_S) == 0
    assert wait_until_landed(stream, sent, intake) == build_wanted(sent)
    wait_until(lambda: read_source(stream).observed == "reading", lambda: read_source(stream).words, intake)
    assert read_source(stream).missed == 0


def test_an_unknown_topic_is_said_and_read_once_it_is_there(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    stream = create_fed_stream(ada, "later", "kafka", servers=broker.servers, topics="comes_later")
    wait_until(
        lambda: "there is no topic 'comes_later'" in read_source(stream).words,
        lambda: read_source(stream).words,
        intake,
    )
    assert read_source(stream).observed == "retrying"
    broker.send(broker.topic("comes_later"), [build_event(0)])
    assert wait_until_landed(stream, 1, intake) == ["e0"]


def test_a_wrong_login_is_said_and_a_right_one_reads(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    broker.send(broker.topic("closed"), [build_event(0)])
    login = {"servers": broker.closed, "topics": "closed", "security": "sasl_plaintext", "user": USER}
    stream = create_fed_stream(ada, "closed", "kafka", **login, password="wrong")
    wait_until(
        lambda: "refuses the login of 'timelines'" in read_source(stream).words,
        lambda: read_source(stream).words,
        intake,
    )
    set_source(stream=stream, user=ada, kind="kafka", options={**login, "password": PASSWORD})
    assert wait_until_landed(stream, 1, intake) == ["e0"]
    assert PASSWORD not in str(StreamSource.objects.filter(pk=stream.pk).values().get())
    set_source(stream=stream, user=ada, kind="kafka", options=login)  # the secret stays
    broker.send("closed", [build_event(1)])
    assert wait_until_landed(stream, 2, intake) == ["e0", "e1"]


def test_what_the_broker_dropped_is_counted_and_a_topic_made_anew_is_read(
    broker: Broker, ada: User, intake: Callable[[], None]
) -> None:
    topic = broker.topic("short")
    broker.send(topic, map(build_event, range(10)))
    stream = create_fed_stream(ada, "short", "kafka", servers=broker.servers, topics=topic)
    wait_until_landed(stream, 10, intake)
    pause_source(stream=stream, user=ada, paused=True)
    intake()
    broker.send(topic, map(build_event, range(10, 20)))
    admin = broker.admin()
    admin.delete_records([TopicPartition(topic, 0, 15)])[TopicPartition(topic, 0)].result(TIMEOUT_S)
    pause_source(stream=stream, user=ada, paused=False)
    assert wait_until_landed(stream, 15, intake) == sorted(
        [*build_wanted(10), *(f"e{number}" for number in range(15, 20))]
    )
    wait_until(lambda: read_source(stream).missed == 5, lambda: read_source(stream).missed, intake)

    admin.delete_topics([topic])[topic].result(TIMEOUT_S)
    wait_until(lambda: read_source(stream).observed == "retrying", lambda: read_source(stream).words, intake)
    broker.send(broker.topic(topic), map(build_event, range(20, 23)))
    assert len(wait_until_landed(stream, 18, intake)) == 18


def test_two_that_read_the_same_source_land_it_once(ada: User) -> None:
    stream = create_stream(user=ada, name="twice", document=DECLARED)
    source = set_source(stream=stream, user=ada, kind="kafka", options={"servers": "h:1", "topics": "t"})
    left, right = SourceProgress.from_source(source), SourceProgress.from_source(source)
    portion = Portion([Message(build_event(0), "t/0", 0)], {"c/t/0": 1})
    assert take_portion(stream=stream, portion=portion, progress=left) == 1
    with pytest.raises(SourceReadElsewhere):
        take_portion(stream=stream, portion=portion, progress=right)
    take_events(stream=stream, body=build_event(1))  # the door is open beside it
    assert SourceProgress.from_source(source).standing == {"c/t/0": 1}
    assert list_ids(stream) == ["e0", "e1"]
