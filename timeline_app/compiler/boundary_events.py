"""Which events a reason means: what they have, and which of one instant counts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from timeline_app.algebra.events import Column
from timeline_app.algebra.kinds import FALSE, NO_LABELS, TRUE, Kind
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.validate import WHOLE_ID
from timeline_app.operators.reasons import Boundary, Wanted
from timeline_app.predicates import Expression, Predicate
from timeline_app.predicates.columns import LooseColumns
from timeline_app.predicates.expressions import select_column

Event = Mapping[str, Any]
"""An event's fields by name, as JSON; a missing one is None or absent."""
_WHOLE = re.compile(WHOLE_ID)


def describe_rule(events: Sequence[Event], boundary: Boundary, declared: StreamDeclaration) -> str:
    """Which rule chose between events of one instant that say different things; empty where there was no choice."""
    wants = boundary.wants
    if wants is None or isinstance(wants, Predicate | tuple):
        return ""
    if len({read_value(event, boundary.time, wants, declared.kind_of) for event in events}) < 2:
        return ""
    event_ids = [event.get(declared.id or "") for event in events]
    ids = {str(item) for item in event_ids if item is not None}
    if len(set(event_ids)) < 2:
        order = "false before true, then numbers, then text"
        return (
            f"Several events at this instant, and no ids to order them: the greatest value counts ({order})."
        )
    names_all = [_WHOLE.search(item) is not None for item in ids]
    if all(names_all) or (declared.id and declared.kind_of(declared.id) is Kind.NUMBER):
        order = "ids are compared as numbers, so that 10 is greater than 9"
    elif any(names_all):
        order = "whole numbers come before all other ids"
    else:
        order = "ids that are no whole numbers are compared as text, character by character"
    return f"Several events at this instant: the one with the greatest id counts; {order}."


def is_wanted_event(event: Event, time: int, wants: Wanted, kind_of: Any) -> bool:
    """Return whether an event meets a reason: a condition holds, or a value is present; None: any."""
    if wants is None:
        return True
    if isinstance(wants, tuple):
        return all(is_wanted_event(event, time, part, kind_of) for part in wants)
    if isinstance(wants, Predicate):
        return bool(wants.matches(_build_single_event(event, time, wants, kind_of))[0])
    return read_value(event, time, wants, kind_of) is not None


def read_value(event: Event, time: int, wants: Expression | str, kind_of: Any) -> Any:
    """Return the value of an event's field, or computed from its fields; None where missing."""
    if isinstance(wants, str):
        return event.get(wants)
    return select_column(_build_single_event(event, time, wants, kind_of), wants).scalar(0)


def _build_single_event(event: Event, time: int, wants: Predicate | Expression, kind_of: Any) -> LooseColumns:
    fields = {name: _build_column(kind_of(name), event.get(name)) for name in wants.field_names()}
    return LooseColumns(fields, 1, np.array([time], dtype=np.int64))


def _build_column(kind: Kind, value: Any) -> Column:
    """Return one value as a column."""
    if value is None:
        return Column(kind, np.array([kind.unknown], dtype=kind.dtype), NO_LABELS)
    if kind is Kind.TEXT:
        return Column(kind, np.zeros(1, dtype=kind.dtype), np.array([value], dtype=object))
    stored = (TRUE if value else FALSE) if kind is Kind.BOOL else value
    return Column(kind, np.array([stored], dtype=kind.dtype), NO_LABELS)
