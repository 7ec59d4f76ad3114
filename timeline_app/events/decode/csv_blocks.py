"""Blocks of CSV on which all readers of CSV agree, read by Arrow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pa_csv

from timeline_app.algebra.kinds import Ints
from timeline_app.events.decode.encoding import Utf8Reader

_BYTES = 1 << 22
_MAX_CELL_BYTES = 100_000
_QUOTE, _NEWLINE, _RETURN = b'"\n\r'
_Bytes = npt.NDArray[np.uint8]


class Blocks:
    """Yields whole rows of a reader, up to where CSV readers might disagree; `rest` is what was read beyond."""

    def __init__(self, reader: Utf8Reader, head: bytes, separator: str) -> None:
        """Start after `head`, which was read before."""
        self.rest, self._reader, self._separator = head, reader, separator

    def __iter__(self) -> Iterator[bytes]:
        more = True
        while more:
            content = self._reader.read(_BYTES)
            more, self.rest = bool(content), self.rest + content
            ends, quotes = _find_marks(self.rest)
            block = self.rest[: int(ends[-1]) + 1 if len(ends) else 0] if more else self.rest
            if (more and not block) or (block and not _is_plain(block, self._separator, ends, quotes)):
                return
            self.rest = self.rest[len(block) :]
            if block:
                yield block


def split_cells(block: bytes, separator: str, width: int, places: list[int]) -> pa.Table:
    """Return the cells of columns by index, null where empty. Raises `ValueError` for rows of another length."""
    if not places:
        return pa.table({})
    names = [str(index) for index in range(width)]
    column_names = [str(index) for index in places]
    return pa_csv.read_csv(
        pa.BufferReader(block),
        pa_csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block) + 1),
        pa_csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        pa_csv.ConvertOptions(
            include_columns=column_names,
            column_types=dict.fromkeys(column_names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )


def _find_marks(text: bytes) -> tuple[Ints, Ints]:
    """Return the line ends outside of quotes, and the quotes."""
    letters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE)
    if b'"' not in text:
        return ends, np.empty(0, dtype=np.int64)
    quotes = np.flatnonzero(letters == _QUOTE)
    return ends[np.searchsorted(quotes, ends) % 2 == 0], quotes


def _is_plain(block: bytes, separator: str, ends: Ints, quotes: Ints) -> bool:
    """Return whether all rows have a plausible length, and quotes only enclose whole cells."""
    if b"\0" in block or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n")):
        return False
    bounds = np.concatenate(([0], ends, [len(block)]))
    inside = quotes[: np.searchsorted(quotes, len(block))]
    quoted = not len(inside) or _are_well_quoted(np.frombuffer(block, np.uint8), inside, ord(separator))
    return bool(np.diff(bounds).max() < _MAX_CELL_BYTES) and quoted


def _are_well_quoted(text: _Bytes, quotes: Ints, separator: int) -> bool:
    """Return whether opening quotes begin cells and closing ones end them; a doubled quote inside is both."""
    if len(quotes) % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    before = np.where(opening > 0, text[opening - 1], _NEWLINE)
    after = np.where(closing + 1 < len(text), text[np.minimum(closing + 1, len(text) - 1)], _NEWLINE)
    return bool(np.isin(before, (separator, _NEWLINE, _QUOTE)).all()) and bool(
        np.isin(after, (separator, _NEWLINE, _RETURN, _QUOTE)).all()
    )
