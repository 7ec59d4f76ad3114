"""A feed that is a topic goes into a backup as files, and is put back as such."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.broker import Broker as Running
from tests.storage.packets import rows_of_batch
from tests.storage.test_topic_feed import begun, keys, publish, told
from timeline_app.storage import packs
from timeline_app.storage.broker import Broker, keep
from timeline_app.storage.file_feed import FileFeed
from timeline_app.storage.places import Places
from timeline_app.web.backup import cuts
from timeline_app.web.backup.archive import Copier, Manifest
from timeline_app.web.backup.restoring import _place

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with Running() as made:
        yield made


def test_a_backup_holds_the_batches_of_a_topic_and_they_come_back_as_files(
    running: Running, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PACK = 4
    monkeypatch.setattr(packs, "NEWEST", 2)
    data, target, other = tmp_path / "data", tmp_path / "backup", tmp_path / "other"
    broker = Broker(running.servers, "tests")
    keep(data, broker)
    feed = begun(data, broker)
    for batch in range(11):
        publish(feed, batch, *([rows_of_batch(f"{batch}", "x")] if batch != 9 else []))
    commits = data / "checkpoints" / "q" / "commits"
    commits.mkdir(parents=True)
    for batch in range(10):  # the last one is not committed yet
        (commits / f"{batch}").write_text("v1")
    manifest = Manifest("now", "sqlite", str(data), secrets=False)
    target.mkdir()
    assert cuts.take(Copier(data, target, manifest), Places(data), "q") == cuts.Cut(10, 9)
    for name in manifest.files:
        _place(target / name, other / name, manifest, other)
    back = FileFeed(Places(other).feed("q"))
    assert [keys(back.read(batch)) for batch in range(11)] == told(feed)
    assert (back.last(), back.has(11), back.size(9), back.size(3)) == (10, False, 0, 2)
    assert keys(back.rows(2, 5)) == ["2", "x", "3", "x", "4", "x"]
    assert sorted(path.name for path in back.path.glob("packs/*.parquet")) == [
        f"{start:012d}.parquet" for start in (0, 4)
    ]
    assert "feeds-broker" not in {Path(name).name for name in manifest.files}
