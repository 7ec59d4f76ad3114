"""Over REST, in the intake and in the delivery: what may be reached goes by who set it; no answer is repeated."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.connectors.listeners import SECRET, STRANGERS, Listener, build_http_answer
from tests.connectors.redis_server import Server
from tests.web.conftest import log_in_client
from tests.web.giving import share_exactly
from tests.web.log import make_node
from timeline_app.connectors import sink_kinds, source_kinds
from timeline_app.connectors.egress import policy
from timeline_app.connectors.egress.policy import Destination, EgressRefused
from timeline_app.connectors.egress.reaches import parse_reaches
from timeline_app.connectors.options import Option
from timeline_app.connectors.raw_events import EVENTS
from timeline_app.connectors.reading import SourceUnavailable
from timeline_app.connectors.source_contract import Given, Restriction, SplittableSource, resume
from timeline_app.connectors.splits.readers import SpooledReader
from timeline_app.connectors.webhook.sink import Webhook
from timeline_app.web.core.egress import build_egress
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import set_role
from timeline_app.web.models import Node, Stream
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.sinks import services as sink_services
from timeline_app.web.streams import source_services

AT = "/api/streams/player/source/"
HOSTS: dict[str, Callable[[str, int], dict[str, Any]]] = {
    "http": lambda host, port: {"url": f"http://{host}:{port}/x", "events": "list"},
    "redis_streams": lambda host, port: {"url": f"redis://{host}:{port}", "streams": "plays"},
    "mqtt": lambda host, port: {"broker": f"{host}:{port}", "topics": "a", "session": "s"},
    "kafka": lambda host, port: {"servers": f"{host}:{port}", "topics": "plays"},
}
SINKS: dict[str, Callable[[str, int], dict[str, Any]]] = {
    "webhook": lambda host, port: {"url": f"http://{host}:{port}/x", "secret": "a secret of the tests"},
    "postgres": lambda host, port: {"host": host, "port": port, "database": "d", "table": "t", "user": "u"},
    "kafka": lambda host, port: {"servers": f"{host}:{port}", "topic": "plays"},
}


@pytest.fixture
def node(ada: User) -> Node:
    return make_node(ada)


@pytest.fixture
def roots_stream(root: User, player: Stream) -> Stream:
    """The stream is an administrator's."""
    player.owner = root
    player.save()
    return player


@pytest.fixture
def closed_egress(settings: Settings) -> None:
    """As it is by default."""
    settings.EGRESS_HOSTS = parse_reaches("")


def put(client: APIClient, kind: str, host: str, port: int) -> Any:
    return client.put(AT, {"kind": kind, "options": HOSTS[kind](host, port)}, format="json")


def check(client: APIClient, kind: str, host: str, port: int) -> Any:
    return client.post(f"{AT}check/", {"kind": kind, "options": HOSTS[kind](host, port)}, format="json")


def add(client: APIClient, node: Node, kind: str, host: str, port: int) -> Any:
    body = {"kind": kind, "options": SINKS[kind](host, port), "delivers": "revisions"}
    return client.post(f"/api/nodes/{node.digest}/sinks/", body, format="json")


def try_sink(client: APIClient, node: Node, kind: str, host: str, port: int) -> Any:
    body = {"kind": kind, "options": SINKS[kind](host, port)}
    return client.post(f"/api/nodes/{node.digest}/sinks/check/", body, format="json")


@pytest.fixture
def server() -> Iterator[Listener]:
    with Listener(STRANGERS["JSON object"]) as made:
        yield made


@pytest.mark.usefixtures("closed_egress")
@pytest.mark.parametrize("kind", HOSTS)
def test_a_source_of_this_machine_is_neither_set_nor_tried_nor_read(
    kind: str, api: APIClient, roots: APIClient, player: Stream, server: Listener, settings: Settings
) -> None:
    for client in (api, roots):
        for host in ("127.0.0.1", "localhost", "169.254.169.254", "0.0.0.0"):
            answers = put(client, kind, host, server.port), check(client, kind, host, server.port)
            assert [answer.status_code for answer in answers] == [400, 400]
            assert "may not be reached" in answers[0].json()["message"]
            assert "TIMELINE_REACHES" in answers[1].json()["message"]
            assert answers[0].json()["code"] == "unreachable"
    assert not StreamSource.objects.exists()
    settings.EGRESS_HOSTS = parse_reaches("loopback")
    assert put(api, kind, "127.0.0.1", server.port).status_code == 200
    settings.EGRESS_HOSTS = parse_reaches("")
    assert server.came == 0
    source = StreamSource.objects.select_related("stream").get()
    with pytest.raises(Exception, match="may not be reached"):
        read(source)
    assert server.came == 0


def read(source: StreamSource) -> None:
    """As the intake does."""
    made = source_services.build_source(source)
    made.sample()


@pytest.mark.usefixtures("closed_egress")
@pytest.mark.parametrize("kind", SINKS)
def test_a_sink_of_this_machine_is_neither_added_nor_tried_nor_delivered_to(
    kind: str, api: APIClient, roots: APIClient, node: Node, server: Listener, settings: Settings
) -> None:
    for client in (api, roots):
        for host in ("127.0.0.1", "localhost", "169.254.169.254"):
            answers = (
                add(client, node, kind, host, server.port),
                try_sink(client, node, kind, host, server.port),
            )
            assert [item.status_code for item in answers] == [400, 400]
            assert all("may not be reached" in item.json()["message"] for item in answers)
    assert not NodeSink.objects.exists()
    settings.EGRESS_HOSTS = parse_reaches("loopback")
    assert add(api, node, kind, "127.0.0.1", server.port).status_code == 201
    settings.EGRESS_HOSTS = parse_reaches("")
    sink = NodeSink.objects.get()
    change = {"delivers": "revisions", "options": SINKS[kind]("127.0.0.2", server.port)}
    answer = api.put(f"/api/nodes/{node.digest}/sinks/{sink.pk}/", change, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "unreachable")
    with pytest.raises(Exception, match="may not be reached"):
        sink_services.build_sink(sink).check(sink_services.build_delivery(sink))
    assert server.came == 0


@pytest.mark.usefixtures("closed_egress")
@pytest.mark.parametrize("host", ["10.0.0.7", "172.20.0.7", "192.168.3.7", "100.64.9.7", "[fd12::7]"])
def test_private_networks_are_for_administrators(
    host: str, api: APIClient, roots: APIClient, player: Stream, node: Node
) -> None:
    assert "is a private network, and may not be reached" in put(api, "http", host, 80).json()["message"]
    assert (
        "is a private network, and may not be reached"
        in add(api, node, "webhook", host, 80).json()["message"]
    )
    assert put(roots, "http", host, 80).status_code == 200
    assert add(roots, node, "webhook", host, 80).status_code == 201


@pytest.mark.usefixtures("closed_egress")
def test_whoever_changes_what_an_administrator_has_set_reaches_no_more_than_before(
    api: APIClient, root: User, roots: APIClient, bob: User, roots_stream: Stream
) -> None:
    assert put(roots, "http", "10.0.0.7", 80).status_code == 200
    share_exactly(thing=roots_stream, user=root, holder=bob, rights=[Right.EDIT])
    assert put(log_in_client(bob), "http", "10.0.0.8", 80).status_code == 400
    assert put(log_in_client(bob), "http", "10.0.0.7", 80).status_code == 400
    source = StreamSource.objects.select_related("stream").get()
    assert (source.set_by, source.options["url"]) == (root, "http://10.0.0.7:80/…")
    assert read_egress(source).private


def read_egress(source: StreamSource) -> policy.Egress:
    made: Any = source_services.build_source(source)
    egress: policy.Egress = made.make().egress
    return egress


@pytest.mark.usefixtures("closed_egress")
def test_who_is_no_administrator_any_more_reaches_no_private_network_any_more(
    root: User, roots: APIClient, player: Stream, node: Node
) -> None:
    second = User.objects.create_superuser("second", password="all the engines")
    assert put(log_in_client(second), "http", "10.0.0.7", 80).status_code == 200
    assert add(log_in_client(second), node, "webhook", "10.0.0.7", 80).status_code == 201
    source, sink = StreamSource.objects.get(), NodeSink.objects.get()
    assert read_egress(source).private
    assert sink_services.build_sink(sink).egress.private
    set_role(person=second, user=root, role=Role.EDITOR)
    source, sink = StreamSource.objects.get(), NodeSink.objects.get()
    assert not read_egress(source).private
    assert not sink_services.build_sink(sink).egress.private
    with pytest.raises(SourceUnavailable, match="may not be reached"):
        read(source)
    with pytest.raises(EgressRefused, match="may not be reached"):
        sink_services.build_sink(sink).check(sink_services.build_delivery(sink))
    StreamSource.objects.update(set_by=None)
    assert not read_egress(StreamSource.objects.get()).private


@pytest.mark.usefixtures("closed_egress")
def test_only_an_administrator_learns_to_what_a_name_resolves(
    api: APIClient, roots: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(_host: str, port: int) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.7.9", port))]

    monkeypatch.setattr(policy, "resolve", resolve)
    for answer in (put(api, "http", "inner.example", 80), check(api, "http", "inner.example", 80)):
        assert "inner.example resolves to a link-local address" in answer.json()["message"]
        assert "169.254.7.9" not in answer.content.decode()
    assert "169.254.7.9" in check(roots, "http", "inner.example", 80).json()["message"]


@pytest.mark.parametrize("kind", HOSTS)
def test_no_source_reaches_a_service_of_the_product(
    kind: str,
    root: User,
    roots: APIClient,
    player: Stream,
    server: Listener,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.EGRESS_HOSTS = parse_reaches("loopback, private, localhost")
    usual = settings.SPARK_REMOTE
    settings.SPARK_REMOTE = f"sc://127.0.0.1:{server.port}/;token=x"
    message = check(roots, kind, "127.0.0.1", server.port).json()["message"]
    assert "a service of the product itself" in message
    settings.SPARK_REMOTE, settings.REDIS_URL = usual, f"redis://:word@localhost:{server.port}/0"
    with pytest.raises(EgressRefused, match="a service of the product itself"):
        build_egress(root).check([("127.0.0.2", server.port)])
    settings.REDIS_URL = "unix:///var/run/redis.sock"
    monkeypatch.setenv("STACK_SERVICES", f"web:8000,127.0.0.1:{server.port}")
    for host in ("127.0.0.1", "localhost", "127.0.0.9"):
        for answer in (check(roots, kind, host, server.port), put(roots, kind, host, server.port)):
            assert answer.status_code == 400
            assert "a service of the product itself" in answer.json()["message"]
    assert server.came == 0


@pytest.fixture
def redis(tmp_path: Any) -> Iterator[Server]:
    server = Server(tmp_path)
    yield server
    server.kill()


def test_the_redis_of_the_product_is_known_by_itself_and_never_written_to(
    roots: APIClient, player: Stream, redis: Server, settings: Settings
) -> None:
    client = redis.client()
    client.sadd("_kombu.binding.celery", "x")
    settings.REDIS_URL = f"unix://{redis.path / 'socket'}?db=0"
    for streams in ("celery", "_kombu.binding.celery"):
        options = {"url": redis.url, "streams": streams}
        answer = roots.post(f"{AT}check/", {"kind": "redis_streams", "options": options}, format="json")
        assert "the Redis that the product itself works with" in answer.json()["message"]
        assert roots.put(AT, {"kind": "redis_streams", "options": options}, format="json").status_code == 200
        made: Any = source_services.build_source(StreamSource.objects.get())
        with pytest.raises(SourceUnavailable, match="the product itself works with"):
            list(made.make().restrictions())
    assert client.keys() == [b"_kombu.binding.celery"]


def test_a_redis_that_cannot_be_told_from_the_own_one_is_refused(
    roots: APIClient, player: Stream, redis: Server, settings: Settings, tmp_path_factory: Any
) -> None:
    own = Server(tmp_path_factory.mktemp("own"))
    try:
        settings.REDIS_URL = f"unix://{own.path / 'socket'}"
        client = redis.client()
        client.xadd("plays", {"session_id": "s1"})
        assert check_redis(roots, redis.url).status_code == 200, "another one is read"
        client.execute_command("ACL", "SETUSER", "shy", "on", ">hush", "~*", "+@all", "-info")
        shy = check_redis(roots, redis.url.replace("//", "//shy@"), password="hush")
        assert "the user may not ask INFO" in shy.json()["message"]
        own.client().config_set("requirepass", "open sesame")
        assert (
            "product's own Redis cannot be asked just now" in check_redis(roots, redis.url).json()["message"]
        )
    finally:
        own.kill()


def check_redis(client: APIClient, url: str, **options: str) -> Any:
    body = {"kind": "redis_streams", "options": {"url": url, "streams": "plays", **options}}
    return client.post(f"{AT}check/", body, format="json")


@pytest.mark.parametrize(
    "url",
    [
        "unix:///var/run/redis.sock", "redis://host?socket_timeout=0.0004", "redis://host/0?nosuch=1", "redis:///0",
        "rediss://host?ssl_certfile=/etc/shadow", "redis://host?encoding=utf-16", "redis://host#x", "redis://host/x",
        "redis://host/0?", "redis://host/0/1", "http://host", "redis://host:0", "redis://host:99999", "redis://[::1",
        "redis://host?host=127.0.0.1", "redis://host?unix_socket_path=/x", "redis://host/-1", "redis://host/999999",
    ],
)  # fmt: skip
def test_of_the_address_of_a_redis_only_known_parts_are_taken(
    url: str, api: APIClient, player: Stream
) -> None:
    for answer in (
        check_redis(api, url),
        api.put(AT, {"kind": "redis_streams", "options": {"url": url, "streams": "a"}}, format="json"),
    ):
        assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "options.url")


@pytest.mark.parametrize("kind", HOSTS)
def test_no_answer_of_a_check_and_no_audit_repeats_what_a_server_says(
    kind: str, api: APIClient, player: Stream, caplog: pytest.LogCaptureFixture
) -> None:
    names = STRANGERS if kind != "kafka" else ("banner of mail", "JSON object")
    for name in names:
        if kind == "mqtt" and "Redis" in name:
            continue  # paho hears all of these as one malformed packet, after a while
        with Listener(STRANGERS[name]) as server:
            answers = [check(api, kind, "127.0.0.1", server.port), put(api, kind, "127.0.0.1", server.port)]
            answers += [api.get(AT), api.get("/api/streams/player/activity/")]
            assert server.came
        assert SECRET not in " ".join(answer.content.decode() for answer in answers), name
    assert SECRET not in json.dumps(list(AuditEntry.objects.values()), default=str)
    assert SECRET not in caplog.text


@pytest.mark.parametrize("kind", SINKS)
def test_no_answer_of_the_check_of_a_sink_repeats_what_a_server_says(
    kind: str, api: APIClient, node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    names = STRANGERS if kind != "kafka" else ("banner of mail", "JSON object")
    for name in names:
        with Listener(STRANGERS[name]) as server:
            answer = try_sink(api, node, kind, "127.0.0.1", server.port)
            assert server.came
        assert SECRET not in answer.content.decode(), name
    assert SECRET not in caplog.text


def test_an_open_server_is_read_as_before(api: APIClient, player: Stream) -> None:
    event = {"session_id": "s1", "event_id": "1", "t": 5, "player_state": "play"}
    with Listener(build_http_answer(json.dumps({"list": [event]}).encode())) as server:
        answer = check(api, "http", "127.0.0.1", server.port)
    assert answer.status_code == 200
    assert len(answer.json()["messages"]) == 1


class Probe(SplittableSource):
    """A source of one's own that keeps to the contract."""

    schema, reader = EVENTS, SpooledReader

    def __init__(
        self,
        host: Annotated[str, Option("The host")],
        port: Annotated[int, Option("Its port")],
        names_it: Annotated[bool, Option("Whether it names the host before it connects")] = True,
    ) -> None:
        self.host, self.port, self.names_it = host, port, names_it

    def destinations(self) -> Iterable[Destination]:
        return [(self.host, self.port)] if self.names_it else []

    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction("", 0)]

    def process(self, *_: object) -> Given:
        yield self._read(), "", "1"
        return resume(1)

    def sample(self, most: int) -> Iterator[tuple[str, str, str]]:
        yield self._read(), "", str(most)

    def _read(self) -> str:
        with self.egress.connect(self.host, self.port, 2) as made:
            made.sendall(b"GET / HTTP/1.0\r\n\r\n")
            raise ValueError(made.recv(1_000).decode())


class ProbeSink(Webhook):
    """A sink of one's own that names nothing before it connects."""

    def destinations(self) -> Iterable[Destination]:
        return []


def test_kinds_of_ones_own_are_held_to_the_policy_by_the_contract(
    api: APIClient,
    player: Stream,
    node: Node,
    server: Listener,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(source_kinds.KINDS, "probe", Probe)
    monkeypatch.setitem(sink_kinds.KINDS, "probe", ProbeSink)
    monkeypatch.setitem(SINKS, "probe", SINKS["webhook"])
    settings.EGRESS_HOSTS = parse_reaches("")
    options = {"host": "127.0.0.1", "port": server.port}
    assert api.put(AT, {"kind": "probe", "options": options}, format="json").json()["code"] == "unreachable"
    blind = {"kind": "probe", "options": options | {"names_it": False}}
    assert api.put(AT, blind, format="json").status_code == 200
    assert "may not be reached" in api.post(f"{AT}check/", blind, format="json").json()["message"]
    assert "may not be reached" in try_sink(api, node, "probe", "127.0.0.1", server.port).json()["message"]
    assert server.came == 0
    settings.EGRESS_HOSTS = parse_reaches("loopback")
    answer = api.post(f"{AT}check/", blind, format="json")
    assert "the source failed (ValueError; see the log of the server)" in answer.json()["message"]
    assert server.came == 1
    assert SECRET not in answer.content.decode()
