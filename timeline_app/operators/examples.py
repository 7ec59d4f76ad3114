"""The example that every operator is declared with: docs draw it, and a test keeps it right."""

from __future__ import annotations

import json
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any


@dataclass(frozen=True, slots=True)
class Example:
    """A small plan in the text language, whose last statement is the operator, and events of its one stream.

    Events stand between semicolons: `TIME [KEY] FIELD=VALUE …`, the time in seconds, the key `s1` where none is given.
    `until` names the field with the end of a row, for an operator that asks for it.
    """

    plan: str
    events: str
    until: str = ""

    def text(self) -> str:
        """Return the plan without the indentation that it has in the code."""
        return cleandoc(self.plan)

    def delivered(self) -> list[dict[str, Any]]:
        """Return the events as a stream of `declaration()` takes them."""
        return [_parse_event(text.split()) for text in self.events.split(";")]

    def describe(self) -> dict[str, Any]:
        """Describe it as JSON, for whoever looks the operator up."""
        return {"plan": self.text(), "events": [text.strip() for text in self.events.split(";")]}

    def declaration(self) -> dict[str, Any]:
        """How the stream is declared: the types of its fields are those of their values."""
        values = {name: value for event in self.delivered() for name, value in event.items()}
        fields = {name: _get_type(value) for name, value in values.items() if name not in ("key", "t")}
        spans = {"until": self.until} if self.until else {}
        return {"key": "key", "time": "t", "unit": "s", "fields": fields, **spans}


def _parse_event(words: list[str]) -> dict[str, Any]:
    time, *words_left = words
    keys = [word for word in words_left if "=" not in word]
    pairs = (word.split("=", 1) for word in words_left if "=" in word)
    fields = {name: _parse_value(text) for name, text in pairs}
    return {"key": keys[0] if keys else "s1", "t": float(time), **fields}


def _parse_value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _get_type(value: object) -> str:
    return "bool" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
