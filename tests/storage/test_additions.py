"""What batches add to pages: whatever is added, replaced or dropped, what is read is what was saved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.storage.small import Small
from timeline_app.testing.memory import Memory
from workers.spark import cold, pages
from workers.spark.folded import Held, folded_schema
from workers.spark.pages import Pages

SCHEMA = pa.schema([("hash", pa.int64()), ("key", pa.string()), ("time", pa.int64())])
FOLDED = folded_schema(1)
KEYS = st.integers(-6, 6)

Rows = dict[int, list[int]]
"""Of each key, the times of its rows in the order in which they came."""


def opened(state: Memory) -> Pages:
    return Pages(state, SCHEMA, 1, follow=True).open()


def rows(found: Rows) -> pa.Table:
    pairs = [(key << 16, str(key), time) for key, times in found.items() for time in times]
    return pa.table([list(column) for column in zip(*pairs, strict=True)] or [[], [], []], schema=SCHEMA)


def folded(found: Mapping[int, int]) -> pa.Table:
    columns = [(key << 16, str(key), 1, 2, number) for key, number in found.items()]
    return pa.table(
        [list(column) for column in zip(*columns, strict=True)] or [[] for _ in FOLDED], schema=FOLDED
    )


def read(held: Held) -> tuple[Rows, dict[int, int]]:
    times: Rows = {}
    for row in held.rows.to_pylist():
        times.setdefault(row["hash"] >> 16, []).append(row["time"])
    remembered = [(row["hash"] >> 16, row["m0"]) for row in held.folded.to_pylist()]
    assert len(dict(remembered)) == len(remembered)
    return times, dict(remembered)


def hashes(keys: set[int]) -> np.ndarray:
    return np.array([key << 16 for key in keys], dtype=np.int64)


class Added(Small):
    """Batches beside a dict: rows that come, rows that go, what is remembered of folded keys."""

    def __init__(self) -> None:
        """Nothing is held."""
        super().__init__(
            {
                pages: {"ADDITIONS": 4, "LARGEST": 2_000, "MOST": 8},
                cold: {"ROOM": 12, "MOST_ROOM": 24, "ROWS": 4},
            }
        )
        self.state, self.moment = Memory(), 0
        self.rows: Rows = {}
        self.folded: dict[int, int] = {}

    @rule(
        coming=st.dictionaries(KEYS, st.integers(0, 9), max_size=6),
        going=st.sets(KEYS, max_size=2),
        of_first=st.booleans(),
        fold=st.dictionaries(KEYS, st.none() | st.integers(0, 5), max_size=2),
    )
    def batch(
        self, coming: dict[int, int], going: set[int], of_first: bool, fold: dict[int, int | None]
    ) -> None:
        """Rows come, of some keys the oldest or all go, and what is remembered changes."""
        touched = {*coming, *going, *fold}
        state = opened(self.state)
        held = state.load(hashes(touched))
        self.moment += 1
        new = {key: [self.moment] * count for key, count in coming.items()}
        table = pa.concat_tables([held.rows, rows(new)], promote_options="default")
        for key, times in new.items():
            self.rows.setdefault(key, []).extend(times)
        for key in going & self.rows.keys():
            gone = self.rows[key][:1] if of_first else self.rows[key]
            self.rows[key] = [time for time in self.rows[key] if time not in gone]
            mine = pc.equal(table["hash"], key << 16)
            out = pc.and_(mine, pc.is_in(table["time"], value_set=pa.array(gone, pa.int64())))
            table = table.filter(pc.invert(out))
        _, remembered = read(Held(held.rows.slice(0, 0), held.folded))
        for key, number in fold.items():
            for known in (remembered, self.folded):
                known.pop(key, None)
                if number is not None:
                    known[key] = number
        state.save(Held(table.select(state.columns), folded(remembered)))
        self.rows = {key: times for key, times in self.rows.items() if times}

    @rule(coming=st.dictionaries(KEYS, st.integers(0, 9), max_size=6), going=st.sets(KEYS, max_size=2))
    def a_batch_is_tried_again(self, coming: dict[int, int], going: set[int]) -> None:
        """What a batch wrote that was not committed is not there."""
        before = Memory(self.state), {key: [*times] for key, times in self.rows.items()}, dict(self.folded)
        self.batch(coming, going, of_first=True, fold={})
        self.state, self.rows, self.folded = before

    @rule()
    def another_machine_goes_on(self) -> None:
        """What was at hand is not any more."""
        rmtree(Path(self.folder.name) / "recent", ignore_errors=True)

    @invariant()
    def everything_is_there_in_its_order(self) -> None:
        """All that is held, wherever it lies."""
        assert read(opened(self.state).everything()) == (self.rows, self.folded)

    @invariant()
    def nothing_piles_up(self) -> None:
        """Additions that are in a page that was written whole are dropped."""
        stamps = opened(self.state).meta.get("stamps", {})
        there = sum(kind == "more" for kind, _, _ in self.state)
        assert there == sum(len(found) - 1 for found in stamps.values())
        assert all(len(found) - 1 <= pages.ADDITIONS for found in stamps.values())


TestAdded = Added.TestCase


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[int]]:
    """The bytes of a page, and those that ten batches write, each with a row of two of its 500 keys."""
    monkeypatch.setattr(pages, "ADDITIONS", 4)
    state = Memory()
    fresh = opened(state)
    fresh.load(hashes(set(range(500))))
    fresh.save(Held(rows({key: [*range(20)] for key in range(500)}), folded({})))
    whole = len(state["page", "", 0])
    written = []
    for moment in range(20, 30):
        state, before = Memory(state), state
        again = opened(state)
        table = pa.concat_tables(
            [again.load(hashes({1, 2})).rows, rows({1: [moment], 2: [moment]})], promote_options="default"
        )
        again.save(Held(table, folded({})))
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
    monkeypatch.setattr(pages, "ADDITIONS", 4)
    wholes: list[set[int]] = []
    for bucket in range(2):
        state, begun = Memory(), set[int]()
        for batch in range(6):
            before = state.get(("page", "", 0))
            again = Pages(state, SCHEMA, 1, bucket, 2, follow=True).open()
            held = again.load(hashes({1}))
            many = rows({1: [*range(40)]}) if not batch else rows({1: [batch]})
            table = pa.concat_tables([held.rows, many], promote_options="default")
            again.save(Held(table.select(again.columns), folded({})))
            if state.get(("page", "", 0)) is not before:
                begun.add(batch)
        wholes.append(begun)
    assert wholes == [{0, 5}, {0, 4}]


def test_who_leaves_out_where_rows_lay_writes_pages_whole() -> None:
    state = Memory()
    for time in range(3):
        plain = Pages(state, SCHEMA, 1).open()
        held = plain.load(hashes({1}))
        plain.save(Held(pa.concat_tables([held.rows, rows({1: [time]})]), folded({})))
    assert {kind for kind, _, _ in state} == {"page", "meta"}
    assert read(opened(state).everything()) == ({1: [0, 1, 2]}, {})
