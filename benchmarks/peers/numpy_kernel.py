"""Written by hand for this one question: one sort, then everything is a running maximum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.peers.question import WITHIN, Answer
from timeline_app.algebra.kinds import Ints


def numpy_kernel(path: Path, last: int, cdn: str | None = None) -> Answer:
    """Codes instead of texts, sorted by session and time."""
    texts = ["session_id", "player_state", "user_action", *(["cdn"] if cdn else [])]
    table = pq.read_table(path, columns=[*texts, "t"], read_dictionary=texts)
    table = table.combine_chunks().unify_dictionaries()
    session, state, action = (_whole(table[name]) for name in texts[:3])
    key, time = _codes(session), table["t"].to_numpy()
    order = np.argsort(key * np.int64(1 << 42) + (time - time.min()))
    key, time = key[order], time[order]
    row = np.arange(len(key))
    first = np.maximum.accumulate(np.where(np.append(True, key[1:] != key[:-1]), row, 0))
    played = _last_row(_codes(state)[order] == _code(state, "play"), row) >= first
    sought = _last_row(_codes(action)[order] == _code(action, "seek"), row)
    calm_from = np.where(sought >= first, time[sought] + WITHIN, 0)
    until = np.append(np.where(key[1:] == key[:-1], time[1:], last), last)
    induced = played & (_latest(_codes(state)[order], first, row) == _code(state, "buffer"))
    if cdn:
        named = _whole(table["cdn"])
        induced &= _latest(_codes(named)[order], first, row) == _code(named, cdn)
    spent = np.where(induced, np.maximum(until - np.maximum(time, calm_from), 0), 0)
    total = np.bincount(key, weights=spent, minlength=len(session.dictionary))
    return session.dictionary.to_pylist(), total.astype(np.int64) * 1_000


def _whole(column: pa.ChunkedArray) -> pa.DictionaryArray:
    return column.combine_chunks()


def _codes(column: pa.DictionaryArray) -> Ints:
    return np.asarray(column.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _code(column: pa.DictionaryArray, text: str) -> int:
    return int(pc.index(column.dictionary, text).as_py())


def _last_row(there: Any, row: Ints) -> Ints:
    return np.maximum.accumulate(np.where(there, row, -1))


def _latest(code: Ints, first: Ints, row: Ints) -> Ints:
    result = _last_row(code >= 0, row)
    return np.where(result >= first, code[result], -1)
