"""Splits a text into statements and comments, line by line, so that one broken statement spoils no other.

A statement begins with `name =` or, not indented, with the word of a directive, and extends to the next one. Within
parentheses an indented line, or one that follows a comma, always continues it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from timeline_app.plan.text.marks import find_marks
from timeline_app.plan.text.words import DIRECTIVES, RESERVED

STATEMENT = re.compile(r"""(?P<name>`[^`]*`|[^\s=<>!()\[\]{},"'`\#@]+)\s*=(?!=)""")
_OPERATORS = "|".join(RESERVED[:6])
_DIRECTIVE = re.compile(
    rf"""@|(results|layout|order)\s*$|(?!({_OPERATORS})\b)(?P<word>[^\W\d]\w*)[^\S\n]+(?!({_OPERATORS})\b)[\w"'`]"""
)


@dataclass(slots=True)
class Chunk:
    """A statement or directive: its stretch of the text, and the comments above it and in it."""

    start: int
    end: int
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Source:
    """A text with comments blanked out, its chunks, and the comments that stand free before a chunk (by number)."""

    text: str
    clean: str
    chunks: list[Chunk]
    free: list[tuple[int, str]]
    lines: list[int]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, counted from 1."""
        line = bisect_right(self.lines, offset) - 1
        return line + 1, offset - self.lines[line] + 1


def scan(text: str) -> Source:
    """Find statements, directives and comments."""
    return _Scanner(text).scan()


@dataclass(slots=True)
class _Line:
    """One line: its offset, its code without the comment, and the comment if it has one."""

    start: int
    code: str
    comment: str | None
    depth: int

    @property
    def indent(self) -> int:
        return len(self.code) - len(self.code.lstrip())


class _Scanner:
    """Goes through the lines once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.chunks: list[Chunk] = []
        self.free: list[tuple[int, str]] = []
        self.blocks: list[list[str]] = []
        self.depth, self.last, self.adjacent = 0, "", False

    def scan(self) -> Source:
        """Return all chunks; comments wait in blocks until it is known what they belong to."""
        lines = self._lines()
        code = [line for line in lines if line.code.strip()]
        margin = min((line.indent for line in code), default=0)
        for line in lines:
            if line.code.strip():
                self._code(line, margin)
            elif line.comment is not None:
                self._comment(line.comment)
            else:
                self.adjacent = False
        self._set_free(self.blocks)
        clean = "\n".join(line.code for line in lines)
        return Source(self.text, clean, self.chunks, self.free, [line.start for line in lines])

    def _lines(self) -> list[_Line]:
        lines, start = [], 0
        for raw in self.text.split("\n"):
            code, comment, depth = raw, None, 0
            for mark in find_marks(raw):
                if mark["comment"] is not None:
                    code = raw[: mark.start()] + " " * (len(raw) - mark.start())
                    comment = mark["comment"][1:].rstrip("\r").removeprefix(" ")
                depth += (mark["open"] is not None) - (mark["close"] is not None)
            lines.append(_Line(start, code, comment, depth))
            start += len(raw) + 1
        return lines

    def _comment(self, comment: str) -> None:
        if self.depth and self.chunks:
            self.chunks[-1].comments.append(comment)
        elif self.adjacent:
            self.blocks[-1].append(comment)
        else:
            self.blocks.append([comment])
            self.adjacent = True

    def _code(self, line: _Line, margin: int) -> None:
        if not self.chunks or self._begins(line, margin):
            above = self.blocks.pop() if self.adjacent else []
            self._set_free(self.blocks)
            self.chunks.append(Chunk(line.start + line.indent, 0, above))
            self.depth = 0
        else:
            self.chunks[-1].comments += [comment for block in self.blocks for comment in block]
        chunk = self.chunks[-1]
        chunk.end = line.start + len(line.code.rstrip())
        if line.comment is not None:
            chunk.comments.append(line.comment)
        self.blocks, self.adjacent = [], False
        self.depth, self.last = max(0, self.depth + line.depth), line.code.rstrip()[-1]

    def _begins(self, line: _Line, margin: int) -> bool:
        """Return whether a new statement begins here."""
        code = line.code.strip()
        if self.depth and (line.indent > margin or self.last in ",([{") and not code.startswith("@"):
            return False
        directive = _DIRECTIVE.match(code) if line.indent == margin else None
        if directive and self.depth and directive["word"] not in (None, *DIRECTIVES):
            return False
        return directive is not None or STATEMENT.match(code) is not None

    def _set_free(self, blocks: list[list[str]]) -> None:
        self.free += [(len(self.chunks), "\n".join(block)) for block in blocks]
