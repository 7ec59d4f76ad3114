"""Parsing one statement, and saying in the language's own words what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lexer import TextSlice

from timeline_app.plan.text.scan import Source

Branch = Tree[Token]

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
}
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_MARKS = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|[()\[\]{}]""")
_HINTS = {
    "=": "write == to compare",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != to compare",
    "%": "there is no such operator",
}


class SyntaxProblem(Exception):
    """A statement cannot be read from this offset on."""

    def __init__(self, offset: int, message: str, cure: str) -> None:
        """`offset` counts from the beginning of the text."""
        super().__init__(message)
        self.offset, self.message, self.cure = offset, message, cure


@cache
def _parser() -> Lark:
    grammar = (Path(__file__).parent / "grammar.lark").read_text()
    return Lark(
        grammar,
        parser="lalr",
        start=["expression", "names", "places"],
        propagate_positions=True,
        maybe_placeholders=False,
    )


def parse(source: Source, start: int, end: int, rule: str = "expression") -> Branch:
    """The tree of a stretch of the text, positions counted in the whole text; raises `SyntaxProblem`."""
    try:
        return _parser().parse(TextSlice(source.clean, start, end), start=rule)
    except UnexpectedInput as problem:
        raise _explained(source.clean, start, end, problem) from None


def _explained(text: str, start: int, end: int, problem: UnexpectedInput) -> SyntaxProblem:
    offset = problem.pos_in_stream if isinstance(problem.pos_in_stream, int) else end
    if isinstance(problem, UnexpectedToken) and problem.token.type == "$END":
        offset = end
    expected = _expected(problem)
    found = text[offset:end].split("\n")[0]
    if not found:
        return _ended(text, start, end, expected)
    if found[0] in "\"'`":
        closed = "in quotes" if found[0] != "`" else "in backquotes"
        if isinstance(problem, UnexpectedCharacters):
            return SyntaxProblem(offset, f"what is {closed} does not end on its line", f"close it with {found[0]}")
    return SyntaxProblem(offset, f"found {_shown(found)}, expected {expected}", _hint(text, offset, found))


def _ended(text: str, start: int, end: int, expected: str) -> SyntaxProblem:
    open_at = _open_bracket(text, start, end)
    if open_at is None:
        message = f"found the end of the statement, expected {expected}"
        return SyntaxProblem(end, message, "go on on the next line, or take away what is too much")
    message = f"{text[open_at]} is not closed: found the end of the statement, expected {expected}"
    return SyntaxProblem(open_at, message, "close it, and begin the next statement on a line of its own")


def _open_bracket(text: str, start: int, end: int) -> int | None:
    waiting: list[int] = []
    for mark in _MARKS.finditer(text, start, end):
        if mark[0] in "([{":
            waiting.append(mark.start())
        elif mark[0] in _CLOSERS and waiting:
            waiting.pop()
    return waiting[-1] if waiting else None


def _expected(problem: UnexpectedInput) -> str:
    """What may stand there, in words."""
    if isinstance(problem, UnexpectedToken):
        parser = problem.interactive_parser
        return _in_words(parser.accepts() if parser is not None else set(problem.expected))
    return _in_words(problem.allowed or set()) if isinstance(problem, UnexpectedCharacters) else "an expression"


def _in_words(terminals: Set[str]) -> str:
    words = []
    if {"NAME", "FIELD"} <= terminals:
        words.append("an expression")
        terminals = terminals - _OPERANDS
    elif "NAME" in terminals:
        words.append("a name")
        terminals = terminals - {"QUOTED"}
    words += [word for terminal, word in _WORDS.items() if terminal in terminals]
    if terminals & _INFIX:
        words.append("an operator")
    if "$END" in terminals:
        words.append("the end of the statement")
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words) or "nothing more"


def _hint(text: str, offset: int, found: str) -> str:
    """A cure for what is often meant."""
    if (hint := _HINTS.get(found[0])) and not found.startswith("=="):
        return hint
    if re.search(r"\d$", text[:offset][-1:]) and (unit := re.match(r"[^\W\d]\w*", found)):
        return f"{unit[0]} is no unit of a duration; write 250ms, 5s, 10min, 2h or 1d"
    if re.match(r"[^\W\d]\w*\s*\(", found):
        return "write a comma or an operator before it"
    return "begin each statement on a line of its own, with a name and =" if found[0] not in ")]}" else "take it away"


def _shown(found: str) -> str:
    word = re.match(r"[^\W\d]\w*|[0-9.]+\w*|\S{1,2}?(?=\s|\w|$)|.", found)
    shown = word[0] if word else found[:1]
    return repr(shown if len(shown) <= 40 else f"{shown[:39]}…")
