"""Rates are those of the steady state, and nobody is told one that rests on a wrong answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from benchmarks import engine
from benchmarks.batches import Batch, Steady, select_made_reports
from benchmarks.events import EVENTS, MAX_GAP_MS, SESSIONS, compute_longest_gap
from benchmarks.peers.by_hand import Session
from benchmarks.peers.question import describe_difference, extrapolate_rows, read_answer, write_answer
from benchmarks.peers.run import PeerFigures
from benchmarks.peers.table import ABOUT, BEGIN, END, format_table, write
from benchmarks.peers.ways import NAMES


def report(begin: str, took: int, *, work: bool = True) -> dict[str, Any]:
    return {"timestamp": begin, "durationMs": {"triggerExecution": took} | ({"addBatch": 1} if work else {})}


def test_a_batch_lasts_from_the_trigger_to_the_end_of_its_work() -> None:
    batch = Batch.from_report(report("2026-01-01T00:00:00.500Z", 1_500), 7)
    assert (batch.ended - batch.began, batch.rows) == (1.5, 7)


def test_looking_and_finding_nothing_is_no_batch() -> None:
    reports = [report("2026-01-01T00:00:00.000Z", 5), report("2026-01-01T00:00:01.000Z", 5, work=False)]
    assert select_made_reports(reports) == reports[:1]


def test_the_first_batch_of_a_query_does_not_count() -> None:
    steady = Steady.measure([[Batch(0, 100, 10), Batch(100, 101, 10), Batch(101, 103, 4)]])
    assert (steady.seconds, steady.events) == (3, 14)


def test_several_queries_are_measured_while_all_are_under_way_and_share_the_events() -> None:
    fast = [Batch(0, 10, 10), Batch(10, 20, 10), Batch(20, 30, 10)]
    slow = [Batch(0, 15, 10), Batch(15, 30, 10), Batch(30, 45, 10)]
    steady = Steady.measure([fast, slow])
    assert (steady.began, steady.ended) == (15, 45)
    assert steady.events == (5 + 10 + 20) / 2


def test_what_answers_at_once_is_measured_as_a_whole() -> None:
    assert Steady.measure([[Batch(5, 7, 100)]]).rate == 50


def test_a_wrong_answer_is_told_by_session(tmp_path: Path) -> None:
    write_answer(tmp_path / "a", (["b", "a"], np.array([2, 1])))
    assert read_answer(tmp_path / "a") == {"a": 1, "b": 2}
    assert describe_difference({"a": 1, "b": 2}, {"a": 1, "b": 2}) == ""
    assert (
        describe_difference({"a": 1, "b": 2}, {"b": 3})
        == "2 of 2 sessions differ: a None instead of 1 µs, b 3 instead of 2 µs"
    )


def test_time_goes_on_after_the_latest_row_of_a_session() -> None:
    rows = {"session": ["b", "a", "a"], "t": [5, 9, 7], "spent": [3, 4, 2], "since": [None, 12, 8]}
    names, micros = extrapolate_rows(pa.table(rows), 20)
    assert dict(zip(names, micros.tolist(), strict=True)) == {"a": (4 + 20 - 12) * 1_000, "b": 3_000}
    names, micros = extrapolate_rows(
        pa.table(rows), 10
    )  # five seconds after a seek may end after the last event
    assert dict(zip(names, micros.tolist(), strict=True)) == {"a": 4_000, "b": 3_000}


def test_a_session_by_hand_is_the_same_however_its_events_are_cut() -> None:
    events = [
        (0, "buffer", None), (1_000, "play", None), (2_000, "buffer", None), (4_000, None, "volume"),
        (5_000, None, "seek"), (12_000, None, None), (13_000, "play", None), (14_000, "buffer", None),
    ]  # fmt: skip
    whole = Session().after(events)
    assert whole.spent == 3_000 + 3_000
    assert whole.since == 14_000
    parted = Session()
    for event in events:
        parted = parted.after([event])
    assert parted == whole


def test_more_events_of_a_session_stand_closer_so_that_all_have_room() -> None:
    assert compute_longest_gap(EVENTS, SESSIONS) == compute_longest_gap(EVENTS, 10 * SESSIONS) == MAX_GAP_MS
    assert compute_longest_gap(EVENTS, SESSIONS // 25) == MAX_GAP_MS // 25


def build_figures(eps: float) -> PeerFigures:
    return PeerFigures(eps, 1, [1], 0.5, 0, 1, 1)


def test_the_engine_is_held_against_the_fastest_that_was_written_by_hand() -> None:
    rates = {
        "together": 600, "isolated": 100, "transform_with_state": 60, "apply_in_pandas_with_state": 100,
        "transform_with_state_in_pandas": 40, "noop": 1_500,
    }  # fmt: skip
    answer = engine.format_figures({way: build_figures(rate) for way, rate in rates.items()})
    assert answer == {
        "together_eps": 600, "isolated_eps": 100, "noop_eps": 1_500, "handwritten_eps": 100,
        "handwritten": "apply_in_pandas_with_state", "together_vs_handwritten": 6, "isolated_vs_handwritten": 1,
        "noop_vs_together": 2.5,
    }  # fmt: skip
    assert engine.format_figures({"together": build_figures(600)}) == {"together_eps": 600}


def test_too_few_batches_for_a_rate_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        engine.parse_arguments(["--events", "200000"])
    assert "three batches" in capsys.readouterr().err
    assert engine.parse_arguments(["--only", "together", "noop"]).only == ["together", "noop"]


def test_the_table_has_all_ways_but_what_answers_nothing(tmp_path: Path) -> None:
    assert set(ABOUT) == set(NAMES) - {"noop"}
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    text = format_table({"duckdb": build_figures(123_456), "together": build_figures(98_765)})
    write(page, text)
    write(page, text)
    assert page.read_text() == f"before\n{BEGIN}\n{text}{END}\nafter\n"
    assert [line.split("|")[3].strip() for line in text.splitlines()[2:]] == ["99,000", "120,000"]
    with pytest.raises(SystemExit):
        write(Path(__file__).parents[2] / "README.md", text)
