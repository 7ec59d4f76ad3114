"""What batches add to pages: whatever is added, replaced or dropped, what is read is what was saved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.landing.small import Small
from timeline_app.testing.memory import Memory
from workers.spark.state import idle_keys, pages
from workers.spark.state.page_view import is_snapshot, mark_snapshot
from workers.spark.state.pages import Pages
from workers.spark.state.rows import KeyRows, build_summary_schema

SCHEMA = pa.schema([("hash", pa.int64()), ("key", pa.string()), ("time", pa.int64())])
FOLDED = build_summary_schema(1)
KEYS = st.integers(-6, 6)

Rows = dict[int, list[int]]
"""Of each key, the times of its rows in the order in which they came."""


def hash_of(key: int) -> int:
    """Two keys have one."""
    return key // 2 << 16


def open_pages(state: Memory) -> Pages:
    return Pages(state, SCHEMA, FOLDED, tracks_positions=True).open()


def build_rows(rows: Rows) -> pa.Table:
    pairs = [(hash_of(key), str(key), time) for key, times in rows.items() for time in times]
    return pa.table([list(column) for column in zip(*pairs, strict=True)] or [[], [], []], schema=SCHEMA)


def build_folded(result: Mapping[int, int]) -> pa.Table:
    columns = [(hash_of(key), str(key), 1, 2, number) for key, number in result.items()]
    return pa.table(
        [list(column) for column in zip(*columns, strict=True)] or [[] for _ in FOLDED], schema=FOLDED
    )


def read(held: KeyRows) -> tuple[Rows, dict[int, int]]:
    times: Rows = {}
    for row in held.rows.to_pylist():
        times.setdefault(int(row["key"]), []).append(row["time"])
    remembered = [(int(row["key"]), row["m0"]) for row in held.summaries.to_pylist()]
    assert len(dict(remembered)) == len(remembered)
    return times, dict(remembered)


def compute_hashes(keys: set[int]) -> np.ndarray:
    return np.array([hash_of(key) for key in keys], dtype=np.int64)


def list_names(table: pa.Table) -> np.ndarray:
    return np.array([int(name) for name in table["key"].to_pylist()], dtype=np.int64)


def select_part(held: KeyRows, *, near: bool) -> tuple[Rows, dict[int, int]]:
    """The rows and numbers that are of near foldings, or the others."""
    return read(
        KeyRows(*(item.filter(pa.array(is_snapshot(item) == near)) for item in (held.rows, held.summaries)))
    )


class Added(Small):
    """Batches beside a dict: rows that come, rows that go, what is remembered of keys, farther and nearer."""

    def __init__(self) -> None:
        """Nothing is held."""
        super().__init__(
            {
                pages: {"MAX_DELTAS": 4, "MAX_PAGE_BYTES": 2_000, "MAX_PAGES": 8},
                idle_keys: {"MIN_UNTOUCHED_ROWS": 12, "MAX_UNTOUCHED_ROWS": 24, "ROWS_PER_VALUE": 4},
            }
        )
        self.state, self.moment = Memory(), 0
        self.rows: Rows = {}
        self.folded: dict[int, int] = {}
        self.near: dict[int, tuple[int, list[int]]] = {}

    @rule(
        coming=st.dictionaries(KEYS, st.integers(0, 9), max_size=6),
        going=st.sets(KEYS, max_size=2),
        of_first=st.booleans(),
        fold=st.dictionaries(KEYS, st.none() | st.integers(0, 5), max_size=2),
        nearer=st.dictionaries(KEYS, st.none() | st.integers(1, 3), max_size=2),
    )
    def batch(
        self,
        coming: dict[int, int],
        going: set[int],
        of_first: bool,
        fold: dict[int, int | None],
        nearer: dict[int, int | None],
    ) -> None:
        """Rows come, of some keys the oldest or all go, and what is remembered changes."""
        state = open_pages(self.state)
        loaded = state.load_tracked(compute_hashes({*coming, *going, *fold, *nearer}))
        self.moment += 1
        new = {key: [self.moment] * count for key, count in coming.items() if count}
        own = list_names(loaded.rows), loaded.rows["time"].to_numpy()
        for key in going & self.rows.keys():
            gone = self.rows[key][:1] if of_first else self.rows[key]
            self.rows[key] = [time for time in self.rows[key] if time not in gone]
            loaded.kept &= ~((own[0] == key) & np.isin(own[1], gone) & ~loaded.in_snapshot)
        for key, times in new.items():
            self.rows.setdefault(key, []).extend(times)
        copies = {key: [self.moment] * count for key, count in nearer.items() if count}
        loaded.kept &= ~(np.isin(own[0], list(nearer)) & loaded.in_snapshot)
        for known, changes in ((self.folded, fold), (self.near, nearer)):
            for key in changes:
                known.pop(key, None)
        self.folded |= {key: number for key, number in fold.items() if number is not None}
        self.near |= {key: (self.moment, times) for key, times in copies.items()}
        names = list_names(loaded.summaries)
        changed = np.where(
            is_snapshot(loaded.summaries), np.isin(names, list(nearer)), np.isin(names, list(fold))
        )
        records = [
            mark_snapshot(build_folded({key: known[key] for key in keys if key in known}), near)
            for near, keys, known in (
                (False, fold, self.folded),
                (True, nearer, {key: number for key, (number, _) in self.near.items()}),
            )
        ]
        loaded.summaries = pa.concat_tables([loaded.summaries.filter(pa.array(~changed)), *records])
        loaded.new_rows = pa.concat_tables(
            [mark_snapshot(build_rows(new), False), mark_snapshot(build_rows(copies), True)]
        )
        state.write_tracked()
        self.rows = {key: times for key, times in self.rows.items() if times}

    @rule(coming=st.dictionaries(KEYS, st.integers(0, 9), max_size=6), going=st.sets(KEYS, max_size=2))
    def a_batch_is_tried_again(self, coming: dict[int, int], going: set[int]) -> None:
        """What a batch wrote that was not committed is not there."""
        before = Memory(self.state), {key: [*times] for key, times in self.rows.items()}
        known = dict(self.folded), dict(self.near)
        self.batch(coming, going, of_first=True, fold={}, nearer={})
        self.state, self.rows = before
        self.folded, self.near = known

    @rule()
    def another_machine_goes_on(self) -> None:
        """What was at hand is not any more."""
        rmtree(Path(self.folder.name) / "recent", ignore_errors=True)

    @invariant()
    def everything_is_there_in_its_order(self) -> None:
        """All that is held, wherever it lies."""
        assert select_part(open_pages(self.state).everything(), near=False) == (self.rows, self.folded)

    @invariant()
    def near_foldings_are_those_written_last(self) -> None:
        """With their rows."""
        numbers = {key: number for key, (number, _) in self.near.items()}
        loaded = open_pages(self.state).load_tracked(compute_hashes({*range(-6, 7)}))
        assert select_part(loaded.all(), near=True) == (
            {key: times for key, (_, times) in self.near.items()},
            numbers,
        )

    @invariant()
    def nothing_piles_up(self) -> None:
        """Additions that are in a page that was written whole are dropped."""
        stamps = open_pages(self.state).meta.get("stamps", {})
        count = sum(kind == "more" for kind, _, _ in self.state)
        assert count == sum(len(stamp) - 1 for stamp in stamps.values())
        assert all(len(stamp) - 1 <= pages.MAX_DELTAS for stamp in stamps.values())


TestAdded = Added.TestCase


def begin(opened: Pages, coming: Rows) -> None:
    """Rows come, and nothing goes."""
    opened.load_tracked(compute_hashes({*coming})).new_rows = mark_snapshot(build_rows(coming), False)
    opened.write_tracked()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[int]]:
    """The bytes of a page, and those that ten batches write, each with a row of two of its 500 keys."""
    monkeypatch.setattr(pages, "MAX_DELTAS", 4)
    state = Memory()
    begin(open_pages(state), {key: [*range(20)] for key in range(500)})
    whole = len(state["page", "", 0])
    written = []
    for moment in range(20, 30):
        state, before = Memory(state), state
        begin(open_pages(state), {1: [moment], 2: [moment]})
        written.append(
            sum(
                len(blob)
                for place, blob in state.items()
                if place[0] != "meta" and before.get(place) is not blob
            )
        )
    return whole, written


def test_a_batch_writes_what_came(written: tuple[int, list[int]]) -> None:
    whole, batches = written
    assert max(sorted(batches)[:8]) < whole // 10


def test_now_and_then_the_whole_is_written(written: tuple[int, list[int]]) -> None:
    whole, batches = written
    assert sum(size > whole // 2 for size in batches) == 2


def test_buckets_write_the_whole_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_DELTAS", 4)
    wholes: list[set[int]] = []
    for bucket in range(2):
        state, begun = Memory(), set[int]()
        for batch in range(6):
            before = state.get(("page", "", 0))
            reopened = Pages(state, SCHEMA, FOLDED, bucket, 2, tracks_positions=True).open()
            begin(reopened, {1: [*range(40)] if not batch else [batch]})
            if state.get(("page", "", 0)) is not before:
                begun.add(batch)
        wholes.append(begun)
    assert wholes == [{0, 5}, {0, 4}]


def test_who_does_not_follow_rows_writes_pages_whole() -> None:
    state = Memory()
    for time in range(3):
        plain = Pages(state, SCHEMA, FOLDED).open()
        held = plain.load(compute_hashes({1}))
        plain.save(KeyRows(pa.concat_tables([held.rows, build_rows({1: [time]})]), build_folded({})))
    assert {kind for kind, _, _ in state} == {"page", "meta"}
    assert read(Pages(state, SCHEMA, FOLDED).open().everything()) == ({1: [0, 1, 2]}, {})
