"""Hand-written numpy for this one question: one sort, then running maxima."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.peers.question import WINDOW_MS, Answer
from timeline_app.algebra.kinds import Ints


def run_numpy_kernel(path: Path, last: int, cdn: str | None = None) -> Answer:
    """Replace texts by codes, and sort by session and time."""
    texts = ["session_id", "player_state", "user_action", *(["cdn"] if cdn else [])]
    table = pq.read_table(path, columns=[*texts, "t"], read_dictionary=texts)
    table = table.combine_chunks().unify_dictionaries()
    session, state, action = (_combine_chunks(table[name]) for name in texts[:3])
    key, time = _get_codes(session), table["t"].to_numpy()
    order = np.argsort(key * np.int64(1 << 42) + (time - time.min()))
    key, time = key[order], time[order]
    row = np.arange(len(key))
    first = np.maximum.accumulate(np.where(np.append(True, key[1:] != key[:-1]), row, 0))
    played = _find_last_rows(_get_codes(state)[order] == _find_code(state, "play"), row) >= first
    sought = _find_last_rows(_get_codes(action)[order] == _find_code(action, "seek"), row)
    calm_from = np.where(sought >= first, time[sought] + WINDOW_MS, 0)
    until = np.append(np.where(key[1:] == key[:-1], time[1:], last), last)
    induced = played & (_find_latest(_get_codes(state)[order], first, row) == _find_code(state, "buffer"))
    if cdn:
        named = _combine_chunks(table["cdn"])
        induced &= _find_latest(_get_codes(named)[order], first, row) == _find_code(named, cdn)
    spent = np.where(induced, np.maximum(until - np.maximum(time, calm_from), 0), 0)
    total = np.bincount(key, weights=spent, minlength=len(session.dictionary))
    return session.dictionary.to_pylist(), total.astype(np.int64) * 1_000


def _combine_chunks(column: pa.ChunkedArray) -> pa.DictionaryArray:
    return column.combine_chunks()


def _get_codes(column: pa.DictionaryArray) -> Ints:
    return np.asarray(column.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _find_code(column: pa.DictionaryArray, text: str) -> int:
    return int(pc.index(column.dictionary, text).as_py())


def _find_last_rows(present: Any, row: Ints) -> Ints:
    return np.maximum.accumulate(np.where(present, row, -1))


def _find_latest(code: Ints, first: Ints, row: Ints) -> Ints:
    result = _find_last_rows(code >= 0, row)
    return np.where(result >= first, code[result], -1)
