"""The power is cut after every single sync of what is written in steps: what was acknowledged is there, whole."""

from __future__ import annotations

import json
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from tests.landing.test_dedup import build_request
from tests.power.disk import Loss, RecordedDisk
from timeline_app.algebra.kinds import Kind
from timeline_app.connectors.delta.sink import Delta
from timeline_app.connectors.files.parquet_sink import Parquet
from timeline_app.connectors.sink_contract import Delivery
from timeline_app.connectors.splits.notes import Folder as Store
from timeline_app.connectors.spool import Spool, Spooled
from timeline_app.feed.syncing import Syncer
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing

Look = Callable[[Path], None]


class Cuts:
    """Cuts the power of a disk before and after each sync, and lets a test look at what is left each time."""

    def __init__(self, root: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """From now on each sync is followed by cuts."""
        self.root, self.scratch, self.checks, self.cuts = root, scratch, list[Look](), 0
        self.disk, self._lock, self._chance = RecordedDisk(root, scratch), threading.RLock(), random.Random(7)
        self._is_checking = False
        recording = self.disk.recording(os.fsync)

        def fsync(handle: int) -> None:
            with self._lock:
                if self._is_checking:  # of what is left something is written on
                    return
                self.check_all()
                recording(handle)
                self.check_all()

        monkeypatch.setattr(os, "fsync", fsync)

    def check_all(self) -> None:
        """Cut the power now, in every way."""
        self._is_checking = True
        for loss in (*Loss, Loss.ANYTHING, Loss.ANYTHING):
            self.cuts += 1
            left = self.scratch / f"cut-{self.cuts}"
            self.disk.cut(left, loss, self._chance)
            for check in self.checks:
                check(left)
        self._is_checking = False


@pytest.fixture
def cuts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cuts:
    """A disk whose power is cut at each step."""
    root = tmp_path / "root"
    root.mkdir()
    return Cuts(root, tmp_path, monkeypatch)


def test_what_the_door_has_acknowledged_has_landed(cuts: Cuts) -> None:
    acknowledged: list[str] = []

    def check(left: Path) -> None:
        landing = Landing(left / "landing", "s")
        assert set(acknowledged) <= set(landing._remembered().receipts)
        assert landing.end() - len(acknowledged) in (0, 1)
        landing.rows(0, landing.end())

    cuts.checks.append(check)
    for number in range(4):
        landing = Landing(cuts.root / "landing", "s")
        item = build_request(f"r{number}")
        landing.commit([item])
        assert item.receipt is not None
        acknowledged.append(item.receipt.id)
        cuts.check_all()
    landing.beat(1_000)
    cuts.check_all()
    assert cuts.cuts > 100


def test_a_file_that_is_replaced_is_the_old_one_or_the_new_one(cuts: Cuts) -> None:
    written = ["none"]

    def check(left: Path) -> None:
        text = (left / "note").read_text() if (left / "note").exists() else "none"
        assert text in written[-2:]

    cuts.checks.append(check)
    for number in range(5):
        written.append(str(number) * 3_000)
        durable.replace(cuts.root / "note", written[-1].encode())
        written.append(written[-1])
        cuts.check_all()
    assert cuts.cuts > 50


def test_what_is_said_to_be_in_a_spool_is_in_it(cuts: Cuts) -> None:
    spooled: list[int] = []

    def check(left: Path) -> None:
        spool = Spool(left / "spool" / "one")
        for batch in spooled:
            result = spool.get(batch)
            assert result is not None
            assert result.rows["n"].to_pylist() == [batch]

    cuts.checks.append(check)
    for batch in range(3):
        Spool(cuts.root / "spool" / "one").put(batch, Spooled(pa.table({"n": [batch]}), {"at": batch}))
        spooled.append(batch)
        cuts.check_all()


def test_what_a_source_has_noted_is_noted(cuts: Cuts) -> None:
    noted: dict[str, bytes] = {}

    def check(left: Path) -> None:
        for name, content in noted.items():
            assert Store(left / "sources" / "1").get(name) == content

    cuts.checks.append(check)
    for number in range(3):
        noted |= {f"n{number}": Store(cuts.root / "sources" / "1").put(f"n{number}", b"found")}
        cuts.check_all()


@pytest.mark.parametrize("kind", [Parquet, Delta])
def test_what_was_delivered_into_a_folder_is_there(
    cuts: Cuts, kind: type[Parquet | Delta], monkeypatch: pytest.MonkeyPatch
) -> None:
    delivered: list[int] = []
    schema = pa.schema([("n", pa.int64())])

    def check(left: Path) -> None:
        if kind is Parquet:
            files = sorted((left / "out").glob("batch-*.parquet"))
            assert len(files) >= len(delivered)
            assert [pq.read_table(file)["n"].to_pylist() for file in files[: len(delivered)]] == [
                [item] for item in delivered
            ]
            return
        if delivered:
            reopened = Delta(folder="out")
            reopened.open(Delivery("i" * 32, "node", Kind.BOOL, left))
            result = sorted(DeltaTable(str(left / "out")).to_pyarrow_table()["n"].to_pylist())
            assert result == list(range(max(reopened.last() or 0, delivered[-1]) + 1))

    cuts.checks.append(check)
    monkeypatch.setattr(Delivery, "schema", schema)
    delivery = Delivery("i" * 32, "node", Kind.BOOL, cuts.root)
    for batch in range(3):
        sink = kind(folder="out")
        sink.open(delivery)
        sink.stage(batch, pa.table({"n": [batch]}, schema=schema))
        sink.publish(batch)
        delivered.append(batch)
        cuts.check_all()


def write_batch(places: Places, batch: int) -> None:
    """Files as Spark writes them: nothing is synced."""
    checkpoint, feed = Path(str(places.checkpoint("q"))), Path(str(places.feed("q")))
    part = feed / f"part-{batch}.parquet"
    files = {
        checkpoint / "metadata": "{}",
        checkpoint / f"offsets/{batch}": f"offsets {batch}",
        checkpoint / f"commits/{batch}": "v1",
        checkpoint / f"state/0/0/{batch + 1}.changelog": f"state {batch + 1}",
        checkpoint / "state/0/1/SSTs/1.sst": "a table",
        feed / f"_spark_metadata/{batch}": "v1\n" + json.dumps({"path": f"file://{part}"}),
        feed / f"_spark_metadata/.{batch}.crc": "a sum",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            draft = path.with_name(f".{path.name}.tmp")
            draft.write_text(text)
            draft.rename(path)
    pq.write_table(pa.table({"batch": [batch]}), part)


def test_what_a_batch_rests_on_is_on_disk_before_it_is_published(cuts: Cuts) -> None:
    places, syncer, published = Places(cuts.root), Syncer(Places(cuts.root)), dict[str, bytes]()

    def check(left: Path) -> None:
        for name, content in published.items():
            assert (left / name).read_bytes() == content

    cuts.checks.append(check)
    for batch in range(3):
        write_batch(places, batch)
        syncer.sync_query("q", batch, batch + 1)
        files = [path for path in cuts.root.rglob("*") if path.is_file()]
        published |= {str(path.relative_to(cuts.root)): path.read_bytes() for path in files}
        cuts.check_all()
    assert len(published) == 20
    Path(str(places.checkpoint("q")), "state/0/0/1.changelog").unlink()
    del published["checkpoints/q/state/0/0/1.changelog"]
    write_batch(places, 3)
    syncer.sync_query("q", 3, 4)
    cuts.check_all()


def test_only_what_is_new_is_synced(cuts: Cuts, monkeypatch: pytest.MonkeyPatch) -> None:
    places, syncer, synced = Places(cuts.root), Syncer(Places(cuts.root)), list[str]()
    monkeypatch.setattr(
        os, "fsync", lambda handle: synced.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
    )
    counts = []
    for batch in range(4):
        write_batch(places, batch)
        synced.clear()
        syncer.sync_query("q", batch, batch + 1)
        counts.append(len(synced))
    assert counts[0] > counts[1] == counts[2] == counts[3] == 11
    synced.clear()
    syncer.sync_query("q", 4, 4)
    assert synced == []
    write_batch(places, 4)
    (cuts.root / "checkpoints/q/offsets/4").rename(cuts.root / "checkpoints/q/offsets/3")
    syncer.sync_query("q", 4, 5)
    assert str(places.data / "checkpoints/q/offsets/3") in synced, "what was written again is another file"
