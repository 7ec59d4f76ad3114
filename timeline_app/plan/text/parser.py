"""Parses one statement, and explains errors in the language's own terms."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from pathlib import Path
from typing import cast

from lark import Lark, TextSlice, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from timeline_app.plan.text.marks import find_marks
from timeline_app.plan.text.scan import Source

Branch = Tree[Token]
MAX_BRACKETS = 10_000

_OPERANDS = {"NAME", "QUOTED", "FIELD", "TEXT", "NUMBER", "DURATION", "CONSTANT", "LPAR"}
_INFIX = {"AND", "OR", "COMPARISON", "SCALE", "IN", "IS"}
_WORDS = {
    "RPAR": "a closing parenthesis",
    "RSQB": "a closing bracket",
    "RBRACE": "a closing brace",
    "COMMA": "a comma",
    "EQUAL": "=",
    "COLON": "a colon",
    "MISSING": "missing",
    "LPAR": "an opening parenthesis",
    "NUMBER": "a number",
    "TEXT": "a text in quotes",
    "INFIX": "an operator",
    "$END": "the end of the statement",
}
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_HINTS = {
    "=": "write == to compare",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != to compare",
    "%": "there is no such operator",
}


class SyntaxProblem(Exception):
    """A statement cannot be read from this offset on."""

    def __init__(self, offset: int, message: str, hint: str) -> None:
        """`offset` counts from the beginning of the text."""
        super().__init__(message)
        self.offset, self.message, self.hint = offset, message, hint


@cache
def _load_parser() -> Lark:
    grammar = (Path(__file__).parent / "grammar.lark").read_text()
    return Lark(
        grammar,
        parser="lalr",
        start=["expression", "names", "places", "note"],
        propagate_positions=True,
        maybe_placeholders=False,
    )


def parse(source: Source, start: int, end: int, rule: str = "expression") -> Branch:
    """Return the tree of a stretch of the text, positions counted in the whole text. Raises `SyntaxProblem`."""
    _refuse_deep(source.clean, start, end)
    try:
        return _load_parser().parse(TextSlice(source.clean, start, end), start=rule)
    except UnexpectedInput as problem:
        raise _explain_problem(source.clean, start, end, rule, problem) from None


def _refuse_deep(text: str, start: int, end: int) -> None:
    """Refuse deeply nested brackets, which would take long to read."""
    if sum(text.count(sign, start, end) for sign in "([{") > MAX_BRACKETS:
        depth = 0
        for mark in find_marks(text, start, end):
            depth += (mark[0] in "([{") - (mark[0] in _CLOSERS)
            if depth > MAX_BRACKETS:
                message = f"more than {MAX_BRACKETS:,} brackets are open"
                raise SyntaxProblem(mark.start(), message, "give the inner parts statements of their own")


def _explain_problem(text: str, start: int, end: int, rule: str, problem: UnexpectedInput) -> SyntaxProblem:
    ended = isinstance(problem, UnexpectedToken) and problem.token.type == "$END"
    offset = end if ended else cast(int, problem.pos_in_stream)
    expected = _describe_terminals(_list_expected(text, start, offset, rule))
    rest_of_line = text[offset:end].split("\n", maxsplit=1)[0]
    if not rest_of_line:
        return _explain_end(text, start, end, expected)
    if rest_of_line[0] in "\"'`" and isinstance(problem, UnexpectedCharacters):
        return SyntaxProblem(
            offset, f"{rest_of_line[0]} is not closed on its line", f"close it with {rest_of_line[0]}"
        )
    return SyntaxProblem(
        offset,
        f"found {_shorten(rest_of_line)}, expected {expected}",
        _suggest_fix(text, offset, rest_of_line),
    )


def _explain_end(text: str, start: int, end: int, expected: str) -> SyntaxProblem:
    open_at = _open_bracket(text, start, end)
    if open_at is None:
        message = f"found the end of the statement, expected {expected}"
        return SyntaxProblem(end, message, "complete the statement; it may go on on the next line")
    message = f"{text[open_at]} is not closed: found the end of the statement, expected {expected}"
    return SyntaxProblem(open_at, message, "close it, and begin the next statement on a line of its own")


def _open_bracket(text: str, start: int, end: int) -> int | None:
    waiting: list[int] = []
    for mark in find_marks(text, start, end):
        if mark[0] in "([{":
            waiting.append(mark.start())
        elif mark[0] in _CLOSERS and waiting:
            waiting.pop()
    return waiting[-1] if waiting else None


def _list_expected(text: str, start: int, offset: int, rule: str) -> Set[str]:
    """Return what may stand at this offset, behind what was read so far."""
    parser = _load_parser().parse_interactive(text[start:offset], start=rule)
    try:
        parser.exhaust_lexer()
    except UnexpectedInput:
        return set()
    accepted: set[str] = parser.accepts()  # type: ignore[no-untyped-call]
    return accepted


def _describe_terminals(terminals: Set[str]) -> str:
    words = []
    if {"NAME", "FIELD"} <= terminals:
        words.append("an expression")
        terminals = terminals - _OPERANDS
    elif "NAME" in terminals:
        words.append("a name")
        terminals = terminals - {"QUOTED"}
    elif terminals & _INFIX:
        terminals = terminals - {"LPAR", "EQUAL"} | {"INFIX"}
    words += [word for terminal, word in _WORDS.items() if terminal in terminals]
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words) or "nothing more"


def _suggest_fix(text: str, offset: int, unread: str) -> str:
    """Suggest a fix for a common mistake."""
    if (hint := _HINTS.get(unread[0])) and not unread.startswith("=="):
        return hint
    if text[:offset].rstrip()[-1:].isdigit() and (unit := re.match(r"[^\W\d]\w*", unread)):
        return f"{unit[0]} is no unit of a duration; write 250ms, 5s, 10min, 2h or 1d"
    if re.match(r"[^\W\d]\w*\s*\(", unread):
        return "write a comma or an operator before it"
    return (
        "begin each statement on a line of its own, with a name and ="
        if unread[0] not in ")]}"
        else "take it away"
    )


def _shorten(unread: str) -> str:
    word = re.match(r"[^\W\d]\w*|[0-9.]+\w*|\S{1,2}?(?=\s|\w|$)|.", unread)
    excerpt = word[0] if word else unread[:1]
    return repr(excerpt if len(excerpt) <= 40 else f"{excerpt[:39]}…")
