"""Pages of state: every row is in the page that its hash names, however often the pages double."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.memory import Memory
from workers.spark import pages as module
from workers.spark.folded import Held, folded_schema
from workers.spark.pages import ForeignState, Pages
from workers.spark.query import own

SCHEMA = pa.schema([("hash", pa.int64()), ("text", pa.string())])


def rows(pairs: dict[int, str]) -> pa.Table:
    return pa.table([list(pairs), list(pairs.values())], schema=SCHEMA)


def whole(table: pa.Table) -> Held:
    """Of keys that are not folded."""
    return Held(table, folded_schema(0).empty_table())


def content(table: pa.Table) -> dict[int, str]:
    hashes, texts = table["hash"].to_pylist(), table["text"].to_pylist()
    assert len(set(hashes)) == len(hashes)
    return dict(zip(hashes, texts, strict=True))


def write(state: Memory, pairs: dict[int, str]) -> None:
    """As a processor does: load what is touched, replace it, save."""
    opened = Pages(state, SCHEMA).open()
    held = content(opened.load(np.array(list(pairs), dtype=np.int64)).rows)
    opened.save(whole(rows({**held, **pairs})))


def everything(state: Memory, hashes: list[int]) -> dict[int, str]:
    return content(Pages(state, SCHEMA).open().load(np.array(hashes, dtype=np.int64)).rows)


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
        patch.setattr(module, "LARGEST", largest)
        patch.setattr(module, "MOST", 64)
        for pairs in drawn:
            write(state, pairs)
            truth |= pairs
        assert everything(state, list(truth)) == truth


def test_pages_double_until_they_are_small_enough_and_keep_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 4_000)
    noise = np.random.default_rng(7)
    numbers = noise.integers(-(2**63), 2**63 - 1, size=3_000)
    truth = {int(number): f"{noise.integers(2**40):x}" for number in numbers}
    state = Memory()
    write(state, truth)
    assert Pages(state, SCHEMA).open().meta["pages"] > 8
    assert max(len(blob) for (kind, _, _), blob in state.items() if kind == "page") <= 4_000
    assert everything(state, list(truth)) == truth


def test_rows_of_one_key_larger_than_a_page_double_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 100)
    state = Memory()
    write(state, {1: "x" * 1_000})
    assert Pages(state, SCHEMA).open().meta["pages"] == 1
    assert everything(state, [1]) == {1: "x" * 1_000}


def test_rows_that_are_left_out_are_gone_and_others_untouched() -> None:
    state = Memory()
    write(state, {1 << 16: "one"})
    opened = Pages(state, SCHEMA).open()
    opened.load(np.array([1 << 16]))
    opened.save(whole(SCHEMA.empty_table()))
    assert everything(state, [1 << 16]) == {}


def test_what_a_processor_remembers_stays() -> None:
    state = Memory()
    opened = Pages(state, SCHEMA).open()
    opened.load(np.array([5]))
    opened.memory["seen"] = {"player": 7}
    opened.save(whole(rows({5: "five"})))
    assert Pages(state, SCHEMA).open().memory == {"seen": {"player": 7}}


def test_state_of_another_version_is_refused_not_misread() -> None:
    meta: dict[str, Any] = {"format": 99, "pages": 1, "memory": {}}
    with pytest.raises(ForeignState, match="format 99"):
        Pages(Memory({("meta", "", 0): json.dumps(meta).encode()}), SCHEMA).open()


def test_a_checkpoint_of_another_version_is_refused_before_its_query_starts(tmp_path: Path) -> None:
    own(tmp_path / "new")
    (tmp_path / "new" / "state").mkdir()
    own(tmp_path / "new")
    (tmp_path / "new" / "format").write_text("99")
    with pytest.raises(ForeignState, match="ForeignState: state of format 99 "):
        own(tmp_path / "new")
    (tmp_path / "old" / "state").mkdir(parents=True)
    with pytest.raises(ForeignState, match="format 5 or older"):
        own(tmp_path / "old")
