"""Webhooks keep what the contract says: signed, with an id, again until they are taken."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.connectors.receiver import Answer
from tests.connectors.worlds import OfWebhook
from tests.dripping import HEAD, Dripping
from tests.endless import Endless
from timeline_app.connectors.egress.policy import Egress
from timeline_app.connectors.http.posting import HttpPoster
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.sink_contract import TargetUnavailable
from timeline_app.connectors.sink_kit import CASES, SinkCase
from timeline_app.connectors.sink_kit.cases import (
    build_batch,
    build_delivery,
    check_arrived,
    deliver_batches,
    open_sink,
)
from timeline_app.connectors.webhook.sink import Webhook


@pytest.fixture
def world() -> Iterator[OfWebhook]:
    made = OfWebhook()
    yield made
    made.close()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_keeps_its_promises(case: SinkCase) -> None:
    case.run(OfWebhook)


def test_what_was_not_taken_comes_again_under_its_id(world: OfWebhook) -> None:
    answers: Iterator[Answer] = iter([(200, {}), (503, {}), *[(200, {})] * 9])
    world.receiver.answer = lambda _: next(answers)
    sink = open_sink(world)
    with pytest.raises(TargetUnavailable, match=r"127\.0\.0\.1 answers 503 Service Unavailable"):
        deliver_batches(sink, [0])
    sink.close()
    deliver_batches(open_sink(world), [0, 1])
    check_arrived(world, [0, 1])
    assert world.receiver.posted == [f"first-{name}" for name in ("0-0", "0-1", "0-0", "0-1", "1-0", "1-1")]


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [("7", 7, 7), (None, None, None), ("soon", None, None), ("99999999", 3600, 3600), ("-1", None, None)],
)
def test_who_asks_for_patience_gets_it(world: OfWebhook, value: Any, least: Any, most: Any) -> None:
    world.receiver.answer = lambda _: (429, {"Retry-After": value} if value else {})
    with pytest.raises(TargetUnavailable) as raised:
        deliver_batches(open_sink(world), [0])
    assert raised.value.wait == least == most


def test_a_date_is_waited_for(world: OfWebhook) -> None:
    world.receiver.answer = lambda _: (503, {"Retry-After": formatdate(time.time() + 600, usegmt=True)})
    with pytest.raises(TargetUnavailable) as raised:
        deliver_batches(open_sink(world), [0])
    assert raised.value.wait is not None
    assert 0 < raised.value.wait <= 600


@pytest.mark.parametrize(
    ("url", "port"),
    [("http://[::1]/", 80), ("https://[2001:db8::7]/hook", 443), ("http://[::1]:8080/", 8080)],
)
def test_an_address_of_ipv6_needs_no_port(url: str, port: int) -> None:
    connection = HttpPoster(url, 1.0, Egress())._connect()
    assert (connection.host, connection.port) == (urlsplit(url).hostname, port)


def test_nothing_is_sent_elsewhere(world: OfWebhook) -> None:
    world.receiver.answer = lambda _: (307, {"Location": "http://127.0.0.1:1/"})
    with pytest.raises(
        TargetUnavailable, match=r"answers 307 .*; it is not followed, write the address where it leads"
    ):
        world.sink().check(build_delivery(world))


def test_a_wrong_secret_is_told(world: OfWebhook) -> None:
    with pytest.raises(TargetUnavailable, match="answers 401"):
        Webhook(url=world.url, secret="x" * 16).check(build_delivery(world))


def test_who_never_answers_is_not_waited_for_for_ever() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/"
        sink = Webhook(url=url, secret="x" * 16, timeout=1.0)
        sink.open(build_delivery(OfWebhook()))
        sink.stage(0, build_batch(0))
        with pytest.raises(TargetUnavailable, match="has not answered for 1 s"):
            sink.publish(0)


def test_a_receiver_that_hung_up_meanwhile_is_called_again_at_once(world: OfWebhook) -> None:
    world.receiver.patience = 0.05
    sink = open_sink(world)
    deliver_batches(sink, [0])
    assert isinstance(sink, Webhook)
    assert sink._poster is not None
    assert sink._poster._connection is not None
    select.select([sink._poster._connection.sock], [], [], 60)  # until it has
    deliver_batches(sink, [1])
    check_arrived(world, [0, 1])
    assert world.receiver.posted == [f"first-{name}" for name in ("0-0", "0-1", "1-0", "1-1")]


def test_who_answers_without_end_is_not_listened_to_for_ever() -> None:
    with Endless() as url:
        sink = Webhook(url=url, secret="x" * 16, timeout=1.0)
        with pytest.raises(TargetUnavailable, match="has not answered for 1 s"):
            sink.check(build_delivery(OfWebhook()))


@pytest.mark.parametrize(("first", "drop"), [(b"", b"H"), (HEAD, b"X-A: b\r\n"), (HEAD + b"X: ", b"y")])
def test_who_answers_in_drops_is_not_listened_to_for_ever(first: bytes, drop: bytes) -> None:
    with Dripping(first, drop) as url:
        sink, started = Webhook(url=url, secret="x" * 16, timeout=1.0), time.monotonic()
        with pytest.raises(TargetUnavailable, match="has not answered for 1 s"):
            sink.check(build_delivery(OfWebhook()))
        assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    "url",
    [
        "ftp://h/", "file:///etc/passwd", "http://", "https://user:pw@h/", "http://h:99999/", "http://h:0/", "//h/",
        "http://h/a b", "http://h/ü", "http://[::1/", "http://h/\r\nX: y", "gopher://h",
        "http://a..b/", f"http://{'a' * 70}/",
    ],
)  # fmt: skip
def test_an_address_is_one_of_the_web(url: str) -> None:
    with pytest.raises(BadOptions, match="url: "):
        read(Webhook, {"url": url, "secret": "x" * 16})


def test_a_secret_is_long_and_never_told() -> None:
    with pytest.raises(BadOptions, match="secret: must have at least 16 characters") as raised:
        read(Webhook, {"url": "https://h/", "secret": "hush"})
    assert "hush" not in str(raised.value)
