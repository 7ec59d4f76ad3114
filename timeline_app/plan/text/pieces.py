"""Pieces of an expression in text form: their text, binding strength, and line breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

LINE_CHARS = 96
INDENT = "    "
_MAX_INDENTED_LEVELS = 12


class Level(IntEnum):
    """How tightly an expression binds."""

    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    SUM = 5
    PRODUCT = 6
    ATOM = 7


@dataclass(frozen=True, slots=True)
class Piece:
    """A written expression; `depth` is how often its lines are indented."""

    text: str
    level: Level = Level.ATOM
    depth: int = 0

    def within(self, level: Level) -> Piece:
        """Return the piece for a level: in parentheses if it binds less tightly."""
        if self.level >= level:
            return self
        return Piece(f"({_indent(self)})", Level.ATOM, self.depth + 1)


def join_pieces(parts: Sequence[Piece], word: str, level: Level) -> Piece:
    """Return the parts with a word or sign between them, on one line where they fit."""
    depth = max(part.depth for part in parts)
    flat = f" {word} ".join(part.text for part in parts)
    text = flat if _is_fitting(flat) else f"\n{word} ".join(part.text for part in parts)
    return Piece(text, level, depth)


def build_call(head: str, arguments: Sequence[Piece]) -> Piece:
    """Return a call, on one line where it fits."""
    depth = max((part.depth for part in arguments), default=0)
    flat = ", ".join(part.text for part in arguments)
    if _is_fitting(f"{head}({flat})") or depth >= _MAX_INDENTED_LEVELS:
        return Piece(f"{head}({flat})", Level.ATOM, depth)
    lines = f",\n{INDENT}".join(_indent(part) for part in arguments)
    return Piece(f"{head}(\n{INDENT}{lines})", Level.ATOM, depth + 1)


def prefix_piece(word: str, piece: Piece, level: Level) -> Piece:
    """Return a word, and the piece that follows it."""
    return Piece(f"{word} {piece.text}", level, piece.depth)


def format_statement(name: str, piece: Piece) -> str:
    """`name = expression`, its other lines indented."""
    return f"{name} = {piece.text if piece.level is Level.ATOM else _indent(piece)}"


def format_directive(word: str, items: Sequence[str]) -> str:
    """Return a directive with a list, on as many lines as it needs."""
    lines = [word]
    for index, item in enumerate(items):
        spelled = f"{item}," if index < len(items) - 1 else item
        if len(lines[-1]) + len(spelled) < LINE_CHARS:
            lines[-1] += f" {spelled}"
        else:
            lines.append(f"{INDENT}{spelled}")
    return "\n".join(lines)


def _indent(piece: Piece) -> str:
    return piece.text if piece.depth >= _MAX_INDENTED_LEVELS else piece.text.replace("\n", f"\n{INDENT}")


def _is_fitting(text: str) -> bool:
    return len(text) <= LINE_CHARS and "\n" not in text
