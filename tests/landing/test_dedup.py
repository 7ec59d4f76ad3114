"""A request lands once, in its client's order, whoever repeats it, at whatever time, and whoever was killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.landing.test_log import build_batch, read
from timeline_app.fs import durable
from timeline_app.landing import dedup, unconfirmed
from timeline_app.landing.compaction import MIN_BATCHES_PER_SEGMENT, Needed, compact_landing
from timeline_app.landing.dedup import Receipt
from timeline_app.landing.group_commit import GroupCommit
from timeline_app.landing.log import Landing, build_table
from timeline_app.landing.requests import Request

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[2]


def build_request(
    name: str, client: str = "", sequence: int = -1, body: str = "b", events: int = 1
) -> Request:
    """A request whose events have its name as their key."""
    table = build_table(build_batch(*({"k": name or "-", "t": index} for index in range(events))))
    return Request(table, Receipt(name, client, sequence, body, events))


def commit_requests(landing: Landing, *requests: Request) -> list[tuple[int, bool] | str]:
    """What becomes of requests that come together: batch and whether repeated, or why not."""
    landing.commit(requests)
    return [describe_outcome(request) for request in requests]


def describe_outcome(request: Request) -> tuple[int, bool] | str:
    if request.refusal:
        return request.refusal.code
    assert request.receipt is not None
    return request.receipt.batch, request.repeated


def test_a_repeated_request_lands_once_and_is_answered_alike(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    assert commit_requests(landing, build_request("a", events=3)) == [(0, False)]
    repeated = build_request("a", events=3)
    assert commit_requests(landing, build_request("b"), repeated) == [(1, False), (0, True)]
    assert repeated.receipt == Receipt("a", "", -1, "b", 3, 0)
    assert commit_requests(Landing(tmp_path, "s"), build_request("b")) == [(1, True)]
    assert read(landing)["key"].to_pylist() == ["a", "a", "a", "b"]


def test_copies_that_come_together_land_once(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    assert commit_requests(landing, build_request("a"), build_request("a"), build_request("b")) == [
        (0, False),
        (0, True),
        (0, False),
    ]
    assert read(landing)["key"].to_pylist() == ["a", "b"]


def test_what_another_process_landed_meanwhile_is_known(tmp_path: Path) -> None:
    left, right = Landing(tmp_path, "s"), Landing(tmp_path, "s")
    assert commit_requests(left, build_request("a")) == [(0, False)]
    assert commit_requests(right, build_request("b"), build_request("a")) == [(1, False), (0, True)]
    assert commit_requests(left, build_request("b")) == [(1, True)]


def test_a_known_id_with_another_body_is_refused(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    commit_requests(landing, build_request("a"))
    assert commit_requests(landing, build_request("a", body="other"), build_request("c")) == [
        "other_body",
        (1, False),
    ]
    assert landing.find_known(build_request("a", body="other").claim) is None
    assert landing.find_known(build_request("a").claim) == Receipt("a", "", -1, "b", 1, 0)


def test_a_clients_requests_land_in_order_and_a_gap_or_an_old_one_is_told(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    assert commit_requests(landing, build_request("7", "c", 7)) == [(0, False)]
    late, early = build_request("9", "c", 9), build_request("8", "c", 8)
    assert commit_requests(landing, late, early) == [(1, False), (1, False)]
    assert read(landing, 1)["key"].to_pylist() == ["8", "9"]
    gap, old = build_request("12", "c", 12), build_request("5", "c", 5)
    assert commit_requests(landing, gap, old, build_request("1", "other", 1)) == ["gap", "old", (2, False)]
    assert gap.refusal is not None
    assert gap.refusal.expected == 10
    assert commit_requests(
        Landing(tmp_path, "s"), build_request("12", "c", 12), build_request("8", "c", 8)
    ) == [
        "gap",
        (1, True),
    ]


def test_ids_are_remembered_to_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dedup, "MAX_DEDUP_RECORDS", 10)
    monkeypatch.setattr(dedup, "MAX_REMEMBERED_CLIENTS", 2)
    landing = Landing(tmp_path, "s")
    for number in range(30):
        commit_requests(landing, build_request(f"{number}", f"c{number % 5}", number // 5))
    for item in (landing, Landing(tmp_path, "s")):
        assert commit_requests(item, build_request("29", "c4", 5)) == [(29, True)]
        memory = item._memory
        assert memory is not None
        assert 10 <= len(memory.receipts) <= 11
        assert len(memory.clients) == 2


def test_requests_of_many_threads_land_together_each_once(tmp_path: Path) -> None:
    group = GroupCommit(Landing(tmp_path, "s"))
    items = [build_request(f"{number % 40}") for number in range(80)]
    landed: list[Request] = []
    threads = [threading.Thread(target=lambda item=item: landed.extend(group.land(item))) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(item.receipt for item in items)
    assert sorted(read(group.landing)["key"].to_pylist()) == sorted(f"{number}" for number in range(40))
    assert len(landed) == 40, "each is counted by one thread"


def test_a_disk_that_fails_is_told_to_everybody_and_nothing_lands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = GroupCommit(Landing(tmp_path, "s"))

    def raise_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("timeline_app.fs.durable.os.fsync", raise_full)
    with pytest.raises(OSError, match="No space"):
        group.land(build_request("a"))
    monkeypatch.undo()
    assert group.landing.end() == 0
    repeated = build_request("a")
    assert group.land(repeated) == [repeated]


def test_what_landed_although_the_answer_failed_is_not_landed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = GroupCommit(Landing(tmp_path, "s"))

    real = durable.sync_folder

    def fail(path: Path) -> None:
        if path == tmp_path / "s":
            raise OSError(5, "Input/output error")
        real(path)

    monkeypatch.setattr("timeline_app.fs.durable.sync_folder", fail)
    with pytest.raises(durable.Unsettled, match="Input/output"):
        group.land(build_request("a"))
    monkeypatch.undo()
    repeated = build_request("a")
    assert group.land(repeated) == []
    assert describe_outcome(repeated) == (0, True)


def lose_storage(landing: Landing, monkeypatch: pytest.MonkeyPatch, *sent: Request) -> None:
    """Requests that find the storage away: nothing of them is there."""

    def raise_away(_: object) -> bool:
        raise ConnectionError(111, "Connection refused")

    with monkeypatch.context() as patched:
        patched.setattr(durable._OnDisk, "create", raise_away)
        with pytest.raises(durable.Unsettled):
            landing.commit(sent)


def test_what_did_not_land_while_the_storage_was_away_lands_when_it_comes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = Landing(tmp_path, "s")
    lose_storage(landing, monkeypatch, build_request(""))
    assert commit_requests(landing, build_request("")) == [(0, False)]
    assert commit_requests(landing, build_request("")) == [(1, False)], "and once more it is another event"


def test_a_number_that_another_writer_has_by_then_is_no_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = Landing(tmp_path, "s")
    lose_storage(landing, monkeypatch, build_request(""))
    assert commit_requests(Landing(tmp_path, "s"), build_request("other")) == [(0, False)]
    assert commit_requests(landing, build_request("")) == [(1, False)]
    assert read(landing)["key"].to_pylist() == ["other", "-"]


def test_what_landed_together_with_others_is_known_when_it_comes_again_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = Landing(tmp_path, "s")
    real = durable._OnDisk.create

    def answer_lost(draft: durable._OnDisk) -> bool:
        real(draft)
        raise TimeoutError

    with monkeypatch.context() as patched:
        patched.setattr(durable._OnDisk, "create", answer_lost)
        with pytest.raises(durable.Unsettled):
            landing.commit([build_request("a", events=2), build_request("", events=3)])
    assert commit_requests(landing, build_request("", events=3), build_request("a", events=2)) == [
        (0, True),
        (0, True),
    ]
    assert len(read(landing)) == 5


def test_after_an_hour_the_same_events_are_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    landing = Landing(tmp_path, "s")
    real = durable._OnDisk.create

    def answer_lost(draft: durable._OnDisk) -> bool:
        real(draft)
        raise TimeoutError

    with monkeypatch.context() as patched:
        patched.setattr(durable._OnDisk, "create", answer_lost)
        with pytest.raises(durable.Unsettled):
            landing.commit([build_request("")])
    monkeypatch.setattr(unconfirmed, "UNSETTLED_TTL_S", -1.0)
    assert commit_requests(landing, build_request("")) == [(1, False)]


SENDER = """
import sys
from pathlib import Path
from tests.landing.test_dedup import build_request
from timeline_app.landing.log import Landing

landing, client, number = Landing(Path(sys.argv[1]), "s"), sys.argv[2], int(sys.argv[3])
while True:
    one = build_request(f"{client}-{number}", client, number, events=20)
    landing.commit([one])
    assert one.receipt is not None, one.refusal
    print(number, one.receipt.batch, flush=True)
    number += 1
"""


def send_until_killed(root: Path, client: str, first: int, seconds: float) -> dict[int, int]:
    """The batches that were answered, by number, before the sender was killed."""
    command = [sys.executable, "-c", SENDER, str(root), client, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as sender:
        assert sender.stdout is not None
        begun = sender.stdout.readline()
        time.sleep(seconds)
        sender.send_signal(signal.SIGKILL)
        lines = [line.split() for line in (begun, *sender.stdout) if line.endswith("\n")]
    return {int(number): int(item) for number, item in lines}


def test_killed_senders_lose_nothing_that_was_answered_and_land_nothing_twice(tmp_path: Path) -> None:
    dice = random.Random()
    answered: dict[str, dict[int, int]] = {"a": {}, "b": {}}
    for _ in range(4):
        result: dict[str, dict[int, int]] = {}

        def send(client: str, pause: float, result: dict[str, dict[int, int]] = result) -> None:
            # It goes on with the last one that was answered: that and perhaps the next are repeated.
            result[client] = send_until_killed(tmp_path, client, max(answered[client], default=0), pause)

        threads = [threading.Thread(target=send, args=(name, dice.uniform(0.05, 0.6))) for name in answered]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for client, batches in result.items():
            for number, place in batches.items():
                assert answered[client].setdefault(number, place) == place, "the same answer"
    landing = Landing(tmp_path, "s")
    rows = read(landing)
    keys = rows["key"].to_pylist()
    assert len(set(zip(keys, rows["time"].to_pylist(), strict=True))) == len(keys), "nothing twice"
    for client, batches in answered.items():
        own_items = [int(key.split("-")[1]) for key in keys if key.startswith(client)][::20]
        assert own_items == list(range(len(own_items))), "in order, without a gap"
        assert len(own_items) - 1 in (max(batches), max(batches) + 1), "all that was answered"


def read_of(landing: Landing, position: int, after: int | None) -> Request:
    """Events that were read of a source up to a position, after another one."""
    item = build_request("")
    item.positions, item.after = {"t/0": position}, {"t/0": after}
    landing.commit([item])
    return item


def test_what_is_read_of_a_source_lands_once_whoever_reads_it(tmp_path: Path) -> None:
    landing, other = Landing(tmp_path, "s"), Landing(tmp_path, "s")
    assert describe_outcome(read_of(landing, 5, None)) == (0, False)
    assert describe_outcome(read_of(other, 5, None)) == "read_on"
    assert describe_outcome(read_of(other, 9, 5)) == (1, False)
    assert describe_outcome(read_of(landing, 9, 5)) == "read_on"
    assert len(read(landing)) == 2
    assert Landing(tmp_path, "s").positions() == {"t/0": dedup.Position(9, 1)}


def test_positions_outlive_the_compaction_of_the_files_that_told_them(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    for number in range(2 * MIN_BATCHES_PER_SEGMENT):
        read_of(landing, number + 1, number or None)
    compact_landing(landing, Needed(None, 0))
    for path in landing.loose():
        path.unlink()
    reopened = Landing(tmp_path, "s")
    assert reopened.positions()["t/0"].value == 2 * MIN_BATCHES_PER_SEGMENT
    assert describe_outcome(read_of(reopened, 99, 2 * MIN_BATCHES_PER_SEGMENT)) == (
        2 * MIN_BATCHES_PER_SEGMENT,
        False,
    )
