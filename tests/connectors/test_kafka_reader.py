"""What is wrong with options of Kafka, or with whoever answers, is said with its hint; no broker is needed."""

from __future__ import annotations

import socket
import threading

import pytest

from timeline_app.connectors.kafka.source import Kafka
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.reading import SourceUnavailable


def test_a_topic_that_is_named_twice_is_refused() -> None:
    with pytest.raises(BadOptions, match="topics: 'k' stands there twice; name each topic once"):
        read(Kafka, {"servers": "b:1", "topics": "k, k"})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"security": "sasl_plaintext"}, "user and password are needed"),
        ({"security": "sasl_plaintext", "user": "x"}, "user and password are needed"),
        ({"security": "ssl", "ca": "nonsense"}, "ca is no certificate in PEM"),
        ({"security": "ssl", "certificate": "nonsense"}, "certificate is none in PEM"),
        ({"security": "ssl", "private_key": "nonsense"}, "private_key is none in PEM"),
        (
            {},
            r"no broker answers at 127\.0\.0\.1:1 within \d s: check servers and security, and whether it runs"
            r" \(Connection refused\)$",
        ),
    ],
)
def test_what_is_wrong_is_said_of_its_option(options: dict[str, str], words: str) -> None:
    with pytest.raises(SourceUnavailable, match=words):
        Kafka(servers="127.0.0.1:1", topics="k", **options).sample()  # type: ignore[arg-type]


def test_who_speaks_otherwise_is_said_to_be_no_broker() -> None:
    def greet() -> None:
        try:
            while True:
                item, _ = server.accept()
                with item:
                    item.sendall(b"220 a server of mails\r\n")
                    item.recv(1000)
        except OSError:
            """It is over."""

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=greet, daemon=True).start()
        servers = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(
            SourceUnavailable, match="does not speak as Kafka does: check the port in servers"
        ) as raised:
            Kafka(servers=servers, topics="k").sample()
        server.shutdown(socket.SHUT_RDWR)
    assert "receive.message" not in str(raised.value)
