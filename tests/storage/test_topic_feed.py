"""A feed that is a topic of a real broker: a batch is there whole or not at all, counts once, and is read at will."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from tests.broker import PASSWORD, USER
from tests.broker import Broker as Running
from tests.storage.packets import rows_of_batch
from tests.storage.test_packs import publish as publish_file
from timeline_app.storage import manifests, topic_feed, topics
from timeline_app.storage.addresses import Place
from timeline_app.storage.broker import Away, Broker, BrokerTrouble, Lost, keep
from timeline_app.storage.chain import Chain, ChainLink
from timeline_app.storage.feeds import NOTE, begin, feed_of
from timeline_app.storage.file_feed import FileFeed
from timeline_app.storage.packets import packed
from timeline_app.storage.places import Places
from timeline_app.storage.topic_feed import TopicFeed

pytestmark = pytest.mark.stack
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with Running() as made:
        yield made


@pytest.fixture
def broker(running: Running, tmp_path: Path) -> Broker:
    made = Broker(running.servers, "tests")
    keep(tmp_path, made)
    return made


@pytest.fixture
def feed(broker: Broker, tmp_path: Path) -> TopicFeed:
    """A new one."""
    return begun(tmp_path, broker)


def anew(feed: TopicFeed) -> TopicFeed:
    """The same feed, as a process that has seen nothing of it reads it."""
    topics._OPEN.clear()
    return feed


def views(feed: TopicFeed) -> Iterator[TopicFeed]:
    """The feed as it is known here, and then to whoever comes late."""
    yield feed
    yield anew(feed)


def begun(folder: Path, broker: Broker, name: str = "q") -> TopicFeed:
    begin(folder / "feeds" / name, broker)
    found = feed_of(folder / "feeds" / name)
    assert isinstance(found, TopicFeed)
    return found


def publish(feed: TopicFeed, batch: int, *tasks: pa.Table) -> None:
    """As Spark does it: each task writes its packets, then the batch is committed."""
    feed.commit(batch, [packet for rows in tasks for packet in feed.write(packed(rows))])


def keys(rows: pa.Table) -> list[str]:
    return [str(key) for key in rows["key"].to_pylist()]


def told(feed: TopicFeed) -> list[list[str]]:
    """What it has, batch by batch."""
    feed.look()
    found: list[list[str]] = []
    while feed.has(len(found)):
        found.append(keys(feed.read(len(found))))
    return found


def test_batches_are_read_as_they_were_written_by_whoever_comes_late(feed: TopicFeed) -> None:
    assert told(feed) == []
    publish(feed, 0, rows_of_batch("a", "b"), rows_of_batch("c"))
    publish(feed, 1)
    publish(feed, 2, rows_of_batch("d"))
    for reader in views(feed):
        assert told(reader) == [["a", "b", "c"], [], ["d"]]
        assert [reader.size(batch) for batch in range(3)] == [3, 0, 1]
        assert not reader.has(3)
        rows = reader.rows(0, 3)
        assert (keys(rows), rows["batch"].to_pylist()) == (["a", "b", "c", "d"], [0, 0, 0, 2])
        assert keys(reader.rows(1, 2)) == []


def test_a_batch_that_is_written_twice_counts_once_also_long_after(feed: TopicFeed) -> None:
    for batch in range(4):
        publish(feed, batch, rows_of_batch(f"{batch}"))
        publish(feed, batch, rows_of_batch(f"{batch}"))
    publish(feed, 1, rows_of_batch("of one who was asleep"))
    publish(feed, 4, rows_of_batch("4"))
    for reader in views(feed):
        assert told(reader) == [["0"], ["1"], ["2"], ["3"], ["4"]]


def test_a_batch_behind_others_that_were_lost_is_refused_and_does_not_count(feed: TopicFeed) -> None:
    publish(feed, 0, rows_of_batch("a"))
    with pytest.raises(Lost, match=r"has lost batches 1 to 2 of the topic"):
        publish(feed, 3, rows_of_batch("d"))
    feed._topics.append(feed.topic, manifests.MANIFESTS, [manifests.Manifest(3, ()).message()])
    for reader in views(feed):
        assert told(reader) == [["a"]]
    for batch, key in enumerate("bcd", 1):
        publish(feed, batch, rows_of_batch(key))
    for reader in views(feed):
        assert told(reader) == [["a"], ["b"], ["c"], ["d"]]


def test_what_no_manifest_names_is_not_read(feed: TopicFeed) -> None:
    publish(feed, 0, rows_of_batch("a"))
    feed.write(packed(rows_of_batch("of a task that failed")))
    first = feed.write(packed(rows_of_batch("b")))
    feed.write(packed(rows_of_batch("of another one")))
    feed.commit(1, [*first, *feed.write(packed(rows_of_batch("c")))])
    assert told(feed) == [["a"], ["b", "c"]]
    assert keys(feed.rows(0, 2)) == ["a", "b", "c"]


def test_every_batch_of_a_long_feed_is_found_though_only_some_are_kept(
    feed: TopicFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifests, "WINDOW", 8)
    monkeypatch.setattr(manifests, "RECENT", 16)
    for batch in range(120):
        packets = feed.write(packed(rows_of_batch(f"{batch}")))
        for _ in range(1 + (batch % 7 == 0) + 20 * (batch == 50)):
            feed.commit(batch, packets)
        if batch == 90:
            feed.commit(3, feed.write(packed(rows_of_batch("of one who was asleep"))))
    for reader in views(feed):
        reader.look()
        for batch in (119, 0, 1, 49, 50, 51, 3, 90, 91, 64, *range(100, 120)):
            assert keys(reader.read(batch)) == [f"{batch}"]
        assert keys(reader.rows(40, 60)) == [f"{batch}" for batch in range(40, 60)]


def test_old_batches_are_looked_up_together(feed: TopicFeed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "WINDOW", 16)
    monkeypatch.setattr(manifests, "RECENT", 16)
    many = [manifests.Manifest(batch, ()).message() for batch in range(100)]
    feed._topics.append(feed.topic, manifests.MANIFESTS, many)
    feed.look()
    fetched, fetch = list[int](), feed._topics.fetch

    def counted(topic: str, partition: int, start: int, end: int) -> list[Message]:
        fetched.append(start)
        return fetch(topic, partition, start, end)

    monkeypatch.setattr(feed._topics, "fetch", counted)
    assert [feed.size(batch) for batch in range(80)] == [0] * 80
    assert len(fetched) <= 8


def test_what_is_forgotten_is_written_again(feed: TopicFeed) -> None:
    publish(feed, 0, rows_of_batch("a"))
    publish(feed, 1, rows_of_batch("torn"))
    feed.forget(1)
    assert told(feed) == [["a"]]
    publish(feed, 1, rows_of_batch("b"))
    publish(feed, 2, rows_of_batch("c"))
    for reader in views(feed):
        assert told(reader) == [["a"], ["b"], ["c"]]
        assert reader.is_whole(1)


def test_a_batch_larger_than_the_broker_takes_goes_in_parts(feed: TopicFeed) -> None:
    large = [f"{number:06} {'x' * 40} {number * 7919 % 100_003}" for number in range(100_000)]
    publish(feed, 0, rows_of_batch(*large), rows_of_batch(*reversed(large)))
    assert max(len(packet.offsets) for packet in feed._manifests.of(0).packets) > 1
    assert told(anew(feed)) == [[*large, *reversed(large)]]


def test_a_packet_that_cannot_be_read_is_told_from_a_whole_one(feed: TopicFeed) -> None:
    publish(feed, 0, rows_of_batch("a"))
    feed.commit(1, feed.write([(1, b"nonsense")]))
    feed.look()
    assert (feed.is_whole(0), feed.is_whole(1)) == (True, False)


WRITER = """
import os, sys
from pathlib import Path
from timeline_app.storage.feeds import feed_of
from timeline_app.storage.packets import packed
from tests.storage.packets import rows_of_batch
from tests.storage.test_packs import publish as publish_file
feed = feed_of(Path(sys.argv[1]))
packets = feed.write(packed(rows_of_batch("of one who was killed")))
if sys.argv[2] == "late":
    feed.commit(1, packets)
print("written", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(("when", "there"), [("early", False), ("late", True)])
def test_a_writer_that_is_killed_has_written_all_or_nothing(feed: TopicFeed, when: str, there: bool) -> None:
    publish(feed, 0, rows_of_batch("a"))
    command = [sys.executable, "-c", WRITER, str(feed.path), when]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == b"written\n"
        writer.send_signal(signal.SIGKILL)
    assert told(feed) == [["a"], *([["of one who was killed"]] if there else [])]
    publish(feed, 1, rows_of_batch("b"))
    assert told(feed) == [["a"], ["of one who was killed" if there else "b"]]


def test_several_read_at_once_while_it_is_written(feed: TopicFeed) -> None:
    heard: list[list[list[str]]] = []

    def read() -> None:
        reader, found = TopicFeed(feed.path, feed.topic), list[list[str]]()
        while len(found) < 40:
            if reader.has(len(found)):
                found.append(keys(reader.read(len(found))))
        heard.append(found)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for batch in range(40):
        publish(feed, batch, rows_of_batch(f"{batch}"))
    for reader in readers:
        reader.join()
    assert heard == [[[f"{batch}"] for batch in range(40)]] * 3


def test_a_process_that_was_forked_reads_and_writes_with_clients_of_its_own(feed: TopicFeed) -> None:
    publish(feed, 0, rows_of_batch("a"))
    assert told(feed) == [["a"]]

    def child() -> None:
        publish(feed, 1, rows_of_batch("b"))
        os._exit(0 if told(feed) == [["a"], ["b"]] else 1)

    forked = multiprocessing.get_context("fork").Process(target=child)
    forked.start()
    forked.join(60)
    assert forked.exitcode == 0
    assert told(feed) == [["a"], ["b"]]


def test_feeds_of_one_broker_do_not_mix_and_a_name_used_again_begins_anew(
    broker: Broker, tmp_path: Path
) -> None:
    keep(tmp_path / "other", broker)
    found = [begun(tmp_path, broker), begun(tmp_path, broker, "q-1"), begun(tmp_path / "other", broker)]
    for place, feed in enumerate(found):
        publish(feed, 0, rows_of_batch(f"{place}"))
    assert [told(feed) for feed in found] == [[["0"]], [["1"]], [["2"]]]


def test_a_node_that_moves_from_files_to_a_topic_is_read_along_its_chain(
    broker: Broker, tmp_path: Path
) -> None:
    places = Places(tmp_path)
    publish_file(FileFeed(places.feed("old")), 0, 3)
    feed = begun(tmp_path, broker, "new")
    publish(feed, 0, rows_of_batch("a"))
    publish(feed, 1, rows_of_batch("b", "c"))
    chain = Chain(places, "node")
    chain.write([ChainLink("old", 0, 1), ChainLink("new", 0)])
    chain.look()
    assert [chain.has(number) for number in range(4)] == [True, True, True, False]
    assert [chain.size(number) for number in range(3)] == [3, 1, 2]
    rows = chain.rows(1, 3)
    assert (keys(rows), rows["batch"].to_pylist()) == (["a", "b", "c"], [1, 2, 2])


def test_what_began_as_files_stays_so(broker: Broker, tmp_path: Path) -> None:
    begin(tmp_path / "feeds" / "f", None)
    (tmp_path / "feeds" / "f" / "_spark_metadata").mkdir(parents=True)
    begin(tmp_path / "feeds" / "f", broker)
    assert feed_of(tmp_path / "feeds" / "f") == FileFeed(tmp_path / "feeds" / "f")


def test_a_feed_that_is_being_made_is_not_taken_for_files_for_good(broker: Broker, tmp_path: Path) -> None:
    folder = tmp_path / "feeds" / "q"
    folder.mkdir(parents=True)
    (folder / ".1.staged").touch()
    assert feed_of(folder) == FileFeed(folder)
    begin(folder, broker)
    assert isinstance(feed_of(folder), TopicFeed)


def of_prefix(running: Running, prefix: str) -> list[str]:
    """The topics of that prefix."""
    return [name for name in running.admin().list_topics(timeout=30).topics if name.startswith(prefix)]


def test_of_those_who_make_a_feed_at_once_one_does_and_no_topic_is_left(
    running: Running, place: Place
) -> None:
    broker, folder = Broker(running.servers, f"at-once-{uuid.uuid4().hex[:8]}"), place / "feeds" / "q"
    together = threading.Barrier(3)

    def launch() -> None:
        together.wait()
        topic_feed.make(folder, NOTE, broker)

    launchers = [threading.Thread(target=launch) for _ in range(3)]
    for launcher in launchers:
        launcher.start()
    for launcher in launchers:
        launcher.join()
    until = time.monotonic() + 30.0
    while len(made := of_prefix(running, broker.prefix)) > 1 and time.monotonic() < until:
        time.sleep(0.1)  # what is deleted may be listed for a moment
    assert made == [(folder / NOTE).read_text()]
    if isinstance(place, Path):
        assert [path.name for path in (place / "feeds").iterdir()] == ["q"]


def test_a_broker_that_is_away_is_said_and_what_was_read_goes_on_when_it_is_back(
    running: Running, feed: TopicFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics, "PATIENCE", 1.0)
    monkeypatch.setattr(topics, "SENDING", 1.0)
    publish(feed, 0, rows_of_batch("a"))
    assert told(feed) == [["a"]]
    running.kill()
    try:
        assert feed.has(0)
        assert not feed.has(1)
        for asked in (feed.look, lambda: feed.read(0), lambda: publish(feed, 1, rows_of_batch("lost"))):
            with pytest.raises(
                BrokerTrouble, match=rf"the broker of the feeds \({running.servers}\) does not answer"
            ):
                asked()
        assert not anew(feed).has(0), "whoever has not asked before knows nothing, and does not die"
    finally:
        running.start()
    monkeypatch.undo()
    publish(feed, 1, rows_of_batch("b"))
    assert told(feed)[0] == ["a"]
    assert told(feed)[-1] in (["b"], ["lost"])


def test_a_broker_that_is_away_is_asked_once_for_all_that_is_read(
    running: Running, broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics, "PATIENCE", 1.0)
    monkeypatch.setattr(topics, "REST", 3_600.0)
    found = [begun(tmp_path, broker, name) for name in ("a", "b", "unknown")]
    for feed in found[:2]:
        publish(feed, 0, rows_of_batch("x"))
    asked = list[str]()
    running.kill()
    try:
        with pytest.raises(BrokerTrouble, match="does not answer"):
            found[0].read(0)
        monkeypatch.setattr(found[0]._topics, "end", lambda *_: asked.append("end"))
        monkeypatch.setattr(found[0]._topics, "_fetcher", None)
        assert not found[2].has(0)
        for feed in found[:2]:
            with pytest.raises(BrokerTrouble, match="does not answer"):
                feed.read(0)
        assert asked == []
    finally:
        running.start()
    monkeypatch.undo()
    found[1].look()
    assert told(found[1]) == [["x"]]


class GivingUp:
    """A client whose connection is given up for another one while it asks, so many times."""

    def __init__(self, client: Consumer, times: int) -> None:
        self._client = client
        self._times = times

    def get_watermark_offsets(self, place: TopicPartition, patience: float) -> tuple[int, int]:
        if self._times:
            self._times -= 1
            raise KafkaException(KafkaError(KafkaError._DESTROY_BROKER))
        return self._client.get_watermark_offsets(place, patience)

    def poll(self, seconds: float) -> Message | None:
        return self._client.poll(seconds)


def test_a_question_whose_connection_is_given_up_is_asked_again(
    feed: TopicFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(feed, 0, rows_of_batch("x"))
    client = feed._topics._fetcher
    monkeypatch.setattr(feed._topics, "_fetcher", GivingUp(client, 2))
    assert feed.last() == 0
    monkeypatch.setattr(topics, "PATIENCE", 0.3)
    monkeypatch.setattr(feed._topics, "_fetcher", GivingUp(client, 1_000))
    with pytest.raises(Away, match="does not answer"):
        feed.last()


def test_following_that_is_forbidden_is_logged_once_and_raised_by_who_looks(
    feed: TopicFeed, caplog: pytest.LogCaptureFixture
) -> None:
    feed.look()
    forbidden = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    for _ in range(2):
        feed._topics._came(Message(topic=feed.topic, partition=0, error=forbidden))
    assert caplog.text.count("cannot be followed") == 1
    with pytest.raises(BrokerTrouble, match="forbids"):
        feed._topics.heard(feed.topic)
    feed._topics.heard(feed.topic)


def test_a_login_that_is_refused_is_said_without_its_password(running: Running, tmp_path: Path) -> None:
    wrong = Broker(running.closed, "tests", "sasl_plaintext", user=USER, password="another secret")
    with pytest.raises(BrokerTrouble, match=r"refuses the login of 'timelines'") as told:
        begin(tmp_path / "feeds" / "q", wrong)
    assert "another secret" not in f"{told.value} {wrong!r}"
    right = Broker(running.closed, "tests", "sasl_plaintext", user=USER, password=PASSWORD)
    keep(tmp_path, right)
    assert oct((tmp_path / "feeds-broker").stat().st_mode & 0o777) == "0o600"
    publish(begun(tmp_path, right), 0, rows_of_batch("a"))


def test_a_topic_that_was_deleted_is_said(running: Running, feed: TopicFeed) -> None:
    publish(feed, 0, rows_of_batch("a"))
    admin = running.admin()
    admin.delete_topics([feed.topic])[feed.topic].result(30)
    with pytest.raises(BrokerTrouble, match="has no topic"):
        anew(feed).look()
