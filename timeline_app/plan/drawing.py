"""The drawing in a document: positions of nodes, groups, comments. It does not affect the computation."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from timeline_app.operators.parameters import is_storable
from timeline_app.problems.problem import Problem, Problems, Severity, suggest_nearest

MAX_GROUPS = 200
MAX_COMMENTS = 1_000
MAX_TITLE_CHARS = 200
MAX_COMMENT_CHARS = 10_000
COLOURS = ("blue", "green", "orange", "purple", "grey")
_GROUP_KEYS = ("title", "nodes", "colour")
_COMMENT_KEYS = ("text", "before", "at", "size")


def check_drawing(document: Mapping[str, Any], nodes: Collection[str], problems: Problems) -> None:
    """Every problem of `layout`, `groups` and `comments`; `nodes` are the names of the plan."""
    checker = _Drawing(nodes, problems)
    checker.layout(document.get("layout"))
    checker.groups(document.get("groups"))
    checker.comments(document.get("comments"))


class _Drawing:
    """Checks one part after the other and collects the problems."""

    def __init__(self, nodes: Collection[str], problems: Problems) -> None:
        self.nodes, self.problems = nodes, problems
        self.group_of: dict[str, str] = {}

    def refuse(self, port: str, code: str, message: str, hint: str, severity: Severity = "error") -> None:
        self.problems.append(Problem(None, port, code, message, hint, severity))

    def layout(self, raw: object) -> None:
        """An object of `[x, y]` by name; places of nodes that are gone do no harm."""
        if raw is None:
            return
        if not isinstance(raw, Mapping):
            self.refuse(
                "layout", "bad_layout", "layout must be an object of places", 'write {"cirr": [0, 0]}'
            )
            return
        for name, position in raw.items():
            if not is_pair(position):
                message = f"the place of {str(name)[:100]!r} is not two numbers"
                self.refuse("layout", "bad_layout", message, "write [x, y]")

    def groups(self, raw: object) -> None:
        """A list of groups; a node lies in one at most."""
        for number, group in self._listed(
            raw, "groups", MAX_GROUPS, 'write [{"title": "CDN", "nodes": ["cirr"]}]'
        ):
            self._group(f"groups.{number}", group)

    def _listed(self, raw: object, key: str, most: int, hint: str) -> list[tuple[int, Any]]:
        if raw is None:
            return []
        if not isinstance(raw, list):
            self.refuse(key, f"bad_{key}", f"{key} must be a list", hint)
            return []
        if len(raw) > most:
            self.refuse(
                key, f"too_many_{key}", f"{len(raw):,} {key}; a plan may have {most:,}", "take some away"
            )
            return []
        return list(enumerate(raw, start=1))

    def _group(self, port: str, group: object) -> None:
        if not isinstance(group, Mapping):
            self.refuse(port, "bad_group", "a group must be an object", 'write {"title": …, "nodes": […]}')
            return
        self._keys(port, group, _GROUP_KEYS, "group")
        self._text(port, group.get("title"), "title", MAX_TITLE_CHARS)
        colour = group.get("colour")
        if colour is not None and colour not in COLOURS:
            message = f"a group has no colour {str(colour)[:40]!r}"
            self.refuse(port, "bad_colour", message, f"choose {', '.join(COLOURS)}")
        members = group.get("nodes")
        if not isinstance(members, list) or not all(isinstance(name, str) for name in members):
            self.refuse(
                port, "bad_group", "a group's nodes must be a list of names", 'write "nodes": ["cirr"]'
            )
            return
        for name in members:
            self._member(port, name)

    def _member(self, port: str, name: str) -> None:
        if name not in self.nodes:
            if not self.problems.can_warn:
                return
            hint = suggest_nearest(name, self.nodes, "take it out of the group")
            self.refuse(port, "unknown_member", f"the group's {name[:100]!r} is no node", hint, "warning")
        elif name in self.group_of:
            message = f"{name!r} lies in {self.group_of[name]} already"
            self.refuse(port, "grouped_twice", message, "take it out of one of them")
        else:
            self.group_of[name] = port

    def comments(self, raw: object) -> None:
        """Check a list of texts, or of objects with a place in the text or on the canvas."""
        for number, comment in self._listed(raw, "comments", MAX_COMMENTS, 'write ["a text"]'):
            port = f"comments.{number}"
            if isinstance(comment, Mapping):
                self._comment(port, comment)
            else:
                self._text(port, comment, "comment", MAX_COMMENT_CHARS)

    def _comment(self, port: str, comment: Mapping[Any, Any]) -> None:
        self._keys(port, comment, _COMMENT_KEYS, "comment")
        self._text(port, comment.get("text"), "comment", MAX_COMMENT_CHARS)
        for key in ("at", "size"):
            if key in comment and not is_pair(comment[key]):
                self.refuse(
                    port,
                    "bad_comment",
                    f"{key!r} of a comment must be two numbers",
                    f'write "{key}": [240, 96]',
                )
        before = comment.get("before")
        if before is not None and not isinstance(before, str):
            self.refuse(port, "bad_comment", "'before' of a comment names a node", 'write "before": null')

    def _keys(self, port: str, group: Mapping[Any, Any], known_keys: tuple[str, ...], subject: str) -> None:
        for key in group:
            if key not in known_keys:
                self.refuse(
                    port,
                    "unknown_key",
                    f"a {subject} has no {str(key)[:100]!r}",
                    suggest_nearest(str(key), known_keys),
                )

    def _text(self, port: str, text: object, subject: str, most: int) -> None:
        if not isinstance(text, str) or len(text) > most or not is_storable(text):
            self.refuse(
                port,
                f"bad_{subject}",
                f"a {subject} must be text of at most {most:,} characters",
                "shorten it",
            )


def is_pair(value: object) -> bool:
    """Return whether this is a place or a size: two finite numbers."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(item) in (int, float) and math.isfinite(item) for item in value)
    )
