"""The one Spark Connect session that all workers share, across restarts of workers and server."""

from __future__ import annotations

import os
import re
import socket
import threading
import uuid
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pyspark.errors import PySparkException
from pyspark.sql.connect.client.retries import DefaultPolicy
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.connect.streaming.query import StreamingQuery

from timeline_app.fs import durable
from timeline_app.fs.paths import Place, place
from timeline_app.private_files import SPARK_TOKEN
from workers.spark.budget import find_over_budget
from workers.spark.connect import cluster
from workers.spark.connect.presharing import PresharedChannel, hide_token

_LOCK = threading.Lock()
_OPEN: dict[str, Any] = {}


AWAY = "waiting for the Spark server"
LAST_SESSION_FILE = "spark-session"
"""The file of the data directory that names the session last used at an external server."""


class SparkAway(RuntimeError):
    """The Spark server does not answer or cannot be used. Callers try again."""

    def __init__(self, problem: str, words: str = AWAY) -> None:
        """`words` are shown to users who wait for a node."""
        super().__init__(problem)
        self.words = words


def get_session(remote: str, owner: str) -> Any:
    """Return the session at a remote (`sc://host:port`), reattached by its id after a restart of this side.

    `owner` names the installation by its data directory: two installations at one server never see each other's
    queries.
    """
    probe_server(remote)
    with _LOCK:
        if remote not in _OPEN:
            _OPEN[remote] = _attach(remote, owner)
        return _OPEN[remote]


def probe_server(remote: str) -> None:
    """Check that the port is open, or raise SparkAway: the client would try for minutes."""
    address = urlsplit(remote)
    try:
        socket.create_connection((address.hostname or "127.0.0.1", address.port or 15002), timeout=2).close()
    except OSError as problem:
        raise SparkAway(f"the Spark server at {hide_token(remote)} does not answer: {problem}") from problem


def drop_session(remote: str) -> None:
    """Drop the client's side of the session, so that the next call reattaches. The server's side lives on."""
    with _LOCK:
        _OPEN.pop(remote, None)


def _attach(remote: str, owner: str) -> Any:
    """Attach to the session whose id derives from address and owner, so that every worker finds the same one.

    At an external server the id also derives from our code, which the session is given.
    """
    data = place(owner)
    name = f"timeline:{urlsplit(remote).netloc}:{data}"
    try:
        spark = _open_session(remote, name)
        if spark.conf.get(cluster.OWN, ""):
            spark.conf.set(cluster.ISOLATION, "false")
            return spark
        name = f"{name}:{cluster.identify_code()}"
        _retire(remote, data / LAST_SESSION_FILE, name)
        spark = _open_session(remote, name)
        cluster.equip(spark, data)
    except cluster.Unfit as problem:
        raise SparkAway(str(problem), f"at the Spark server: {problem}") from problem
    except Exception as problem:
        where = hide_token(remote)
        if _OF_TOKEN.search(str(problem)):
            words = f"the Spark server at {where} refuses our token: {SPARK_TOKEN} must be the same here and there"
            raise SparkAway(
                words, f"at the Spark server: it refuses our token, look at {SPARK_TOKEN}"
            ) from problem
        raise SparkAway(
            f"the Spark server at {where} does not answer: {get_first_line(problem)}"
        ) from problem
    return spark


def _open_session(remote: str, name: str) -> Any:
    identity = uuid.uuid5(uuid.NAMESPACE_URL, name)
    begin = f"{remote.rstrip('/')}/" if ";" not in remote else remote
    channel = PresharedChannel(f"{begin};session_id={identity};user_id=timeline")
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"  # as `builder.remote` does: functions are those of Connect
    spark: Any = SparkSession.builder.channelBuilder(channel).create()
    spark.client.set_retry_policies([DefaultPolicy(max_retries=4, max_backoff=2_000)])
    spark.version  # noqa: B018  # asks the server
    return spark


def _retire(remote: str, last: Place, name: str) -> None:
    """Stop the queries of the session that earlier code used: two sessions must not write one checkpoint."""
    before = last.read_text() if last.is_file() else ""
    if before and before != name and before.startswith(f"timeline:{urlsplit(remote).netloc}:"):
        old = _open_session(remote, before)
        for query in old.streams.active:
            query.stop()
        old.client.release_session()
        old.client.close()
    if before != name:
        durable.replace(last, name.encode())


def list_active_queries(spark: Any) -> dict[str, Any]:
    """Return the active queries by name."""
    return {query.name: query for query in spark.streams.active}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a query ended, in words, and what caused it.

    The flags say whether its state was unreadable, Python started too slowly, Spark went away, something else took
    too long, or the shared storage is away. `of_budget` is the digest of a node over its budget.
    """

    words: str
    of_state: bool = False
    of_start: bool = False
    of_session: bool = False
    of_time: bool = False
    of_storage: bool = False
    of_budget: str = ""

    @classmethod
    def from_exception(cls, problem: BaseException) -> Failure:
        """Classify an exception."""
        text = str(problem)
        if over := find_over_budget(text):
            return cls(over[1], of_budget=over[0])
        of_state = _OF_STATE.search(text) is not None
        of_spark = (
            "" if of_state else text.partition(_TRACEBACK)[0]
        )  # user code may print anything after this
        if match := _OF_STORAGE.search(text):
            return cls(match[0][:500], of_storage=True)
        of_start, of_session, of_time = (
            kind.search(of_spark) is not None for kind in (_OF_START, _OF_SESSION, _OF_TIME)
        )
        return cls(get_first_line(problem), of_state, of_start, of_session, of_time)


_TRACEBACK = "Traceback (most recent call last)"
_OF_STATE = re.compile(
    r"ForeignState|CANNOT_LOAD_STATE_STORE(?!\.UNRELEASED_THREAD)|UNEXPECTED_EMPTY_FILE_IN_ROCKSDB_ZIP"
    r"|STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY"
)

_OF_START = re.compile(r"Python worker (failed )?to connect back")
"""Spark waits ten seconds for a process that it starts; that cannot be configured."""
_OF_SESSION = re.compile(
    r"NO_ACTIVE_SESSION|INVALID_HANDLE\.SESSION_|SESSION_(CLOSED|CHANGED|NOT_FOUND)|StatusCode\.UNAVAILABLE"
)
"""The server went away or was replaced during a call."""
_OF_TOKEN = re.compile(r"StatusCode\.UNAUTHENTICATED")
"""The server wants a token, or another one."""
_OF_TIME = re.compile(
    r"StatusCode\.DEADLINE_EXCEEDED|java\.net\.SocketTimeoutException|java\.util\.concurrent\.TimeoutException"
    r"|CANNOT_LOAD_STATE_STORE\.UNRELEASED_THREAD|heartbeat timed out"
)
"""A time limit that only an overloaded machine exceeds."""

_OF_STORAGE = re.compile(r"((HDFS|S3) does not answer|(Standby|SafeMode|Retriable)Exception): .*")
"""The words of `fs`, and of a NameNode that does not serve yet."""


def find_failure(spark: Any, query_id: str, run_id: str) -> Failure | None:
    """Return why an inactive query ended; None where the server knows of no failure."""
    if not query_id or not run_id:
        return None
    try:
        problem = StreamingQuery(spark, query_id, run_id, None).exception()
    except PySparkException:
        return None
    return None if problem is None else Failure.from_exception(problem)


def get_first_line(problem: BaseException) -> str:
    """Describe an error in one line: the end of the last Python traceback in it, else its first line."""
    lines = [line for line in str(problem).splitlines() if line.strip()]
    starts = [index for index, line in enumerate(lines) if "Traceback (" in line]
    after = lines[starts[-1] + 1 :] if starts else lines
    chosen = next(
        (line.strip() for line in after if not line.startswith((" ", "\t"))), type(problem).__name__
    )
    return chosen if len(chosen) <= 500 else f"{chosen[:499]}…"
