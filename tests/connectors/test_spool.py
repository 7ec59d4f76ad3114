"""A batch that was put into the spool stays that batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from timeline_app.connectors.sink_kit.cases import batch_of
from timeline_app.connectors.spool import Spool, Spooled


def test_who_comes_first_says_what_a_batch_is(tmp_path: Path) -> None:
    one, other = Spool(tmp_path / "a"), Spool(tmp_path / "a")
    assert one.get(3) is None
    first = Spooled(batch_of(3), {"place": {"from": -(2**63)}})
    assert one.put(3, first) == first
    assert other.put(3, Spooled(batch_of(4), {})) == first
    assert other.get(3) == first


def test_what_is_published_is_dropped(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "a")
    for number in (1, 2, 3):
        spool.put(number, Spooled(batch_of(number), {}))
    spool.drop(2)
    assert [spool.get(number) is None for number in (1, 2, 3)] == [True, True, False]
    spool.remove()
    assert not (tmp_path / "a").exists()


def test_a_torn_batch_is_said_and_not_guessed(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "a")
    spool.put(0, Spooled(batch_of(0), {}))
    [path] = (tmp_path / "a").glob("*.arrow")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(OSError, match="broken"):
        spool.get(0)
