"""What a machine of a cluster is asked, and what is said of one that does not fit."""

from __future__ import annotations

from pathlib import Path

from workers.spark.cluster import problems
from workers.spark.looking import report


def test_who_cannot_read_the_login_of_the_broker_is_told_with_the_cure(tmp_path: Path) -> None:
    note = tmp_path / "seen"
    note.touch()
    assert problems([report(str(note), ())], {}) == []
    (tmp_path / "feeds-broker").write_text("{}")
    assert problems([report(str(note), ())], {}) == []
    (tmp_path / "feeds-broker").unlink()
    (tmp_path / "feeds-broker").mkdir()  # nobody reads that as a file, root neither
    [words] = problems([report(str(note), ())], {})
    assert "cannot read how the broker of the feeds is reached" in words
    assert "chmod 640" in words
