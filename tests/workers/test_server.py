"""The Spark server begins with room: what a killed one left of its working copies is gone."""

from __future__ import annotations

from pathlib import Path

from workers.spark.server import make_room


def test_what_a_killed_server_left_is_gone_and_nothing_beside_it(tmp_path: Path) -> None:
    left = tmp_path / "spark" / "spark-1" / "StateStoreId" / "1.sst"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"a working copy")
    kept = tmp_path / "checkpoints" / "1.zip"
    kept.parent.mkdir()
    kept.write_bytes(b"the state")
    make_room(tmp_path / "spark")
    make_room(tmp_path / "spark")
    assert list((tmp_path / "spark").iterdir()) == []
    assert kept.read_bytes() == b"the state"


def test_the_first_start_makes_the_folder(tmp_path: Path) -> None:
    make_room(tmp_path / "new" / "spark")
    assert (tmp_path / "new" / "spark").is_dir()
