"""Pages of state: every row is in the page that its hash names, however often the pages double."""

from __future__ import annotations

import json
import os
from errno import ENOSPC
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.landing.small import Small
from timeline_app.testing.memory import Memory
from workers.spark.buckets import BUCKETS
from workers.spark.query import choose_bucket_count
from workers.spark.state import idle_directory, idle_keys, page_cache
from workers.spark.state import pages as module
from workers.spark.state.idle_directory import EMPTY_DIRECTORY, DirectoryDelta, IdleDirectory
from workers.spark.state.pages import ForeignState, Pages
from workers.spark.state.rows import KeyRows, build_summary_schema

SCHEMA = pa.schema([("hash", pa.int64()), ("text", pa.string()), ("time", pa.int64())])


def build_rows(pairs: dict[int, str]) -> pa.Table:
    """A row for each key, the later of which were touched last."""
    return pa.table([list(pairs), list(pairs.values()), list(range(len(pairs)))], schema=SCHEMA)


def build_whole(table: pa.Table) -> KeyRows:
    """Of keys that are not folded."""
    return KeyRows(table, build_summary_schema(0).empty_table())


def read_content(table: pa.Table) -> dict[int, str]:
    hashes, texts = table["hash"].to_pylist(), table["text"].to_pylist()
    assert len(set(hashes)) == len(hashes)
    return dict(zip(hashes, texts, strict=True))


def write(state: Memory, pairs: dict[int, str]) -> None:
    """As a processor does: load what is touched, replace it, save."""
    opened = Pages(state, SCHEMA).open()
    held = read_content(opened.load(np.array(list(pairs), dtype=np.int64)).rows)
    opened.save(build_whole(build_rows({**held, **pairs})))


def read_everything(state: Memory, hashes: list[int]) -> dict[int, str]:
    return read_content(Pages(state, SCHEMA).open().load(np.array(hashes, dtype=np.int64)).rows)


hashes = st.integers(-(2**63), 2**63 - 1)
steps = st.lists(
    st.dictionaries(hashes, st.text(max_size=4), min_size=1, max_size=12), min_size=1, max_size=8
)


@given(steps, st.sampled_from([200, 400, 1_000]))
def test_whatever_is_written_is_read_while_the_pages_double(
    drawn: list[dict[int, str]], largest: int
) -> None:
    state, truth = Memory(), dict[int, str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_PAGE_BYTES", largest)
        patch.setattr(module, "MAX_PAGES", 64)
        for pairs in drawn:
            write(state, pairs)
            truth |= pairs
        assert read_everything(state, list(truth)) == truth


def test_pages_double_until_they_are_small_enough_and_keep_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PAGE_BYTES", 4_000)
    noise = np.random.default_rng(7)
    numbers = noise.integers(-(2**63), 2**63 - 1, size=3_000)
    truth = {int(number): f"{noise.integers(2**40):x}" for number in numbers}
    state = Memory()
    write(state, truth)
    assert Pages(state, SCHEMA).open().meta["pages"] > 8
    assert max(len(blob) for (kind, _, _), blob in state.items() if kind == "page") <= 4_000
    assert read_everything(state, list(truth)) == truth


def test_rows_of_one_key_larger_than_a_page_double_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PAGE_BYTES", 100)
    state = Memory()
    write(state, {1: "x" * 1_000})
    assert Pages(state, SCHEMA).open().meta["pages"] == 1
    assert read_everything(state, [1]) == {1: "x" * 1_000}


def test_rows_that_are_left_out_are_gone_and_others_untouched() -> None:
    state = Memory()
    write(state, {1 << 16: "one"})
    opened = Pages(state, SCHEMA).open()
    opened.load(np.array([1 << 16]))
    opened.save(build_whole(SCHEMA.empty_table()))
    assert read_everything(state, [1 << 16]) == {}


def test_what_a_processor_remembers_stays() -> None:
    state = Memory()
    opened = Pages(state, SCHEMA).open()
    opened.load(np.array([5]))
    opened.memory["seen"] = {"player": 7}
    opened.save(build_whole(build_rows({5: "five"})))
    assert Pages(state, SCHEMA).open().memory == {"seen": {"player": 7}}


def test_state_of_another_version_is_refused_not_misread() -> None:
    meta: dict[str, Any] = {"format": 99, "pages": 1, "memory": {}}
    with pytest.raises(ForeignState, match="format 99"):
        Pages(Memory({("meta", "", 0): json.dumps(meta).encode()}), SCHEMA).open()


def test_a_checkpoint_of_another_version_is_refused_before_its_query_starts(tmp_path: Path) -> None:
    choose_bucket_count(tmp_path / "new", 2)
    (tmp_path / "new" / "state").mkdir()
    choose_bucket_count(tmp_path / "new", 2)
    (tmp_path / "new" / "format").write_text("99")
    with pytest.raises(ForeignState, match="ForeignState: state of format 99 "):
        choose_bucket_count(tmp_path / "new", 2)
    (tmp_path / "old" / "state").mkdir(parents=True)
    with pytest.raises(ForeignState, match="format 5 or older"):
        choose_bucket_count(tmp_path / "old", 2)


def test_a_checkpoint_keeps_the_buckets_that_it_began_with(tmp_path: Path) -> None:
    assert choose_bucket_count(tmp_path / "made", 3) == 3
    assert choose_bucket_count(tmp_path / "made", 5) == 5, "nothing was worked on yet"
    (tmp_path / "made" / "state").mkdir()
    assert choose_bucket_count(tmp_path / "made", 8) == 5
    (tmp_path / "made" / "buckets").unlink()
    assert choose_bucket_count(tmp_path / "made", 8) == BUCKETS, "made before there was a choice"


class ColdPages(Small):
    """Pages with hardly any room, beside a dict; the directory is kept in parts until there are three."""

    share = 0

    def __init__(self) -> None:
        """Nothing is held."""
        super().__init__(
            {
                idle_keys: {
                    "MIN_UNTOUCHED_ROWS": 3,
                    "MAX_UNTOUCHED_ROWS": 6,
                    "ROWS_PER_VALUE": 2,
                    "MAX_DIRECTORY_DELTAS": 3,
                    "DIRECTORY_REWRITE_SHARE": self.share,
                }
            }
        )
        self.state, self.truth, self.moment = Memory(), dict[int, tuple[str, int]](), 0

    @rule(keys=st.dictionaries(st.integers(-20, 20), st.none() | st.text(max_size=3), max_size=6))
    def batch(self, keys: dict[int, str | None]) -> None:
        """Some keys are touched: each has its row, or nothing is held of it any more."""
        opened = Pages(self.state, SCHEMA).open()
        rows = opened.load(np.array(list(keys), dtype=np.int64)).rows
        held = {row["hash"]: (row["text"], row["time"]) for row in rows.to_pylist()}
        assert len(held) == len(rows)
        assert held.items() <= self.truth.items()
        assert held.keys() >= self.truth.keys() & keys.keys()
        self.moment += 1
        for key, text in keys.items():
            for known in (held, self.truth):
                known.pop(key, None)
                if text is not None:
                    known[key] = (text, self.moment)
        columns = zip(*((key, *row) for key, row in held.items()), strict=True)
        opened.save(build_whole(pa.table([*columns], schema=SCHEMA) if held else SCHEMA.empty_table()))

    @rule(keys=st.dictionaries(st.integers(-20, 20), st.none() | st.text(max_size=3), max_size=6))
    def a_batch_is_tried_again(self, keys: dict[int, str | None]) -> None:
        """What a batch wrote that was not committed is not there."""
        state, truth = Memory(self.state), dict(self.truth)
        self.batch(keys)
        self.state, self.truth = state, truth

    @rule(keys=st.dictionaries(st.integers(-20, 20), st.none() | st.text(max_size=3), max_size=6))
    def another_process_works_in_between(self, keys: dict[int, str | None]) -> None:
        """This one knows what was before."""
        known = dict(idle_directory._cache)
        self.batch(keys)
        idle_directory._cache.clear()
        idle_directory._cache.update(known)

    @rule()
    def another_process_goes_on(self) -> None:
        """What this one has read is not known to it."""
        idle_directory._cache.clear()

    @rule()
    def another_machine_goes_on(self) -> None:
        """What was at hand is not any more."""
        idle_directory._cache.clear()
        rmtree(Path(self.folder.name) / "recent", ignore_errors=True)

    @invariant()
    def everything_is_there_once(self) -> None:
        """All that is held, wherever it lies."""
        result = Pages(self.state, SCHEMA).open().everything().rows.to_pylist()
        assert len(result) == len(self.truth)
        assert {row["hash"]: (row["text"], row["time"]) for row in result} == self.truth

    @invariant()
    def nothing_piles_up(self) -> None:
        """What is stale is dropped in the end."""
        values = sum(kind == "cold" for kind, _, _ in self.state)
        assert values <= 2 * len(self.truth) + 2 * idle_keys.MAX_REWRITES_PER_BATCH


class ColdPagesWritten(ColdPages):
    """The directory is written whole when changes are half of it."""

    share = idle_keys.DIRECTORY_REWRITE_SHARE


TestColdPages = ColdPages.TestCase
TestColdPagesWritten = ColdPagesWritten.TestCase


def test_a_batch_writes_what_it_changed_in_the_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_keys, "MIN_UNTOUCHED_ROWS", 0)
    state = Memory()
    write(state, {key << 16: str(key) for key in range(2_000)})
    for key in range(2_000, 2_010):
        write(state, {key << 16: str(key)})
    sizes = {number: len(blob) for (kind, _, number), blob in state.items() if kind == "where"}
    whole = sizes.pop(0)
    assert len(sizes) >= 8
    assert max(sizes.values()) * 100 < whole


def test_a_directory_that_another_process_wrote_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_keys, "MIN_UNTOUCHED_ROWS", 0)
    monkeypatch.setattr(idle_keys, "ROWS_PER_VALUE", 1)
    state = Memory()
    for key in range(5):
        write(state, {key: str(key)})
    idle_directory._cache.clear()
    assert read_everything(state, list(range(5))) == {key: str(key) for key in range(5)}


@given(st.dictionaries(hashes, st.integers(0, 5)))
def test_a_directory_survives_being_kept(numbers: dict[int, int]) -> None:
    order = sorted(numbers)
    made = EMPTY_DIRECTORY.apply(
        DirectoryDelta(np.array(order, np.int64), np.array([numbers[key] for key in order], np.int64))
    )
    back = IdleDirectory.from_bytes(made.to_bytes())
    assert back.values_of(np.array([*order, 7], np.int64)).tolist() == [
        *(numbers[key] for key in order), numbers.get(7, -1),
    ]  # fmt: skip
    assert back.written == made.written


@pytest.fixture
def at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what was written last lies, as Spark says."""
    monkeypatch.setattr(page_cache, "_allowance", 0)  # as in a process that begins
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},{tmp_path}/other")
    return tmp_path / "recent"


@pytest.mark.parametrize(
    ("most", "free"), [(10, 1 << 40), (1 << 40, 68)], ids=["limit", "share of what is free"]
)
def test_what_was_written_last_is_at_hand_for_any_process_up_to(
    at_hand: Path, monkeypatch: pytest.MonkeyPatch, most: int, free: int
) -> None:
    monkeypatch.setattr(page_cache, "MAX_CACHE_BYTES", most)
    monkeypatch.setattr(page_cache, "_CHECKS_PER_SIZE", most + 1)  # each time
    monkeypatch.setattr(page_cache, "DISK_RESERVE_BYTES", 0)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    stamps = [page_cache.cache_page(blob) for blob in (b"aaaa", b"bbbb")]
    os.utime(at_hand / str(stamps[1]), (0, 0))
    stamps.append(page_cache.cache_page(b"cccc"))
    assert [page_cache.get_cached_page(stamp) for stamp in stamps] == [b"aaaa", None, b"cccc"]
    assert page_cache.get_cached_page(None) is None


def test_what_is_at_hand_goes_where_others_need_the_disk(
    at_hand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = page_cache.DISK_RESERVE_BYTES + 1_000
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    stamp = page_cache.cache_page(b"aaaa")
    assert page_cache.get_cached_page(stamp) == b"aaaa"
    free = page_cache.DISK_RESERVE_BYTES - 1_000
    assert page_cache.cache_page(b"bbbb") is None
    assert list(at_hand.iterdir()) == []


def test_a_disk_that_was_full_is_looked_at_again(at_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100 << 30))
    stamp = page_cache.cache_page(b"aaaa")
    with monkeypatch.context() as full:
        full.setattr(Path, "write_bytes", Mock(side_effect=OSError(ENOSPC, "no space left on device")))
        assert page_cache.cache_page(b"bbbb") is None
    assert page_cache.get_cached_page(stamp) == b"aaaa"
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
    assert page_cache.cache_page(b"cccc") is None
    assert list(at_hand.iterdir()) == []


@pytest.mark.usefixtures("at_hand")
def test_a_page_is_read_as_the_state_has_it_wherever_it_was_written() -> None:
    left, right = Memory(), Memory()
    write(left, {1: "one"})
    write(right, {1: "other"})
    assert [read_everything(state, [1]) for state in (left, right)] == [{1: "one"}, {1: "other"}]
    behind = Memory(left)
    write(left, {1: "later"})
    assert [read_everything(state, [1]) for state in (behind, left)] == [{1: "one"}, {1: "later"}]


@pytest.mark.usefixtures("at_hand")
def test_what_is_out_of_date_goes_at_once() -> None:
    old = page_cache.cache_page(b"aaaa")
    new = page_cache.cache_page(b"bbbb", old)
    assert [page_cache.get_cached_page(stamp) for stamp in (old, new)] == [None, b"bbbb"]


def test_what_was_torn_is_not_at_hand(at_hand: Path) -> None:
    stamp = page_cache.cache_page(b"aaaa")
    (at_hand / str(stamp)).write_bytes(b"aa")
    assert page_cache.get_cached_page(stamp) is None


def test_without_room_or_outside_of_spark_nothing_is_at_hand(
    at_hand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_hand.write_text("no folder")
    assert page_cache.cache_page(b"aaaa", "any") is None
    monkeypatch.delenv("SPARK_LOCAL_DIRS")
    assert page_cache.cache_page(b"aaaa") is None
    assert page_cache.get_cached_page("any") is None


def test_a_page_at_hand_is_not_asked_of_spark(at_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = Memory()
    write(state, {1: "one"})
    requests: list[Any] = []
    read = Pages.read

    def note_read(pages: Pages, place: Any) -> Any:
        requests.append(place)
        return read(pages, place)

    monkeypatch.setattr(Pages, "read", note_read)
    assert read_everything(state, [1]) == {1: "one"}
    assert not requests
    rmtree(at_hand)
    assert read_everything(state, [1]) == {1: "one"}
    assert requests == [("page", "", 0)]
