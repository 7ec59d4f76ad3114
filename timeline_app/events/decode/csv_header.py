"""The columns of a table, and the cells below them as events."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Kind
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.arrow_values import Raw
from timeline_app.events.decode.csv_layout import Layout, list_required
from timeline_app.events.decode.csv_numbers import UnclearNumber, parse_number
from timeline_app.events.decode.csv_units import strip_unit
from timeline_app.events.decode.errors import describe_repeated
from timeline_app.events.truth_words import read_truth
from timeline_app.events.validate import LineProblem

_WHOLE = re.compile(r"-?[0-9]{1,300}")
_NUMBER = r"^-?[0-9]{1,300}(\.[0-9]{1,300})?$"
_WITH_COMMA = r"^-?[0-9]{1,300}(,[0-9]{1,300})?$"


@dataclass(frozen=True)
class Header:
    """The layout of a table, and what the stream declares its columns to be; without a declaration all is text."""

    layout: Layout
    declaration: StreamDeclaration | None

    @cached_property
    def places(self) -> dict[str, int]:
        """The column of each name; of a repeated name, the last column."""
        return {name: index for index, name in enumerate(self.layout.names) if name}

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.layout.names)

    def refuse_repeated(self, names: Iterable[str] | None) -> None:
        """Raise `DecodeError` for a name that is repeated and read (None: every name is)."""
        count = Counter(name for name in self.layout.names if name)
        twice = [name for name, times in count.items() if times > 1]
        read = set(twice) if names is None else set(names) | self._declared()
        if repeated := [name for name in twice if name in read]:
            raise describe_repeated(repeated[0], count[repeated[0]], self.layout.line)

    def _declared(self) -> set[str]:
        declared = self.declaration
        if declared is None:
            return set()
        roles = (name for name in (declared.id, declared.until) if name)
        return {*list_required(declared), *declared.fields, *roles}

    def event(self, cells: list[str]) -> dict[str, Any]:
        """Return a row as an event. Raises `UnclearCell`."""
        return {name: self._typed(name, cells[index]) for name, index in self.places.items()}

    def column(self, name: str, cells: pa.Array) -> Raw:
        """Return a whole column of cells, with the values that `event` has for each."""
        kind = Kind.TEXT if self.declaration is None else self.declaration.kind_of(name)
        if kind is Kind.TEXT:
            return cells
        if (
            kind is Kind.NUMBER
            and not self._is_identity(name)
            and (numbers := self._numbers(name, cells)) is not None
        ):
            return numbers
        encoded = cells.dictionary_encode()
        typed = [self._typed(name, text) for text in encoded.dictionary.to_pylist()]
        return [None if index is None else typed[index] for index in encoded.indices.to_pylist()]

    def _numbers(self, name: str, cells: pa.Array) -> pa.Array | None:
        """Return plainly written numbers, or None where a cell is not one."""
        if unit := self.layout.units.get(name):
            encoded = cells.dictionary_encode()
            texts = [
                None if text is None else strip_unit(text, unit) for text in encoded.dictionary.to_pylist()
            ]
            cells = pa.array(texts, pa.string()).take(encoded.indices)
        comma = self.layout.decimal == ","
        if pc.all(pc.match_substring_regex(cells, _WITH_COMMA if comma else _NUMBER)).as_py() is False:
            return None
        return pc.cast(pc.replace_substring(cells, ",", ".") if comma else cells, pa.float64())

    def _typed(self, name: str, text: str) -> Any:
        """Return a cell as its declared type; one that does not fit stays text (and is mistyped).

        An empty cell is missing.
        """
        if text == "":
            return None
        kind = Kind.TEXT if self.declaration is None else self.declaration.kind_of(name)
        if kind is Kind.BOOL:
            return text if (truth := read_truth(text)) is None else truth
        return self._number(name, text) if kind is Kind.NUMBER else text

    def _is_identity(self, name: str) -> bool:
        """Return whether whole numbers are not read as floats, as in ids with many digits."""
        return self.declaration is not None and name == self.declaration.id

    def _number(self, name: str, text: str) -> Any:
        if self._is_identity(name) and _WHOLE.fullmatch(text):
            return int(text)
        unit = self.layout.units.get(name, "")
        try:
            number = parse_number(
                strip_unit(text, unit) if unit else text, self.layout.decimal, self.layout.separator
            )
        except UnclearNumber as why:
            raise UnclearCell(name, str(why)) from None
        return text if number is None else number

    def describe_width(self, line: int, cells: list[str]) -> LineProblem:
        """Describe a row of another length."""
        names = ", ".join(self.layout.names[:8]) + (", …" if self.width > 8 else "")
        message = (
            f"{len(cells)} cells, but the header in line {self.layout.line} has {self.width} names ({names})"
        )
        return LineProblem(line, None, "bad_row", f"{message}; {_suggest_fix(cells, self.layout)}")


class UnclearCell(ValueError):
    """A cell of a number is not clear."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name!r} is declared number, but is {why}")
        self.name = name


def _suggest_fix(cells: list[str], layout: Layout) -> str:
    if cells[0].lstrip().startswith("#"):
        return "leave comments out"
    if len(cells) > len(layout.names):
        return "quote a cell that holds the separator"
    return "fill up the row, or leave it out if it is a footer"
