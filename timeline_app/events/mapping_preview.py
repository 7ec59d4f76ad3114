"""Events before and after their fields are mapped, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from timeline_app.events.guess.sample import format_value
from timeline_app.events.mapping import FieldMapping
from timeline_app.events.validate import WrongEvent

_SHOWN_FIELDS, _SHOWN_CHARS = 100, 200


def compare_event(event: Mapping[str, Any], mapping: FieldMapping) -> dict[str, Any]:
    """Return an event before and after the mapping, formatted for people, and the reason of a refused cast."""
    after, refusal = mapping.rename_fields(event), ""
    try:
        mapping.cast_fields(after)
    except WrongEvent as why:
        refusal = str(why)
    return {"before": _spell_fields(event), "after": _spell_fields(after), "refusal": refusal}


def _spell_fields(event: Mapping[str, Any]) -> dict[str, str]:
    present = [(name, value) for name, value in event.items() if value is not None]
    return {name: format_value(value)[:_SHOWN_CHARS] for name, value in present[:_SHOWN_FIELDS]}
