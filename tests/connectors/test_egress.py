"""No source or sink reaches what is closed, however it is spelled, resolved or led to; no answer is repeated."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import psycopg
import pytest
from confluent_kafka import Producer

from tests.connectors.listeners import SECRET, STRANGERS, Listener, build_http_answer
from timeline_app.algebra.kinds import Kind
from timeline_app.connectors.egress import policy
from timeline_app.connectors.egress.networks import Zone, classify_address
from timeline_app.connectors.egress.policy import Egress, EgressRefused
from timeline_app.connectors.egress.reaches import Reaches, parse_reaches
from timeline_app.connectors.http.source import HttpApi
from timeline_app.connectors.kafka.sink import KafkaTopic
from timeline_app.connectors.kafka.source import Kafka
from timeline_app.connectors.mqtt.source import Mqtt
from timeline_app.connectors.postgres.connection import isolate_settings
from timeline_app.connectors.postgres.sink import Postgres
from timeline_app.connectors.redis.source import RedisStreams
from timeline_app.connectors.sink_contract import Delivery
from timeline_app.connectors.webhook.sink import Webhook

CLOSED = Egress(Reaches())
PASSWORD = "open-sesame-of-the-account"
DELIVERY = Delivery("i", "n", Kind.BOOL, Path())
Try = Callable[[str, int, Egress], None]


def add_brackets(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def read_http(host: str, port: int, egress: Egress) -> None:
    source = HttpApi(f"http://{add_brackets(host)}:{port}/x", events="list", next="AccessKeyId")
    source.egress = egress
    list(source.sample(5))
    next(source.process("", _Tracker(), None, lambda _: None))  # type: ignore[arg-type]


def read_redis(host: str, port: int, egress: Egress) -> None:
    source = RedisStreams(f"redis://{add_brackets(host)}:{port}", "plays")
    source.egress = egress
    list(source.sample(5))


def read_mqtt(host: str, port: int, egress: Egress) -> None:
    source = Mqtt(f"{add_brackets(host)}:{port}", "a", "session")
    source.egress = egress
    list(source.sample(1))


def read_kafka(host: str, port: int, egress: Egress) -> None:
    source = Kafka(servers=f"{add_brackets(host)}:{port}", topics="plays")
    source.egress = egress
    source.sample()


def check_kafka_topic(host: str, port: int, egress: Egress) -> None:
    sink = KafkaTopic(servers=f"{add_brackets(host)}:{port}", topic="plays")
    sink.egress = egress
    sink.check(DELIVERY)


def check_webhook(host: str, port: int, egress: Egress) -> None:
    sink = Webhook(url=f"http://{add_brackets(host)}:{port}/x", secret="a secret of the tests", timeout=2)
    sink.egress = egress
    sink.check(DELIVERY)


def check_postgres(host: str, port: int, egress: Egress) -> None:
    sink = Postgres(host=host, port=port, database="d", table="t", user="u")
    sink.egress = egress
    sink.check(DELIVERY)


class _Tracker:
    start = (0, 0, "")

    def try_claim(self, *_: object) -> bool:
        return True


KINDS: dict[str, Try] = {
    "http": read_http,
    "redis": read_redis,
    "mqtt": read_mqtt,
    "kafka": read_kafka,
    "kafka topic": check_kafka_topic,
    "webhook": check_webhook,
    "postgres": check_postgres,
}
SPELLINGS = [
    "127.0.0.1", "127.0.0.53", "127.255.255.254", "localhost", "LOCALHOST", "127.1", "127.0.1", "2130706433",
    "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "0", "0.0.0.0", "::1", "::",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2", "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
    "0xa9fea9fe", "fe80::1",
    "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "fc00::1", "fd00:ec2::254", "fec0::1", "224.0.0.1",
    "ff02::1",
    "255.255.255.255", "240.0.0.1", "192.0.0.192", "198.18.0.1", "192.0.2.1", "203.0.113.1", "2001:db8::1", "100::1",
    "5f00::1",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_no_spelling_reaches_what_is_closed(kind: str) -> None:
    with Listener() as server:
        for spelling in SPELLINGS:
            with pytest.raises(Exception, match=r"may not be reached|no usual way to write") as raised:
                KINDS[kind](spelling, server.port, CLOSED)
            assert "TIMELINE_REACHES" in str(raised.value) or "write its name" in str(raised.value)
        assert server.came == 0


def test_what_is_refused_sounds_alike_whether_anything_listens_there() -> None:
    with Listener() as server:
        open_port, closed_port = server.port, _find_unused_port()
        for attempt in KINDS.values():
            messages = []
            for port in (open_port, closed_port):
                with pytest.raises(Exception, match="may not be reached") as raised:
                    attempt("127.0.0.1", port, CLOSED)
                messages.append(str(raised.value).replace(str(port), "PORT"))
            assert messages[0] == messages[1]


def test_public_addresses_are_open_and_those_of_an_interface_of_this_machine_are_not() -> None:
    for public in ("8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "64:ff9b::808:808"):
        assert classify_address(ip_address(public)) is Zone.PUBLIC
        assert CLOSED.addresses(public, 443)[0].address == public
    private = Egress(Reaches(), private=True)
    assert private.addresses("10.1.2.3", 5432)[0].address == "10.1.2.3"
    for closed in ("127.0.0.1", "169.254.169.254", "224.0.0.1", "0.0.0.0", "fe80::1", "::ffff:127.0.0.1"):
        with pytest.raises(EgressRefused):
            private.addresses(closed, 80)


@pytest.fixture
def two() -> Any:
    """One server that may be reached, and another one at the next address with the same port, which may not."""
    with (
        Listener(build_http_answer(b"[]")) as good,
        Listener(build_http_answer(b"[]"), "127.0.0.2", good.port) as bad,
    ):
        yield good, bad


def answers(monkeypatch: pytest.MonkeyPatch, *turns: list[str]) -> list[str]:
    """The resolver knows `rebound.example` only, and answers otherwise each time; the last answer stays."""
    requests: list[str] = []

    def resolve(host: str, port: int) -> list[Any]:
        requests.append(host)
        if host != "rebound.example":
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        result = turns[min(requests.count(host), len(turns)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (item, port)) for item in result]

    monkeypatch.setattr(policy, "resolve", resolve)
    return requests


ONLY_ONE = Egress(parse_reaches("127.0.0.1"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_resolves_otherwise_at_the_next_connection_is_refused(
    kind: str, two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = two
    answers(monkeypatch, ["127.0.0.1"], ["127.0.0.2"])
    with suppress(Exception):
        KINDS[kind]("rebound.example", good.port, ONLY_ONE)
    assert good.came
    for _ in range(3):
        with pytest.raises(Exception, match="may not be reached"):
            KINDS[kind]("rebound.example", good.port, ONLY_ONE)
    assert bad.came == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_with_an_open_and_a_closed_address_is_refused(
    kind: str, two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = two
    answers(monkeypatch, ["127.0.0.1", "127.0.0.2"])
    with pytest.raises(
        Exception, match=r"rebound\.example resolves to the server's own machine, and may not"
    ) as raised:
        KINDS[kind]("rebound.example", good.port, ONLY_ONE)
    assert "127.0.0" not in str(raised.value).replace("127.0.0.1 or", "")
    assert (good.came, bad.came) == (0, 0)


def test_the_second_connection_of_a_redis_is_checked_as_the_first(
    two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = two
    answers(monkeypatch, ["127.0.0.1"], ["127.0.0.2"])
    source = RedisStreams(f"redis://rebound.example:{good.port}", "plays")
    source.egress = ONLY_ONE
    for _ in range(2):
        with pytest.raises(Exception, match=r"is no Redis|may not be reached"):
            list(source.sample(1))
    assert (bool(good.came), bad.came) == (True, 0)


def test_the_host_of_a_request_is_the_name_though_the_address_is_pinned(
    two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, _ = two
    answers(monkeypatch, ["127.0.0.1"])
    with suppress(Exception):
        read_http("rebound.example", good.port, ONLY_ONE)
    assert f"Host: rebound.example:{good.port}".encode() in good.heard[0]


def test_a_redirect_leads_nowhere(two: Any) -> None:
    good, bad = two
    for code in (
        "301 Moved Permanently",
        "302 Found",
        "303 See Other",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ):
        good.says = build_http_answer(b"", code, f"Location: http://127.0.0.2:{bad.port}/")
        for kind in ("http", "webhook"):
            with pytest.raises(Exception, match="not followed") as raised:
                KINDS[kind]("127.0.0.1", good.port, ONLY_ONE)
            assert "127.0.0.2" not in str(raised.value)
    assert bad.came == 0


@pytest.mark.parametrize("kind", KINDS)
def test_no_proxy_of_the_environment_is_asked(kind: str, two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = two
    for name in (
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "MQTT_PROXY",
        "mqtt_proxy",
    ):
        monkeypatch.setenv(name, f"http://127.0.0.2:{bad.port}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with suppress(Exception):
        KINDS[kind]("127.0.0.1", good.port, ONLY_ONE)
    assert good.came
    assert bad.came == 0


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("kind", [one for one in KINDS if not one.startswith("kafka")])
def test_of_what_answers_nothing_is_repeated(
    kind: str, stranger: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Listener(STRANGERS[stranger]) as server:
        message = ""
        try:
            KINDS[kind]("127.0.0.1", server.port, ONLY_ONE)
        except Exception as why:
            message = f"{type(why).__name__} {why}"
        assert server.came
        assert SECRET not in message + caplog.text


@pytest.mark.parametrize("kind", ["kafka", "kafka topic"])
def test_of_what_answers_kafka_nothing_is_repeated(kind: str) -> None:
    for stranger in ("banner of mail", "JSON object", "frame of Kafka"):
        with Listener(STRANGERS[stranger]) as server:
            with pytest.raises(Exception, match=f"127.0.0.1:{server.port}") as raised:
                KINDS[kind]("127.0.0.1", server.port, ONLY_ONE)
            assert server.came
            assert SECRET not in str(raised.value)


def test_of_json_the_kind_and_the_size_are_told() -> None:
    with Listener(STRANGERS["JSON object"]) as server, pytest.raises(Exception, match="JSON") as raised:
        read_http("127.0.0.1", server.port, ONLY_ONE)
    assert (
        "the answer is JSON (52 bytes) and has no list at 'list' but nothing, and at its top an object with 2"
        in str(raised.value)
    )


def test_brokers_that_a_broker_names_are_checked_before_they_are_used() -> None:
    cluster = Producer({"test.mock.num.brokers": 3, "log_level": 0})
    ports = sorted(broker.port for broker in cluster.list_topics(timeout=10).brokers.values())
    assert len(ports) == 3
    one_of_three = Egress(parse_reaches(f"127.0.0.1:{ports[0]}"))
    for kind in ("kafka", "kafka topic"):
        with pytest.raises(
            Exception, match="the broker names 3 brokers, 2 of which may not be reached"
        ) as raised:
            KINDS[kind]("127.0.0.1", ports[0], one_of_three)
        assert str(ports[1]) not in str(raised.value)
    check_kafka_topic("127.0.0.1", ports[0], Egress(parse_reaches("loopback")))


@pytest.mark.parametrize("kind", KINDS)
def test_the_services_of_the_product_are_closed_even_where_the_machine_is_open(kind: str) -> None:
    with Listener() as server:
        for own in ("127.0.0.1", "localhost", "0.0.0.0"):
            egress = Egress(
                parse_reaches("loopback, private, localhost"), private=True, own=((own, server.port),)
            )
            for spelling in ("127.0.0.1", "localhost", "127.0.0.2", "::1", "::ffff:127.0.0.1"):
                with pytest.raises(Exception, match="a service of the product itself"):
                    KINDS[kind](spelling, server.port, egress)
        assert server.came == 0


def test_postgres_gets_nothing_of_the_environment_or_the_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asks_for_a_password = b"N" + b"R" + (8).to_bytes(4, "big") + (3).to_bytes(4, "big")
    home = tmp_path / ".postgresql"
    home.mkdir()
    (tmp_path / ".pgpass").write_text(f"*:*:*:*:{PASSWORD}\n")
    (tmp_path / ".pgpass").chmod(0o600)
    (tmp_path / ".pg_service.conf").write_text(f"[own]\npassword={PASSWORD}\nuser={SECRET}\nhost={SECRET}\n")
    variables = {
        "HOME": str(tmp_path), "PGPASSWORD": PASSWORD, "PGPASSFILE": str(tmp_path / ".pgpass"), "PGSERVICE": "own",
        "PGSERVICEFILE": str(tmp_path / ".pg_service.conf"), "PGOPTIONS": f"-c x={SECRET}", "PGAPPNAME": SECRET,
        "PGHOSTADDR": "127.0.0.2", "PGUSER": SECRET, "PGDATABASE": SECRET, "PGSSLMODE": "disable",
        "PGSSLCERT": str(tmp_path / SECRET), "PGREQUIREAUTH": "gss", "PGTARGETSESSIONATTRS": "read-only",
    }  # fmt: skip
    for left_out in (
        (),
        ("PGPASSWORD",),
        ("PGPASSWORD", "PGPASSFILE"),
        ("PGPASSWORD", "PGPASSFILE", "PGSERVICE"),
    ):
        with monkeypatch.context() as changed, Asking(asks_for_a_password) as server:
            for name, value in variables.items():
                if name not in left_out:
                    changed.setenv(name, value)
            with pytest.raises(Exception, match="asks for a password: fill it in"):
                check_postgres("127.0.0.1", server.port, ONLY_ONE)
            with suppress(psycopg.Error):  # that they would be used: without what isolates a connection
                changed.delenv("PGREQUIREAUTH")
                psycopg.connect(
                    host="127.0.0.1", hostaddr="127.0.0.1", port=server.port, user="u", dbname="d"
                )
        [isolated, plain] = server.heard  # whole once its threads have ended
        assert SECRET.encode() not in isolated
        assert PASSWORD.encode() not in isolated
        assert PASSWORD.encode() in plain


def test_the_certificate_of_the_account_is_not_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PGSSLCERT", str(tmp_path / "own.crt"))
    monkeypatch.setenv("PGSSLROOTCERT", str(tmp_path / "root.crt"))
    for tls, roots in (("prefer", "/dev/null/none"), ("verify-full", "system")):
        result = isolate_settings({"sslmode": tls})
        assert (result["sslcertmode"], result["sslrootcert"]) == ("disable", roots)
        assert str(tmp_path) not in str(result)


class Asking(Listener):
    """Answers the first message of a PostgreSQL client, and keeps all that it says until it hangs up."""

    def _answer(self, item: socket.socket) -> None:
        heard = b""
        with item, suppress(OSError):
            item.settimeout(1)
            heard = item.recv(65_536)
            if heard[4:8] == (80877103).to_bytes(4, "big"):  # whether there is TLS
                item.sendall(self.says[:1])
                heard += item.recv(65_536)
            item.sendall(self.says[1:])
            while more := item.recv(65_536):
                heard += more
        self.heard.append(heard)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("10.1.0.0/16", "10.1.2.3", 80), ("private", "192.168.7.7", 80), ("private", "fd00:1::1", 80),
        ("10.0.0.5:5432", "10.0.0.5", 5432), ("[fd00:1::5]:9092", "fd00:1::5", 9092), ("loopback", "127.0.0.1", 80),
        ("127.0.0.1:8080", "localhost", 8080), ("localhost", "localhost", 80), ("LocalHost:81", "localhost", 81),
        ("169.254.0.0/16", "169.254.1.1", 80), (" private , loopback,", "10.0.0.1", 1), ("127.0.0.0/8", "127.0.0.1", 1),
    ],
)  # fmt: skip
def test_what_is_opened_is_reached(text: str, host: str, port: int) -> None:
    assert Egress(parse_reaches(text)).addresses(host, port)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("10.1.0.0/16", "10.2.0.1", 80), ("10.0.0.5:5432", "10.0.0.5", 5433), ("0.0.0.0/0", "127.0.0.1", 80),
        ("0.0.0.0/0", "169.254.169.254", 80), ("private", "169.254.169.254", 80), ("private", "127.0.0.1", 80),
        ("loopback", "10.0.0.1", 80), ("localhost:81", "localhost", 82), ("*.localhost", "localhost", 80),
        ("0.0.0.0/0", "0.0.0.0", 80), ("224.0.0.0/4", "224.0.0.1", 80), ("localhost", "127.0.0.1", 80),
        ("host.localhost", "localhost", 80), ("::/0", "::1", 80), ("169.254.169.254", "fe80::1", 80),
    ],
)  # fmt: skip
def test_what_is_not_opened_is_not(text: str, host: str, port: int) -> None:
    with pytest.raises(EgressRefused):
        Egress(parse_reaches(text)).addresses(host, port)


@pytest.mark.parametrize("zone", ["127.0.0.1", "10.0.0.1"])
def test_a_domain_opens_the_hosts_below_it(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "resolve", lambda _, port: [(socket.AF_INET, 1, 6, "", (zone, port))])
    egress = Egress(parse_reaches("*.corp.example"))
    assert egress.addresses("a.b.corp.example", 80)
    assert egress.addresses("A.Corp.Example.", 80)
    for other in ("corp.example", "a.corp.example.evil.example", "acorp.example"):
        with pytest.raises(EgressRefused):
            egress.addresses(other, 80)


def test_an_opened_name_opens_no_credentials_of_a_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        policy, "resolve", lambda _, port: [(socket.AF_INET, 1, 6, "", ("169.254.169.254", port))]
    )
    with pytest.raises(EgressRefused, match="link-local"):
        Egress(parse_reaches("a.example")).addresses("a.example", 80)


@pytest.mark.parametrize(
    "text",
    [
        "http://host", "host:0", "host:99999", "host:x", "10.0.0.0/33", "10.0.0.1/8", "a b", "*", "*.", "**.example",
        "user@host", "host/path", "[::1", "::1]:80", "999.1.1.1", "1.2.3.4.5", "-a", "a..b", "127.1",
        "0x7f.1", "fe80::1%eth0",
    ],
)  # fmt: skip
def test_what_opens_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write host, host:port|impossible port"):
        parse_reaches(text)


def test_a_list_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="1,000 at most"):
        parse_reaches("a.example," * 1_001)


def test_a_refusal_names_the_address_to_who_may_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "resolve", lambda _, port: [(socket.AF_INET, 1, 6, "", ("10.9.8.7", port))])
    with pytest.raises(EgressRefused, match=r"db\.example resolves to a private network") as raised:
        CLOSED.addresses("db.example", 5432)
    assert "10.9.8.7" not in str(raised.value)
    monkeypatch.setattr(policy, "resolve", lambda _, port: [(socket.AF_INET, 1, 6, "", ("127.9.8.7", port))])
    with pytest.raises(EgressRefused, match=r"db.example resolves to 127\.9\.8\.7, the server's own machine"):
        Egress(Reaches(), private=True, names_addresses=True).addresses("db.example", 5432)


def _find_unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
