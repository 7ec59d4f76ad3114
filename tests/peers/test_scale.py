"""The table of scale, and the cluster that is computed from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import scale
from benchmarks.peers.run import PeerFigures
from benchmarks.scale import append_rows, build_row, format_row, parse_arguments, put
from benchmarks.sizing import format_sizing

FIGURES = PeerFigures(
    eps=60_000,
    seconds=10,
    batch_ms=[900.0, 1_100.0, 2_000.0],
    cores=1.5,
    others_cores=0,
    peak_mb=3_000,
    batches=4,
)
KEPT = {"state": 50e6, "checkpoint": 80e6, "feed": 400e6, "landing": 40e6, "recovery": 12.3, "server": 5.0}
ROW = build_row(100_000, 1_000_000, "together", FIGURES, KEPT)


def test_a_row_says_what_was_measured() -> None:
    text = "| 100,000 | 1,000,000 | `together` | 60,000 | 40,000 | 1.1 (2.0) | 50 | 500 | 80 | 400 | 3,000 | 12 |\n"
    assert format_row(ROW) == text
    assert text.count("|") == scale.HEAD.splitlines()[0].count("|")


def test_the_arithmetic_takes_the_largest_row_of_each_placement() -> None:
    small = build_row(1_000, 1_000_000, "together", FIGURES, {**KEPT, "state": 1e9})
    lines = format_sizing([small, ROW]).splitlines()[2:]
    # 500,000 / (40,000 × 0.6) = 20.8 cores; 21 cores × 2 GB; 10 million × (500 + 800) bytes = 13 GB; a day has
    # 43.2 billion events of 2 × 50, 40 and 400 bytes; 41.7 s of a core.
    figures = "21 | 42 | 13 | 4,320 | 1,728 | 17,280 | 0.0006"
    assert lines[1] == f"| 10,000,000 | 500,000 | `together` | {figures} |"
    assert len(lines) == 2


def test_rows_are_kept_as_they_are_made_and_the_newest_counts(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    old = ROW | {"eps": 1}
    other = ROW | {"way": "isolated"}
    assert append_rows(file, iter([other, old])) == [old, other]
    assert append_rows(file, iter([ROW])) == [ROW, other]
    assert append_rows(None, iter([ROW])) == [ROW]


def test_tables_are_put_between_their_marks_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "scale.md"
    page.write_text(scale.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(scale, "PAGE", page)
    put("one\n", "measured")
    put("two\n", "computed")
    put("three\n", "measured")
    text = page.read_text(encoding="utf-8")
    assert "<!-- measured by make bench-scale -->\nthree\n<!-- end of measured -->" in text
    assert "<!-- computed by make bench-scale -->\ntwo\n<!-- end of computed -->" in text
    assert "one\n<!--" not in text
    with pytest.raises(SystemExit, match="no place"):
        put("four\n", "guessed")


@pytest.mark.parametrize(
    "words", [["--events", "1000"], ["--keys", "5000000"], ["--only", "noop"], ["--file", "x"]]
)
def test_what_cannot_be_measured_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(words)
    assert "error" in capsys.readouterr().err
