"""Blocks of CSV on which all readers of CSV agree, read by Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pa_csv

from timeline_app.algebra.kinds import Ints

_BYTES = 1 << 22
_LONGEST = 100_000
_QUOTE, _COMMA, _NEWLINE, _RETURN = b'",\n\r'
_Bytes = npt.NDArray[np.uint8]


def blocks(file: IO[bytes], start: int) -> Iterator[bytes]:
    """Whole rows from that offset on, up to where readers of CSV might not agree."""
    file.seek(start)
    rest, more = b"", True
    while more:
        read = file.read(_BYTES)
        more, rest = bool(read), rest + read
        block = rest[: _end_of_rows(rest)] if more else rest
        if (more and not block) or (block and not _plain(block)):
            return
        if block:
            yield block
        rest = rest[len(block) :]


def cells_of(block: bytes, width: int, places: list[int]) -> pa.Table:
    """The cells of columns, by place, null where empty; raises `ValueError` for rows of another length."""
    if not places:
        return pa.table({})
    names = [str(place) for place in range(width)]
    wanted = [str(place) for place in places]
    return pa_csv.read_csv(
        pa.BufferReader(block),
        pa_csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block) + 1),
        pa_csv.ParseOptions(newlines_in_values=True),
        pa_csv.ConvertOptions(
            include_columns=wanted,
            column_types=dict.fromkeys(wanted, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )


def _end_of_rows(text: bytes) -> int:
    """Where the last whole row ends."""
    ends = _row_ends(np.frombuffer(text, np.uint8))
    return int(ends[-1]) + 1 if len(ends) else 0


def _row_ends(text: _Bytes) -> Ints:
    """The line ends outside of quotes."""
    ends, quotes = np.flatnonzero(text == _NEWLINE), np.flatnonzero(text == _QUOTE)
    return ends[np.searchsorted(quotes, ends) % 2 == 0] if len(quotes) else ends


def _plain(block: bytes) -> bool:
    """Whether it is UTF-8, its rows are of sensible length, and quotes stand only around whole cells."""
    if b"\0" in block or block.startswith(b"\xef\xbb\xbf") or block.count(b"\r") != block.count(b"\r\n"):
        return False
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    text = np.frombuffer(block, np.uint8)
    bounds = np.concatenate(([0], _row_ends(text), [len(text)]))
    return bool(np.diff(bounds).max() < _LONGEST) and (b'"' not in block or _well_quoted(text))


def _well_quoted(text: _Bytes) -> bool:
    """Whether every opening quote begins a cell and every closing one ends it; a double one inside is both."""
    quotes = np.flatnonzero(text == _QUOTE)
    if len(quotes) % 2:
        return False
    before = np.concatenate(([np.uint8(_NEWLINE)], text))[quotes[::2]]
    after = np.concatenate((text, [np.uint8(_NEWLINE)]))[quotes[1::2] + 1]
    return bool(np.isin(before, (_COMMA, _NEWLINE, _QUOTE)).all()) and bool(
        np.isin(after, (_COMMA, _NEWLINE, _RETURN, _QUOTE)).all()
    )
