"""A broker as one address: read, or refused with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from timeline_app.settings import read
from timeline_app.sources.kafka_address import broker
from timeline_app.variables import shown


def test_none_is_none() -> None:
    assert broker("") is None


def test_an_address_says_all_that_a_client_needs(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("PEM")
    found = broker(
        f"kafka://a%20da:a%2Fb%40c@h1:9092,h2:9093/plays?security=sasl_ssl&mechanism=SCRAM-SHA-512&copies=3&ca={tmp_path}/ca.pem"
    )
    assert found is not None
    settings = found.settings()
    assert settings["bootstrap.servers"] == "h1:9092,h2:9093"
    assert (settings["sasl.username"], settings["sasl.password"]) == ("a da", "a/b@c")
    assert (settings["security.protocol"], settings["sasl.mechanism"]) == ("sasl_ssl", "SCRAM-SHA-512")
    assert (found.prefix, found.copies, settings["ssl.ca.pem"]) == ("plays", 3, "PEM")
    assert "a/b@c" not in repr(found)


def test_the_prefix_may_be_left_out() -> None:
    found = broker("kafka://h:9092")
    assert found is not None
    assert (found.prefix, found.security, found.copies) == ("timelines", "plaintext", -1)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://h:9092/x", "must look like kafka://host:9092"),
        ("kafka://h/x", "'h' is no address of a broker; write host:port"),
        ("kafka://h:9092/a/b", "'a/b' cannot be a topic"),
        (f"kafka://h:9092/{'x' * 121}", "its prefix may have 120 characters"),
        ("kafka://h:9092/x?colour=red", "'colour' is no option; there are security, mechanism, ca"),
        ("kafka://h:9092/x?security=tls", "security must be one of plaintext, ssl"),
        ("kafka://u:p@h:9092/x", "user:password@ and a security with sasl"),
        ("kafka://h:9092/x?security=sasl_ssl", "user:password@ and a security with sasl"),
        ("kafka://h:9092/x?copies=0", "copies must be a whole number from 1 on"),
    ],
)
def test_what_is_wrong_is_said(address: str, words: str) -> None:
    with pytest.raises(ValueError, match="^" + words.replace("?", r"\?").replace("+", r"\+")):
        broker(address)


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(OSError, match=r"nowhere\.pem"):
        broker("kafka://h:9092/x?security=ssl&ca=/nowhere.pem")


def test_a_password_in_a_wrong_setting_is_not_told() -> None:
    with pytest.raises(Exception, match="TIMELINE_FEEDS") as told:
        read({"TIMELINE_FEEDS": "kafka://ada:secret@h:9092/x", "TIMELINE_DATA": "/tmp"})
    assert "secret" not in str(told.value)
    assert shown("kafka://ada:se@cret@h:9092/x?y=@") == "kafka://ada:…@h:9092/x?y=@"
    assert shown("kafka://ada:se/cret@h:9092") == "kafka://ada:…@h:9092"
    assert shown("sc://127.0.0.1:15002") == "sc://127.0.0.1:15002"
