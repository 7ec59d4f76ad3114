"""The words of the text language: names, signs, and the names that nested expressions get."""

from __future__ import annotations

import json
import re
from collections.abc import Set
from typing import Any

import orjson

RESERVED = ("and", "or", "not", "in", "is", "missing", "true", "false", "null")
DIRECTIVES = ("plan", "stream", "results", "layout", "order", "without", "group", "note")

COMPARISONS = {
    "==": "equal_to", "!=": "not_equal_to", "<": "less_than", "<=": "less_or_equal", ">": "greater_than",
    ">=": "greater_or_equal",
}  # fmt: skip
ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
MEANINGS = {**COMPARISONS, **ARITHMETIC}
SIGNS = {op: sign for sign, op in MEANINGS.items()}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "+": "+", "*": "*"}
"""What a sign becomes when its sides change places."""

MAX_NAME_CHARS = 100
_NAME = re.compile(rf"(?!({'|'.join(RESERVED)})\b)[^\W\d]\w*")
_FIELD = re.compile(rf"(?!({'|'.join(RESERVED)})\b)[^\W\d]\w*(\[\d+\])*([.-]\w+(\[\d+\])*)*")
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTABLE = re.compile(r"[^`\n\r\0\ud800-\udfff]+")
_DURATION = re.compile(r"[0-9]+(\.[0-9]+)?(us|ms|s|min|h|d)")
_PERIOD = re.compile(r"[0-9]+(min|h|d|w|month)")
_PERCENTILE = re.compile(r"p[0-9]+\.[0-9]+")
_UNWRITABLE = re.compile(r"[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def is_name(text: str) -> bool:
    """Return whether a name needs no quotes."""
    return _NAME.fullmatch(text) is not None


def is_choice(text: str) -> bool:
    """Return whether a choice needs no quotes: a name, a percentile such as p99.9, a period such as 1month."""
    return any((is_name(text), _PERCENTILE.fullmatch(text), _PERIOD.fullmatch(text)))


def is_word(text: object) -> bool:
    """Return whether this has the form of a name, reserved or not."""
    return isinstance(text, str) and _WORD.fullmatch(text) is not None


def is_field(text: str) -> bool:
    """Return whether the name of a field needs no quotes."""
    return _FIELD.fullmatch(text) is not None


def is_quotable(text: object) -> bool:
    """Return whether a name can be written at all, if need be in backquotes."""
    return isinstance(text, str) and _QUOTABLE.fullmatch(text) is not None


def is_duration(value: object) -> bool:
    """Return whether a text can stand without quotes, as a duration."""
    return isinstance(value, str) and _DURATION.fullmatch(value) is not None


def is_value(text: str) -> bool:
    """Return whether a lone text is read as a value, not as a condition: `0`, `"a"`, `5s`; `true` is both."""
    try:
        return not isinstance(orjson.loads(text), bool)
    except ValueError:
        return is_duration(text) or text.startswith("'")


def spell_name(name: str) -> str:
    """Return a name in the language's notation, in backquotes where needed."""
    return name if is_name(name) else f"`{name}`"


def unquote_name(name: str) -> str:
    """Return the name that is written so."""
    return name[1:-1] if name.startswith("`") else name


def spell_json(value: Any) -> str:
    """Return a JSON value on one line, with only characters allowed in files. Raises `ValueError` for other values."""
    spelled = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNWRITABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", spelled)


def spell_words(value: Any) -> str:
    """Return a JSON value in which names and durations stand without quotes, as in the declaration of a stream."""
    if isinstance(value, dict):
        pairs = (
            f"{key if is_name(key) else spell_json(key)}: {spell_words(item)}" for key, item in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(spell_words, value))}]"
    return value if isinstance(value, str) and (is_name(value) or is_duration(value)) else spell_json(value)


class Numbering:
    """The names of the expressions that are nested in one statement: `name_1`, `name_2`, …, without those taken."""

    def __init__(self, root: str, names_used: Set[str]) -> None:
        """`root` is the name of the statement."""
        self._root, self._taken, self._count = root, names_used, 0

    def next(self) -> str:
        """Return the next name; the caller adds it to `taken` to keep it."""
        while True:
            self._count += 1
            suffix = f"_{self._count}"
            name = self._root[: MAX_NAME_CHARS - len(suffix)] + suffix
            if name not in self._taken:
                return name
