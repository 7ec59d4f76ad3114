"""A child with limits: what meets one is told in words, whatever is killed is started again, nobody is left behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from timeline_app.evaluate.sandbox import (
    Cancelled,
    Interrupted,
    JobMessage,
    LimitExceeded,
    Limits,
    NoTurn,
    Sandbox,
    Turns,
)

LIMITS = Limits(memory=256 * 2**20, processor=2, time=30, answer=2**20)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    new_sandbox = Sandbox("tests.evaluate.hostile_jobs")
    yield new_sandbox
    new_sandbox.stop()


def run_job(sandbox: Sandbox, job: str, *, limits: Limits = LIMITS, header: object = None) -> object:
    return sandbox.run(job, JobMessage(header), limits).header


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until, "it never came to be so"
        time.sleep(0.02)


def list_children(server: int | None) -> list[int]:
    return [int(part) for part in Path(f"/proc/{server}/task/{server}/children").read_text().split()]


def test_headers_and_blobs_come_back_as_they_went(sandbox: Sandbox) -> None:
    sent = JobMessage({"a": [1, None, 1.5, "ü\u2028", 10**40]}, [b"", b"\0" * 3_000_000, b"x"])
    limits = Limits(LIMITS.memory, 5, 30, answer=2**23)
    assert sandbox.run("echo", sent, limits) == sent


@pytest.mark.parametrize(
    ("job", "limit", "words"),
    [
        ("fill_numpy_memory", "memory", "more than 256 MiB of memory"),
        ("fill_python_memory", "memory", "more than 256 MiB of memory"),
        ("fill_arrow_memory", "memory", "more than 256 MiB of memory"),
        ("abort", "memory", "more than 256 MiB of memory"),
        ("spin", "processor", "more than 2 s of processor time"),
        ("answer_at_length", "answer", "an answer of more than 1 MiB"),
        ("write_large_file", "file", "a file of more than 256 MiB"),
        ("recurse", "depth", "more levels of nesting than are read"),
    ],
)
def test_what_meets_a_limit_is_told_which_and_the_next_one_is_answered(
    sandbox: Sandbox, job: str, limit: str, words: str
) -> None:
    with pytest.raises(LimitExceeded, match=words) as met:
        run_job(sandbox, job)
    assert met.value.limit == limit
    assert run_job(sandbox, "echo", header=7) == 7


def test_what_sleeps_is_ended_by_the_wall_clock(sandbox: Sandbox) -> None:
    with pytest.raises(LimitExceeded, match=r"more than 0\.2 s"):
        run_job(sandbox, "sleep", limits=Limits(LIMITS.memory, 5, time=0.2))
    # The server looks at the clock of children that are left, too: it is still there.
    assert run_job(sandbox, "echo", header=1) == 1


def test_a_child_has_no_file_but_its_own_socket_and_makes_files_for_nobody_else(sandbox: Sandbox) -> None:
    result = run_job(sandbox, "look_around")
    assert isinstance(result, dict)
    assert len(result["sockets"]) == 1
    assert result["umask"] == 0o077
    assert not any(
        name.startswith(("TIMELINE_SECRET", "DATABASE", "REDIS")) for name in result["environment"]
    )
    assert "django" not in result["modules"]


def test_a_killed_fork_server_is_started_again_and_leaves_no_child(sandbox: Sandbox) -> None:
    server, answers = sandbox.pid, list[object]()
    thread = threading.Thread(target=lambda: answers.append(run_job(sandbox, "sleep_long", header=2.0)))
    thread.start()
    wait_until(lambda: bool(list_children(server)))
    assert server is not None
    (child,) = list_children(server)
    os.kill(server, signal.SIGKILL)
    thread.join()
    assert answers == ["awake"]
    assert sandbox.pid != server
    wait_until(lambda: not Path(f"/proc/{child}").exists())


def test_a_fork_server_that_was_killed_between_two_questions_is_started_again(sandbox: Sandbox) -> None:
    server = sandbox.pid
    assert server is not None
    os.kill(server, signal.SIGKILL)
    assert run_job(sandbox, "echo", header="again") == "again"
    assert sandbox.pid not in (None, server)


def test_a_child_that_somebody_kills_is_told_as_that(sandbox: Sandbox) -> None:
    def kill() -> None:
        wait_until(lambda: bool(list_children(sandbox.pid)))
        for child in list_children(sandbox.pid):
            os.kill(child, signal.SIGKILL)

    run_job(sandbox, "echo")
    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(Interrupted, match="ended by signal 9"):
        run_job(sandbox, "sleep")
    killer.join()
    assert run_job(sandbox, "echo", header=3) == 3


def test_who_goes_away_ends_the_child(sandbox: Sandbox) -> None:
    run_job(sandbox, "echo")
    has_left = threading.Event()
    timer = threading.Timer(0.3, has_left.set)
    timer.start()
    with pytest.raises(Cancelled):
        sandbox.run("sleep", JobMessage(None), LIMITS, has_left.is_set)
    wait_until(lambda: not list_children(sandbox.pid))


def test_the_fork_server_ends_with_who_started_it() -> None:
    own = Sandbox("tests.evaluate.hostile_jobs")
    assert run_job(own, "echo", header=1) == 1
    server = own.pid
    own.stop()
    assert own.pid is None
    assert not Path(f"/proc/{server}").exists()


def test_many_ask_at_once_and_each_has_its_answer(sandbox: Sandbox) -> None:
    result = dict[int, object]()
    threads = [
        threading.Thread(target=lambda n=n: result.update({n: run_job(sandbox, "echo", header=n)}))
        for n in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert result == {n: n for n in range(40)}


def test_a_turn_goes_to_who_has_fewest() -> None:
    turns, order, release = Turns(2, 10), list[str](), threading.Event()

    def take_turn(person: str) -> None:
        with turns.turn(person, 60):
            order.append(person)
            release.wait()

    threads = [threading.Thread(target=take_turn, args=[person]) for person in ("eve", "eve")]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(order) == 2)
    for person in ("eve", "eve", "eve", "alice"):
        threads.append(threading.Thread(target=take_turn, args=[person]))
        threads[-1].start()
        wait_until(lambda: len(turns._waiting) == len(threads) - 2)
    with turns._changed:  # one of the two ends
        turns._running["eve"] -= 1
        turns._changed.notify_all()
    wait_until(lambda: len(order) == 3)
    assert order == ["eve", "eve", "alice"]
    release.set()
    for thread in threads:
        thread.join()


def test_a_person_has_few_places_in_the_queue_and_others_theirs() -> None:
    turns, held = Turns(1, 1), threading.Event()

    def wait(person: str) -> None:
        with pytest.raises(NoTurn), turns.turn(person, 60, held.is_set):
            pass

    with turns.turn("eve", 1):
        first = threading.Thread(target=wait, args=["eve"])
        first.start()
        wait_until(lambda: len(turns._waiting) == 1)
        with pytest.raises(NoTurn), turns.turn("eve", 60):
            pass
        other = threading.Thread(target=wait, args=["alice"])
        other.start()
        wait_until(lambda: len(turns._waiting) == 2)
        held.set()
        first.join()
        other.join()
    with turns.turn("eve", 0):
        pass
