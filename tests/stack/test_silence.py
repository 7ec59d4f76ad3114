"""What runs and does not answer is found; what starts, or was not looked at, is not blamed."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.stack import health
from workers.stack.silence import CHECK_EVERY_S, HUNG_AFTER_S, REPORT_STARTING_EVERY_S, Silences

SERVER = (
    "import http.server; server = http.server.HTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler); "
    "print(server.server_port, flush=True); server.serve_forever()"
)


class Watched:
    """One process that answers or not, asked as time goes by."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.answers, self.works, self.pid, self.check_count = 1_000.0, True, False, 7, 0
        self.silences = Silences({"web": self._ask}, signs={"web": lambda: self.works})
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def _ask(self) -> bool:
        self.check_count += 1
        return self.answers

    def wait(self, seconds: float, step: float = CHECK_EVERY_S) -> dict[str, float]:
        """Look every `step` seconds; what is found last."""
        result: dict[str, float] = {}
        for _ in range(round(seconds / step)):
            self.now += step
            result = self.silences.hung({"web": self.pid}) or result
        return result


@pytest.fixture
def watched_server(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


def test_who_answered_and_does_so_no_longer_hangs(watched_server: Watched) -> None:
    watched_server.wait(30)
    watched_server.answers = False
    assert watched_server.wait(HUNG_AFTER_S) == {}
    assert watched_server.wait(2 * CHECK_EVERY_S)["web"] > HUNG_AFTER_S


def test_a_word_now_and_then_is_enough(watched_server: Watched) -> None:
    watched_server.wait(30)
    for _ in range(3):
        watched_server.answers = False
        assert watched_server.wait(HUNG_AFTER_S - CHECK_EVERY_S) == {}
        watched_server.answers = True
        watched_server.wait(CHECK_EVERY_S)


def test_who_works_and_is_slow_to_answer_does_not_hang(watched_server: Watched) -> None:
    watched_server.wait(30)
    watched_server.answers, watched_server.works = False, True
    assert watched_server.wait(10 * HUNG_AFTER_S) == {}
    watched_server.works = False
    assert watched_server.wait(HUNG_AFTER_S + CHECK_EVERY_S)["web"] > HUNG_AFTER_S


def test_who_writes_and_never_answered_is_starting(watched_server: Watched) -> None:
    """What it writes may be its start, or the last line of the one before."""
    watched_server.answers, watched_server.works = False, True
    watched_server.wait(REPORT_STARTING_EVERY_S)
    watched_server.works = False
    assert watched_server.wait(10 * HUNG_AFTER_S) == {}
    assert watched_server.silences.starting({"web": 7})


def test_who_never_answered_may_still_be_starting(watched_server: Watched) -> None:
    watched_server.answers = False
    assert watched_server.wait(10 * HUNG_AFTER_S) == {}


def test_a_new_process_is_not_blamed_for_the_old_one(watched_server: Watched) -> None:
    watched_server.wait(30)
    watched_server.answers = False
    watched_server.wait(HUNG_AFTER_S)
    watched_server.pid = 8
    assert watched_server.wait(10 * HUNG_AFTER_S) == {}


def test_time_in_which_nobody_looked_does_not_count(watched_server: Watched) -> None:
    watched_server.wait(30)
    watched_server.answers = False
    assert watched_server.wait(3 * 3_600, step=3_600) == {}


def test_it_is_asked_now_and_then_however_often_one_looks(watched_server: Watched) -> None:
    watched_server.wait(10 * CHECK_EVERY_S, step=0.5)
    assert watched_server.check_count == 10


@pytest.fixture
def server() -> Iterator[tuple[subprocess.Popen[str], int]]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        assert child.stdout
        yield child, int(child.stdout.readline())
        child.kill()


def test_a_stopped_server_has_an_open_port_and_says_nothing(
    server: tuple[subprocess.Popen[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    child, port = server
    monkeypatch.setattr(health, "TIMEOUT_S", 0.5)
    answers = health.Line(port, health.TO_HTTP)
    assert answers()
    child.send_signal(signal.SIGSTOP)
    assert health.is_port_open(port)
    assert not answers()
    child.send_signal(signal.SIGCONT)
    assert answers()
    assert answers(), "it is asked anew"


def test_who_is_slower_than_one_look_answers_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as door:
        answers = health.Line(door.getsockname()[1], health.TO_HTTP)
        assert [answers(), answers(), answers()] == [False, False, False]
        line, _ = door.accept()
        assert line.recv(1_000) == health.TO_HTTP, "it was asked once"
        line.sendall(b"HTTP/1.0 302 Found\r\n\r\n")
        assert answers()
        line.close()
        assert not answers(), "asked anew"


def test_a_line_that_is_cut_is_no_answer_and_the_next_look_asks_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as door:
        answers = health.Line(door.getsockname()[1], health.TO_HTTP)
        assert not answers()
        door.accept()[0].close()
        assert not answers()
        assert not answers(), "a new one, that waits"
        second, _ = door.accept()
        second.sendall(b"x")
        assert answers()
        second.close()


def test_where_nobody_listens_nobody_speaks() -> None:
    assert not health.Line(health.find_free_port(), health.TO_REDIS)()


def test_who_starts_is_told_with_how_long(watched_server: Watched) -> None:
    watched_server.answers = False
    watched_server.wait(REPORT_STARTING_EVERY_S - CHECK_EVERY_S)
    assert watched_server.silences.starting({"web": 7}) == {}
    watched_server.wait(CHECK_EVERY_S)
    items = [watched_server.silences.starting({"web": 7}) for _ in range(2)]
    assert items == [{"web": REPORT_STARTING_EVERY_S}, {}], "not at each look"
    watched_server.wait(REPORT_STARTING_EVERY_S)
    watched_server.answers = True
    watched_server.wait(CHECK_EVERY_S)
    assert watched_server.silences.starting({"web": 7}) == {}


def test_a_log_that_grows_is_a_sign_of_life(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    grown = health.Grown(log)
    assert not grown()
    log.write_text("GET /\n")
    assert [grown(), grown()] == [False, False]
    log.write_text("GET /\nGET /streams/\n")
    assert [grown(), grown()] == [True, False]
