"""What a storage of HDFS or S3 answers at a bad moment, and what is made of it."""

from __future__ import annotations

import getpass
import json
import os
import threading
from io import BytesIO

import pytest
from urllib3.util import Timeout

from tests.stores.answering import Answer, Answering, run_answering
from timeline_app.fs import hdfs, paths, s3
from timeline_app.fs.hdfs import WebHdfs
from timeline_app.fs.s3 import WRITER, Objects

REFUSED = "<Error><Code>{}</Code><Message>no</Message></Error>"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials of anybody, and no waits."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0.0)
    monkeypatch.setattr(s3, "RETRY_PAUSES_S", (0.0,) * len(s3.RETRY_PAUSES_S))


def build_refusal(status: int, code: str) -> Answer:
    return status, {"Content-Type": "application/xml"}, REFUSED.format(code).encode()


def prove_store(server: Answering) -> Objects:
    """A bucket of a store that has shown that it refuses to make an object twice."""
    bucket = Objects("b", server.address)
    bucket._proven = True
    return bucket


@pytest.mark.parametrize(("whose", "made"), [("its own", True), ("another's", False)])
def test_an_object_that_was_made_although_every_answer_was_lost_is_known_again(
    whose: str, *, made: bool
) -> None:
    def answer(server: Answering, request: str) -> Answer:
        if request.startswith("PUT"):
            return build_refusal(503, "ServiceUnavailable")
        writer = server.headers["PUT"][f"x-amz-meta-{WRITER}"] if whose == "its own" else "other"
        return 200, {f"x-amz-meta-{WRITER}": writer, "ETag": '"1"'}, b""

    with run_answering(answer) as server:
        assert prove_store(server).create("x", BytesIO(b"1")) is made
        assert server.requests[-1].startswith("HEAD")


def test_an_object_that_was_not_made_is_told_as_trouble_that_may_pass() -> None:
    def answer(_: Answering, request: str) -> Answer:
        return build_refusal(503, "SlowDown") if request.startswith("PUT") else build_refusal(404, "404")

    with (
        run_answering(answer) as server,
        pytest.raises(ConnectionError, match=r"S3 does not answer: .*SlowDown"),
    ):
        prove_store(server).create("x", BytesIO(b"1"))


def test_a_store_that_is_away_before_it_is_tried_out_is_told_as_such() -> None:
    with (
        run_answering(lambda *_: build_refusal(503, "SlowDown")) as server,
        pytest.raises(ConnectionError, match="S3 does not answer"),
    ):
        Objects("b", server.address).create("x", BytesIO(b"1"))


def test_two_at_once_are_not_asked_about_for_ever() -> None:
    with run_answering(lambda *_: build_refusal(409, "ConditionalRequestConflict")) as server:
        with pytest.raises(BlockingIOError):
            prove_store(server).create("x", BytesIO(b"1"))
        assert len(server.requests) == 1 + len(s3.RETRY_PAUSES_S)


def test_an_object_that_cannot_be_removed_with_its_folder_is_told() -> None:
    listed = "<ListBucketResult><Contents><Key>f/a</Key></Contents></ListBucketResult>"
    kept = "<DeleteResult><Error><Key>f/a</Key><Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>"

    def answer(_: Answering, request: str) -> Answer:
        return 200, {}, (kept if request.startswith("POST") else listed).encode()

    with (
        run_answering(answer) as server,
        pytest.raises(PermissionError, match=r"cannot be removed: AccessDenied.*'f/a'"),
    ):
        Objects("b", server.address).remove_all("f")


@pytest.mark.parametrize("most", [100, 4])
def test_a_gateway_that_does_not_tell_the_size_of_a_file_is_read_from(most: int) -> None:
    content = b"ten bytes."

    def answer(_: Answering, request: str) -> Answer:
        if "op=GETFILESTATUS" in request:
            return 200, {}, json.dumps({"FileStatus": {"length": len(content)}}).encode()
        return 200, {"Transfer-Encoding": "chunked"}, content[6:] if "offset=6" in request else content

    with run_answering(answer) as server:
        assert WebHdfs([server.address], "u").tail("x", most) == (content[-most:], len(content))


def test_a_gateway_whose_servers_are_away_is_trouble_that_may_pass() -> None:
    with (
        run_answering(lambda *_: (503, {}, b"<html>")) as server,
        pytest.raises(ConnectionError, match="HDFS does not answer: 503"),
    ):
        WebHdfs([server.address], "u").stat("x")


def test_a_namenode_that_hangs_is_asked_twice_at_most_which_takes_half_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert hdfs.NAMENODE_TIMEOUT.read_timeout == 15.0
    monkeypatch.setattr(hdfs, "NAMENODE_TIMEOUT", Timeout(connect=5.0, read=0.05))
    over = threading.Event()

    def answer(*_: object) -> Answer:
        over.wait()
        return 200, {}, b""

    with run_answering(answer) as server:
        with pytest.raises(ConnectionError, match="HDFS does not answer"):
            WebHdfs([server.address], "u").stat("x")
        over.set()
        assert len(server.requests) == 2


def test_a_user_without_a_name_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_USER_NAME", "LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987_654)
    with pytest.raises((KeyError, OSError)):
        getpass.getuser()
    with pytest.raises(OSError, match=r"\(987654\) has no name: set HADOOP_USER_NAME"):
        paths.place("hdfs://nobody:1/x#http://127.0.0.1:1").is_file()
