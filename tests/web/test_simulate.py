"""The simulator: the same seed gives the same events; live it never loses a batch and ends when told."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from timeline_app.demos import load_demos
from timeline_app.landing.request_body import read_batch
from timeline_app.plan import StreamDeclaration
from timeline_app.settings import ROOT
from timeline_app.simulation import door
from timeline_app.simulation.door import Door
from timeline_app.simulation.sessions import OpenSessions
from timeline_app.web.management.commands import simulate
from timeline_app.web.models import Plan, Stream
from timeline_app.web.workspace.demos import ensure_demo

pytestmark = pytest.mark.deep

START = 1_719_824_400_000


EVERY = pytest.mark.parametrize("name", load_demos())


def list_arrivals(count: int, name: str = "player", seed: int = 1, rate: float | None = None) -> list[Any]:
    return list(itertools.islice(load_demos()[name].deliveries(seed=seed, rate=rate, start=START), count))


@EVERY
def test_the_same_seed_gives_the_same_events(name: str) -> None:
    assert list_arrivals(3000, name) == list_arrivals(3000, name)
    assert list_arrivals(100, name) != list_arrivals(100, name, seed=2)


def test_a_seed_gives_the_events_that_it_always_gave() -> None:
    lines = "".join(json.dumps(arrival.event) + "\n" for arrival in list_arrivals(20_000))
    assert hashlib.sha256(lines.encode()).hexdigest().startswith("cf2395c5ee42e235")


@EVERY
def test_another_start_gives_other_keys(name: str) -> None:
    later = load_demos()[name].deliveries(seed=1, start=START + 60_000)
    here = {arrival.event["event_id"] for arrival in list_arrivals(2000, name)}
    assert here.isdisjoint(item.event["event_id"] for item in itertools.islice(later, 2000))


@EVERY
def test_events_come_in_order_of_arrival_at_about_the_rate(name: str) -> None:
    times = [arrival.at for arrival in list_arrivals(5000, name)]
    assert times == sorted(times)
    assert 0.75 < 5000 / ((times[-1] - times[0]) / 1000) / load_demos()[name].rate < 1.35


@EVERY
def test_some_are_late_some_come_twice_and_some_are_out_of_order(name: str) -> None:
    arrivals = list_arrivals(5000, name)
    delays = [item.at - item.event["t"] for item in arrivals]
    behind = sum(delay > 30_000 for delay in delays)
    assert min(delays) >= 0
    assert 0.03 < sum(delay >= 2_000 for delay in delays) / len(delays) < 0.08
    assert behind == 0 if name == "player" else 0 < behind < 50
    identities = [item.event["event_id"] for item in arrivals]
    assert 0.01 < 1 - len(set(identities)) / len(identities) < 0.04
    unordered = sum(after.event["t"] < before.event["t"] for before, after in itertools.pairwise(arrivals))
    assert unordered > 150


@EVERY
def test_copies_are_the_same_event(name: str) -> None:
    collected: dict[str, Any] = {}
    for arrival in list_arrivals(5000, name):
        assert collected.setdefault(arrival.event["event_id"], arrival.event) == arrival.event


def test_sessions_live_a_whole_life() -> None:
    arrivals = list_arrivals(40_000, rate=200.0)
    sessions: dict[str, list[dict[str, Any]]] = {}
    for event in {item.event["event_id"]: item.event for item in arrivals}.values():
        sessions.setdefault(event["session_id"], []).append(event)
    whole = [sorted(session, key=lambda event: event["t"]) for session in sessions.values()]
    ended = [item for item in whole if item[-1].get("player_state") == "stopped"]
    assert len(ended) > 100
    assert all(item[0]["player_state"] == "init" and "cdn" in item[0] for item in ended)
    states = {event.get("player_state") for item in whole for event in item}
    done = {event.get("user_action") for item in whole for event in item}
    assert states == {"init", "play", "buffer", "pause", "stopped", None}
    assert done == {"seek", "pause", "stop", None}
    assert any(len({event["cdn"] for event in item if "cdn" in event}) > 1 for item in whole)


@EVERY
def test_the_door_takes_what_is_made(name: str) -> None:
    declared = StreamDeclaration.from_document(name, load_demos()[name].declaration)
    body = "\n".join(json.dumps(arrival.event) for arrival in list_arrivals(1000, name)).encode()
    assert read_batch(body, declared).size == 1000


@EVERY
def test_events_are_written_to_a_file(name: str, tmp_path: Path) -> None:
    for file in ("a", "b"):
        call_command("simulate", name, "--events", "500", "--seed", "7", "--out", str(tmp_path / file))
    lines = (tmp_path / "a").read_text().splitlines()
    assert len(lines) == 500
    assert (tmp_path / "b").read_text().splitlines() == lines
    assert json.loads(lines[0])["event_id"]


def test_the_list_says_what_each_demo_asks(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("simulate", "--list")
    output = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert dict(output) == {name: demo.question for name, demo in load_demos().items()}
    assert output[0][0] == "player"


def test_an_unknown_demo_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(CommandError, match="'cards'; did you mean card"):
        call_command("simulate", "cards", "--events", "5")
    with pytest.raises(CommandError, match="known are ad_player, card, machine, playback, player"):
        call_command("simulate", "--live")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["player"],
        ["films", "--live"],
        ["player", "--events", "0"],
        ["player", "--events", "-5"],
        ["player", "--events", "many"],
        ["player", "--events", "5", "--out", "/nowhere/at/all"],
        ["player", "--events", "5", "--rate", "0"],
        ["player", "--live", "--rate", "-1"],
        ["player", "--live", "--rate", "nan"],
        ["player", "--live", "--rate", "1e9"],
        ["player", "--live", "--events", "5"],
        ["player", "--list", "--live"],
        ["player", "--events", "5", "--seed", "x"],
    ],
)
def test_bad_arguments_are_refused(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("simulate", *arguments)


def build_session(name: str, *states: str) -> list[dict[str, Any]]:
    return [{"session_id": name, "t": 1000 * at, "player_state": state} for at, state in enumerate(states)]


def test_sessions_that_an_earlier_run_left_open_are_ended_once(tmp_path: Path) -> None:
    file = tmp_path / "left.json"
    stopped = {**build_session("b", "init")[0], "t": 9_000, "player_state": "stopped", "user_action": "stop"}
    earlier = OpenSessions(load_demos()["player"].actor, file)
    earlier.note([*build_session("a", "init", "buffer"), *build_session("b", "init", "play"), stopped])
    earlier.note(build_session("b", "init", "play", "play"))  # late: it opens nothing again
    later = OpenSessions(load_demos()["player"].actor, file)
    (ending,) = later.endings()
    assert ending == {
        "session_id": "a",
        "event_id": "a-end",
        "t": 1_001,
        "player_state": "stopped",
        "user_action": "stop",
    }
    later.clear()
    later.note(build_session("c", "init"))
    assert [event["session_id"] for event in OpenSessions(load_demos()["player"].actor, file).endings()] == [
        "c"
    ]


@pytest.mark.parametrize("text", ["", "[]", '{"a": null}', "{"])
def test_notes_that_make_no_sense_are_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "left.json").write_text(text)
    assert OpenSessions(load_demos()["player"].actor, tmp_path / "left.json").endings() == []


def test_a_simulator_rests_while_its_stream_is_deleted(
    server: Server, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.TIMELINE_LOCAL = tmp_path
    monkeypatch.setattr(simulate, "BATCH_INTERVAL_S", {True: 0.05})
    monkeypatch.setattr(simulate, "DELETED_STREAM_RETRY_S", 0.05)
    server.failures = [404, 404]
    stop = threading.Event()
    options = {"url": build_url(server), "token": "t", "seed": 1, "rate": 2_000.0}
    thread = threading.Thread(target=simulate.push, args=(load_demos()["player"], options, stop))
    thread.start()
    until = time.monotonic() + 30
    while not server.taken and time.monotonic() < until:
        time.sleep(0.02)
    stop.set()
    thread.join(10)
    assert server.taken
    assert len(server.keys) >= 3


@pytest.mark.django_db
def test_a_stream_is_used_while_a_running_plan_reads_it_or_it_has_few_events(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(simulate, "USE_CHECK_INTERVAL_S", 0.0)
    ensure_demo()
    used = simulate.UseCheck("player")
    [plan] = Plan.objects.filter(name=load_demos()["player"].plans["cirr"]["name"])
    assert used(), "it runs by default"
    Plan.objects.filter(pk=plan.pk).update(running=False)
    assert used(), "it has no events yet"
    Stream.objects.filter(name="player").update(events=simulate.MAX_EVENTS_WITHOUT_PLAN)
    assert not used()
    Plan.objects.filter(pk=plan.pk).update(running=True)
    assert used()
    Stream.objects.filter(name="player").delete()
    assert used(), "the door says that it is gone"


def test_an_unused_simulator_ends_its_sessions_rests_and_goes_on(
    server: Server, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.TIMELINE_LOCAL = tmp_path
    monkeypatch.setattr(simulate, "BATCH_INTERVAL_S", {True: 0.02})
    monkeypatch.setattr(simulate, "USE_CHECK_INTERVAL_S", 0.02)
    use = {"is": True}
    monkeypatch.setattr(simulate.UseCheck, "_check", lambda _: use["is"])
    stop = threading.Event()
    options = {"url": build_url(server), "token": "t", "seed": 1, "rate": 500.0, "while_used": True}
    thread = threading.Thread(target=simulate.push, args=(load_demos()["player"], options, stop))
    thread.start()
    try:
        wait_for(lambda: len(server.taken) > 3)
        use["is"] = False
        remnant = tmp_path / "simulated-player.json"
        wait_for(lambda: b"-end" in server.taken[-1][1])
        endings = [json.loads(line) for line in server.taken[-1][1].splitlines()]
        assert {event["session_id"] for event in endings} == set(json.loads(remnant.read_text()))
        pushed = len(server.taken)
        time.sleep(0.3)
        assert len(server.taken) == pushed, "it rests"
        use["is"] = True
        wait_for(lambda: len(server.taken) > pushed + 1)
    finally:
        stop.set()
        thread.join(10)


def wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


class Server(ThreadingHTTPServer):
    """A door that fails as it is told, and remembers what it took."""

    failures: list[int]
    taken: list[tuple[str, bytes]]
    keys: list[str]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = server.failures.pop(0) if server.failures else 202
        server.keys.append(self.headers["Idempotency-Key"])
        if status == 202:
            server.taken.append((self.headers["Authorization"], body))
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(b'{"message": "no"}')

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    server.failures, server.taken, server.keys = [], [], []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def build_url(server: Server) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def test_a_batch_is_sent_until_it_is_taken(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MIN_WAIT_S", 0.01)
    server.failures = [500, 503, 400, 429, 401]
    events = [arrival.event for arrival in list_arrivals(3)]
    assert Door(build_url(server), "player", lambda: "t0", threading.Event()).push(events)
    [(token, body)] = server.taken
    assert token == "Token t0"
    assert [json.loads(line) for line in body.splitlines()] == events


def test_a_busy_server_is_given_the_time_that_it_asks_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "MIN_WAIT_S", 0.01)
    waited: list[float] = []
    stop = threading.Event()
    monkeypatch.setattr(stop, "wait", waited.append)
    server.failures = [503, 429]
    assert Door(build_url(server), "player", lambda: "t0", stop).push([{}])
    assert waited == [0.01, 1.0]
    assert Door(build_url(server), "player", lambda: "t0", stop).push([{}])
    first, *again, other = server.keys
    assert again == [first, first], "the same request has the same key"
    assert other != first


def test_a_server_that_is_not_there_yet_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MIN_WAIT_S", 0.01)
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    assert not Door("http://127.0.0.1:1", "player", lambda: "t0", stop).push([{}])


def test_a_token_that_is_not_there_yet_is_waited_for(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MIN_WAIT_S", 0.01)
    answers: Iterator[ValueError | str] = iter([ValueError("no login"), ValueError("no login"), "t1"])

    def wait_for_token() -> str:
        answer = next(answers)
        if isinstance(answer, ValueError):
            raise answer
        return answer

    assert Door(build_url(server), "player", wait_for_token, threading.Event()).push([{}])
    assert server.taken[0][0] == "Token t1"


@pytest.mark.deep
def test_live_it_pushes_until_sigterm_and_ends_cleanly(server: Server, tmp_path: Path) -> None:
    server.failures = [500]
    command = [sys.executable, str(ROOT / "manage.py"), "simulate", "player", "--live", "--rate", "50"]
    environment = os.environ | {"TIMELINE_DATA": str(tmp_path)}
    process = subprocess.Popen(
        [*command, "--url", build_url(server), "--token", "t"],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 30
    while len(server.taken) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, output = process.communicate(timeout=10)
    assert process.returncode == 0
    assert len(server.taken) >= 2
    assert "Traceback" not in output
    assert "500" in output
    events = [json.loads(line) for _, body in server.taken for line in body.splitlines()]
    assert all(abs(event["t"] / 1000 - time.time()) < 60 for event in events)


def test_all_demos_are_pushed_side_by_side(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulate, "BATCH_INTERVAL_S", {True: 0.1, False: 0.1})
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def is_done() -> bool:
        return all(any(key in body for _, body in server.taken) for key in keys)

    keys = [demo.declaration["key"].encode() for demo in load_demos().values()]
    watch = threading.Thread(target=end_when, args=(is_done,))
    watch.start()
    try:
        call_command("simulate", "all", "--live", "--rate", "50", "--url", build_url(server), "--token", "t")
    finally:
        watch.join()
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert is_done()


def end_when(done: Callable[[], bool]) -> None:
    """Tell this process to end, as the stack does, when everything has come (or never will)."""
    until = time.monotonic() + 20
    while not done() and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGTERM)
