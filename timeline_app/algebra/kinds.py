"""The kinds of values that a timeline takes, and how each is kept in a numpy column.

| kind   | column             | unknown (or missing) |
| ------ | ------------------ | -------------------- |
| bool   | int8, 0 / 1 / 2    | 1, between false and true |
| text   | int32, a code into sorted labels | -1 |
| number | float64, with a slope per second | NaN |
| ratio  | complex128: numerator + denominator i, each with its slope | NaN |

A ratio of two lines is a number too; it has a kind of its own because not every operator can take it. The real and
the imaginary part are lines, so whatever is linear works on both at once.

With false < unknown < true Kleene's logic is arithmetic: `and` is the minimum, `or` the maximum, `not` 2 - x.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Lines: TypeAlias = npt.NDArray[Any]
Mask: TypeAlias = npt.NDArray[np.bool_]
Values: TypeAlias = npt.NDArray[Any]
Labels: TypeAlias = npt.NDArray[np.object_]
Scalar: TypeAlias = bool | float | complex | str | None

BEGINNING = int(np.iinfo(np.int64).min)
"""The time of every first piece: unbounded past."""
OPEN = int(np.iinfo(np.int64).max)
"""The end of every last piece: unbounded future. Also the birth of a key that was never born."""
SECOND = 1_000_000
"""Microseconds."""

FALSE, UNKNOWN, TRUE = np.int8(0), np.int8(1), np.int8(2)
NO_LABELS: Labels = np.empty(0, dtype=object)


class Kind(StrEnum):
    """What an edge of a plan carries."""

    EVENTS = "events"
    BOOL = "bool"
    TEXT = "text"
    NUMBER = "number"
    RATIO = "ratio"

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of a column of this kind."""
        return _DTYPES[self.value]

    @property
    def slope_dtype(self) -> np.dtype[Any]:
        """The dtype of a column of slopes of this kind."""
        return self.dtype if self is Kind.RATIO else np.dtype(np.float64)

    @property
    def unknown(self) -> Any:
        """The value that means unknown."""
        return _UNKNOWNS[self.value]

    @property
    def is_line(self) -> bool:
        """Whether its pieces have a slope."""
        return self in (Kind.NUMBER, Kind.RATIO)

    @property
    def printed(self) -> str:
        """The kind as people know it: a ratio is a number."""
        return (Kind.NUMBER if self is Kind.RATIO else self).value


_DTYPES: dict[str, np.dtype[Any]] = {
    "bool": np.dtype(np.int8), "text": np.dtype(np.int32), "number": np.dtype(np.float64),
    "ratio": np.dtype(np.complex128),
}  # fmt: skip
_UNKNOWNS: dict[str, Any] = {
    "bool": UNKNOWN, "text": np.int32(-1), "number": np.nan, "ratio": complex(np.nan, np.nan),
}  # fmt: skip


def is_known(kind: Kind, value: Values) -> Mask:
    """Return where a column holds a known value."""
    if kind.is_line:
        return ~np.isnan(value)
    return np.asarray(value != kind.unknown)
