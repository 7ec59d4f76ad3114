"""The Arrow types of fields, and texts of a log in these types."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Kind

_SPELLED = {Kind.NUMBER: r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$", Kind.BOOL: r"^(true|false)$"}
_ARROW = {Kind.TEXT: pa.string(), Kind.NUMBER: pa.float64(), Kind.BOOL: pa.bool_()}


def to_arrow_type(kind: Kind) -> pa.DataType:
    """Return the Arrow type of a field of this kind."""
    return _ARROW[kind]


def cast_texts(texts: pa.ChunkedArray, kind: Kind) -> pa.ChunkedArray:
    """Return texts as numbers or bools; what does not fit (it landed under another declaration) is missing."""
    fits = pc.match_substring_regex(texts, _SPELLED[kind])
    return pc.cast(pc.if_else(fits, texts, pa.scalar(None, pa.string())), to_arrow_type(kind))
