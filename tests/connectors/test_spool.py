"""A batch that was put into the spool stays that batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from timeline_app.connectors.sink_kit.cases import build_batch
from timeline_app.connectors.spool import Spool, Spooled


def test_who_comes_first_says_what_a_batch_is(tmp_path: Path) -> None:
    left, right = Spool(tmp_path / "a"), Spool(tmp_path / "a")
    assert left.get(3) is None
    first = Spooled(build_batch(3), {"place": {"from": -(2**63)}})
    assert left.put(3, first) == first
    assert right.put(3, Spooled(build_batch(4), {})) == first
    assert right.get(3) == first


def test_what_is_published_is_dropped(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "a")
    for number in (1, 2, 3):
        spool.put(number, Spooled(build_batch(number), {}))
    spool.drop(2)
    assert [spool.get(number) is None for number in (1, 2, 3)] == [True, True, False]
    spool.remove()
    assert not (tmp_path / "a").exists()


def test_a_torn_batch_is_said_and_not_guessed(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "a")
    spool.put(0, Spooled(build_batch(0), {}))
    [path] = (tmp_path / "a").glob("*.arrow")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(OSError, match="broken"):
        spool.get(0)
