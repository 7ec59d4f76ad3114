"""Times that say less than they seem to: local without a zone, or in an hour that occurs twice; shortened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from timeline_app.algebra.kinds import Ints
from timeline_app.times.parts import NO_OFFSET
from timeline_app.times.reader import read_clock
from timeline_app.times.units import COUNTS
from timeline_app.times.zones import find_changes

Doubt = Literal["local_time", "repeated_time", "skipped_time", "shortened_time"]
MAX_EXAMPLES = 10
SHORTENED = re.compile(r"^\s*-?[0-9](?:[.,][0-9]{0,8})?[eE]\+?[0-9]+\s*$")
"""A number as spreadsheets shorten it: 1.78575E+12 has lost the digits that say which minute it was."""


@dataclass(slots=True)
class LocalTimes:
    """How many local times of each doubt there are, and the first of each by line."""

    name: str
    unit: str
    zone: str | None
    counts: dict[Doubt, int] = field(default_factory=dict)
    examples: dict[Doubt, list[tuple[int, str]]] = field(default_factory=dict)

    def add(self, raw: object, line: int) -> None:
        """Look at one time that can be read."""
        if self.unit in COUNTS and isinstance(raw, str) and SHORTENED.match(raw):
            self.show_shortened(line, raw)
        if self.unit not in COUNTS:
            clock, offset = read_clock(raw, self.unit)
            for doubt in self.add_column(np.array([clock]), np.array([offset])):
                self.show(doubt, line, raw)

    def add_column(self, clock: Ints, offset: Ints) -> dict[Doubt, Ints]:
        """Count those of a column; the places of those that are still to be shown."""
        example_rows = dict[Doubt, Ints]()
        for doubt, doubtful in self._find(clock, offset):
            if not (count := int(np.count_nonzero(doubtful))):
                continue
            room = MAX_EXAMPLES - len(self.examples.get(doubt, ()))
            self.counts[doubt] = self.counts.get(doubt, 0) + count
            if room:
                example_rows[doubt] = np.flatnonzero(doubtful)[:room]
        return example_rows

    def show_shortened(self, line: int, raw: object) -> None:
        """Count a shortened number, and keep the first ones."""
        self.counts["shortened_time"] = self.counts.get("shortened_time", 0) + 1
        if len(self.examples.get("shortened_time", ())) < MAX_EXAMPLES:
            self.show("shortened_time", line, raw)

    def show(self, doubt: Doubt, line: int, raw: object) -> None:
        """Keep one that is counted already."""
        self.examples.setdefault(doubt, []).append((line, str(raw)[:40]))

    def _find(self, clock: Ints, offset: Ints) -> Iterator[tuple[Doubt, npt.NDArray[np.bool_]]]:
        is_local = offset == NO_OFFSET
        if self.zone is None:
            yield "local_time", is_local
        elif is_local.any():
            skipped, repeated = find_changes(np.where(is_local, clock, 0), self.zone)
            yield "skipped_time", skipped & is_local
            yield "repeated_time", repeated & is_local
