"""Tables of PostgreSQL keep what the contract says, on a real server."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.connectors.worlds import OfPostgres
from tests.postgres import Server
from timeline_app.algebra.kinds import Kind
from timeline_app.connectors.delivered_rows import Rows
from timeline_app.connectors.egress.policy import Egress
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.postgres import sink as postgres_sink
from timeline_app.connectors.postgres.sink import LEDGER, Patient, Postgres
from timeline_app.connectors.sink_contract import Delivery, TargetUnavailable
from timeline_app.connectors.sink_kit import CASES, SinkCase
from timeline_app.connectors.sink_kit.cases import T, build_batch, build_delivery, deliver_batches, open_sink

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(("fsync=off",)) as new_server:  # a commit survives that the server is killed
        yield new_server


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_keeps_its_promises(case: SinkCase, server: Server) -> None:
    case.run(partial(OfPostgres, server))


def test_what_keeps_it_from_being_written_is_said(server: Server) -> None:
    world = OfPostgres(server)
    options: dict[str, object] = {
        "host": "127.0.0.1", "port": server.port, "database": "postgres", "user": "tests",
        "password": server.password, "table": world.table,
    }  # fmt: skip
    for wrong, words in (
        ({"password": "wrong"}, "the server refuses the login: check user and password"),
        ({"database": "nowhere"}, "there is no such database: check database"),
        ({"table": "nowhere.t"}, "there is no such schema: make it"),
        ({"port": 1}, "Connection refused"),
        ({"tls": "require"}, "does not support SSL"),
    ):
        with pytest.raises(TargetUnavailable, match=words) as raised:
            Postgres(**read(Postgres, options | wrong)).check(build_delivery(world))
        assert server.password not in str(raised.value)


def test_the_server_of_the_product_is_refused_by_its_identity(server: Server) -> None:
    """Also where it is reached by another address, and where it cannot be told from it."""
    world = OfPostgres(server)
    with world.connection() as connection:
        [own] = connection.execute("SELECT system_identifier FROM pg_control_system()").fetchone() or [0]
    for identity, words in ((str(own), "that the product itself works with"), ("?", "cannot be told from")):
        for name in ("check", "open"):
            sink = Postgres(**world.sink_options())
            sink.egress = Egress(own_database=identity)
            with pytest.raises(TargetUnavailable, match=words):
                getattr(sink, name)(build_delivery(world))
    with world.connection() as connection:
        assert connection.execute("SELECT to_regclass(%s)", [world.table]).fetchone() == (None,)
    another = Postgres(**world.sink_options())
    another.egress = Egress(own_database="1")
    another.check(build_delivery(world))


def test_what_a_server_says_of_an_error_is_not_repeated(server: Server) -> None:
    world = OfPostgres(server)
    with world.connection() as connection:
        connection.execute(
            "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'wJalrXUtnFEMI'; END $$"
        )
        connection.execute("CREATE EVENT TRIGGER refusing ON ddl_command_start EXECUTE FUNCTION refuse()")
    try:
        with pytest.raises(TargetUnavailable, match=r"RaiseException P0001") as raised:
            Postgres(**world.sink_options()).check(build_delivery(world))
        assert "wJalrXUtnFEMI" not in str(raised.value)
    finally:
        with world.connection() as connection:
            connection.execute("DROP EVENT TRIGGER refusing")


def test_a_server_that_hangs_is_said_and_not_waited_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = OfPostgres(server)
    sink = open_sink(world)
    assert isinstance(sink, Postgres)
    assert sink._connection is not None
    monkeypatch.setattr(Patient, "patience", 0.3)
    sink.stage(0, build_batch(0))
    process = sink._connection.info.backend_pid
    os.kill(process, signal.SIGSTOP)
    try:
        with pytest.raises(TargetUnavailable, match=r"^the server hangs: look at .*no answer for 0.3 s"):
            sink.publish(0)
        assert sink._connection.closed
    finally:
        os.kill(process, signal.SIGCONT)
    monkeypatch.undo()
    reopened = open_sink(world)
    reopened.stage(0, build_batch(0))
    reopened.publish(0)
    assert len(list(world.rows())) == len(build_batch(0))


def test_who_takes_no_connection_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_sink, "CONNECT_TIMEOUT_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        options = {
            "host": "127.0.0.1",
            "port": mute.getsockname()[1],
            "database": "d",
            "table": "t",
            "user": "u",
        }
        with pytest.raises(TargetUnavailable, match="the server takes no connection: check host and port"):
            Postgres(**read(Postgres, options)).open(Delivery("i", "n", Kind.BOOL, Path()))


def test_a_table_that_somebody_made_is_left_alone(server: Server) -> None:
    world = OfPostgres(server)
    with world.connection() as connection:
        connection.execute(f"CREATE TABLE {world.table} (mine text)")
    with pytest.raises(TargetUnavailable, match="that no sink has made: choose another one"):
        open_sink(world)


def test_a_span_that_is_told_again_is_one_row(server: Server) -> None:
    """History that was compacted between two pages may say again what was said."""
    world = OfPostgres(server)
    sink = open_sink(world)
    deliver_batches(sink, [0])
    rows = [dict(row) for row in world.rows()]
    sink.stage(1, build_batch(0))
    sink.publish(1)
    assert sorted(map(str, world.rows())) == sorted(map(str, rows))
    with world.connection() as connection:
        schema = world.table.partition(".")[0]
        assert connection.execute(f"SELECT batch FROM {schema}.{LEDGER}").fetchall() == [(1,)]


@pytest.mark.parametrize(
    "table", ["", "a.b.c", "a b", "a;drop", 'a"b', "1a", "a.", LEDGER, "x" * 64, "s." + LEDGER]
)
def test_a_table_has_a_plain_name(table: str) -> None:
    with pytest.raises(BadOptions, match="table: "):
        read(Postgres, {"host": "h", "database": "d", "user": "u", "table": table})


@pytest.mark.parametrize("host", ["/var/run/postgresql", "@here", "a,b", "a b", ""])
def test_a_server_is_one_of_the_network(host: str) -> None:
    with pytest.raises(BadOptions, match="host: "):
        read(Postgres, {"host": host, "database": "d", "user": "u", "table": "t"})


def test_the_view_of_the_guide_tells_what_is_known_now(server: Server) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "sinks.md").read_text()
    result = re.search(r"^    (create view rebuffering_now .*?)\n\n", guide, re.MULTILINE | re.DOTALL)
    assert result is not None
    world = OfPostgres(server)
    schema = world.table.partition(".")[0]
    rows = Rows(Kind.TEXT)
    rows.add("a", [[None, "x"], [T, "y"]], None, T)
    rows.add("a", [[T + 5, "z"]], T + 9, T + 1)
    rows.add("b", [[None, None]], None, T + 1)
    sink = open_sink(world)
    sink.stage(0, rows.table())
    sink.publish(0)
    with world.connection() as connection:
        connection.execute(f"SET search_path TO {schema}")
        connection.execute(result[1])
        document = connection.execute(
            "SELECT key, nullif(valid_from, '-infinity'), value FROM rebuffering_now ORDER BY 1, valid_from"
        ).fetchall()
    spelled = [(key, start and round(start.timestamp() * 1e6) - T, value) for key, start, value in document]
    assert spelled == [("a", None, "x"), ("a", 0, "y"), ("a", 5, "z"), ("a", 9, "y"), ("b", None, None)]
