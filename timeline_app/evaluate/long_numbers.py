"""Warns of whole numbers that JSON readers round before anybody sees their digits."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Kind
from timeline_app.evaluate.tables import EventTable
from timeline_app.problems.problem import Problem, make_warning

_ROUNDED = r"^-?[0-9]\.[0-9]{13,17}e\+?(19|[2-9][0-9]|[12][0-9]{2})$"
"""How a whole number of more than 64 bits is spelled once it is a float: short ones have been floats before."""


def warn_of_long_numbers(table: EventTable) -> Iterator[Problem]:
    """Warn of fields of text whose values are numbers of more than 64 bits, so that different ones become one."""
    for name in table.fields:
        if table.declaration.kind_of(name) is not Kind.TEXT or table.says_nothing(name):
            continue
        values = table.count_values(name).field("values")
        if not pa.types.is_string(values.type):
            continue
        rounded = values.filter(pc.match_substring_regex(values, _ROUNDED))
        if len(rounded):
            example = rounded[0].as_py()
            message = (
                f"{name!r} has numbers of more than 64 bits, whose last digits are lost, such as {example}"
            )
            subject = {"stream": table.declaration.name, "field": name}
            yield make_warning("rounded_number", message, "send them as text, in quotes", **subject)
