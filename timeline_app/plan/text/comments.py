"""Comments: those of a node stand above its statement; others stand alone, between empty lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from timeline_app.plan.text.words import spell_json

_UNWRITABLE = re.compile(r"[\r\0\ud800-\udfff]")


def is_comment(text: object) -> bool:
    """Return whether this can stand behind number signs."""
    return isinstance(text, str) and _UNWRITABLE.search(text) is None


def format_comment(text: str) -> str:
    """Return the comment in the language's notation."""
    return "\n".join(f"# {line}" if line else "#" for line in text.split("\n"))


class Comments:
    """The comments of a document that belong to no node, as they are written, if reading would give them back so.

    Texts alone stand at the top, `{"text": …, "before": name}` before a statement, and after the last one where the
    name is null; those with a place on the canvas are notes. `rest` is the spelled JSON where they have any other form.
    """

    def __init__(self, document: Mapping[str, Any], names: Sequence[str], *, headed: bool) -> None:
        """`names` are the nodes in order; `headed` says that a directive follows the top."""
        self.heads: list[str] = []
        self.before: dict[str, list[str]] = {}
        self.tails: list[str] = []
        self.rest: str | None = None
        if "comments" in document and not self._read(document["comments"], names, headed):
            self.heads, self.before, self.tails = [], {}, []
            self.rest = spell_json(document["comments"])

    def _read(self, comments: object, names: Sequence[str], headed: bool) -> bool:
        """Return whether each could be put in its place."""
        if not isinstance(comments, list) or not comments:
            return False
        places, last = {name: anchor for anchor, name in enumerate(names)}, -1
        for item in comments:
            anchor = self._place(item, places, headed)
            if anchor is None or anchor < last:
                return False
            last = anchor
            self._put(item)
        return True

    def _place(self, item: object, places: Mapping[str, int], headed: bool) -> int | None:
        if is_comment(item):
            return -1 if headed else None
        if not isinstance(item, dict) or not (is_note(item) or is_free(item)):
            return None
        if item["before"] is None:
            return len(places) if places or is_note(item) else None
        return places.get(item["before"]) if isinstance(item["before"], str) else None

    def _put(self, item: Any) -> None:
        if isinstance(item, str):
            self.heads.append(format_comment(item))
        elif item["before"] is None:
            self.tails.append(_format_note(item))
        else:
            self.before.setdefault(item["before"], []).append(_format_note(item))


def is_free(item: Mapping[str, Any]) -> bool:
    """Return whether a comment stands before a statement, or at the end."""
    return item.keys() == {"text", "before"} and is_comment(item["text"])


def is_note(item: Mapping[str, Any]) -> bool:
    """Return whether a comment has a place on the canvas, and nothing that a `note` does not say."""
    has_fields = item.keys() - {"size"} == {"text", "before", "at"} and isinstance(item["text"], str)
    return has_fields and all(_is_pair(item[key]) for key in ("at", "size") if key in item)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(item) in (int, float) for item in value)


def _format_note(item: Mapping[str, Any]) -> str:
    if is_free(item):
        return format_comment(item["text"])
    numbers = [spell_json(number) for number in (*item["at"], *item.get("size", ()))]
    return f"note {' '.join([spell_json(item['text']), *numbers])}"
