"""Reading predicates. Text never reaches `eval`: a grammar, then a tree."""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError

from timeline_app.predicates.tree import (
    MIRRORED,
    Always,
    Comparison,
    Literal,
    Missing,
    Not,
    Predicate,
    junction,
    membership,
    negation,
)

MAX_LENGTH = 10_000
_MICROS = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
MAX_DEPTH = 100
MAX_EXACT = 2**53
"""From here on, whole numbers differ in digits that a number does not keep."""
_TOO_DEEP = f"nested more than {MAX_DEPTH} deep; write it flatter, or as several nodes"
_EXPECTED = (
    'such as player_state == "play", bitrate > 3 and not live == true, cdn in ("A", "B"), cdn is missing'
)


class PredicateError(ValueError):
    """A predicate that cannot be read: says where, and what was expected."""


@cache
def _parser() -> Lark:
    grammar = (Path(__file__).parent / "grammar.lark").read_text()
    return Lark(grammar, parser="lalr", transformer=_Build())


class _Build(Transformer[Token, Predicate]):
    """From the parse to the tree, bottom-up."""

    def field(self, children: list[Token]) -> str:
        return str(children[0]).strip("`")

    def literal(self, children: list[Token]) -> Literal:
        token = children[0]
        if token.type == "BOOL":
            return str(token).startswith("t")
        return _text(token) if token.type == "TEXT" else _number(token)

    def comparison(self, children: list[Any]) -> Predicate:
        return Comparison(children[0], str(children[1]), children[2])

    def turned(self, children: list[Any]) -> Predicate:
        return Comparison(children[2], MIRRORED[str(children[1])], children[0])

    def membership(self, children: list[Any]) -> Predicate:
        return membership(children[0], tuple(children[1:]))

    def missing(self, children: list[Any]) -> Predicate:
        return Missing(children[0])

    def present(self, children: list[Any]) -> Predicate:
        return Not(Missing(children[0]))

    def always(self, children: list[Token]) -> Predicate:
        return Always(children[0] == "true")

    def negation(self, children: list[Any]) -> Predicate:
        return _shallow(negation(children[0]))

    def both(self, children: list[Any]) -> Predicate:
        return _shallow(junction("and", children))

    def either(self, children: list[Any]) -> Predicate:
        return _shallow(junction("or", children))


def _shallow(predicate: Predicate) -> Predicate:
    """Refuse what is nested too deep while it is read: each level may be turned round again."""
    if predicate.depth() > MAX_DEPTH:
        raise PredicateError(_TOO_DEEP)
    return predicate


def _text(token: Token) -> str:
    try:
        text = str(ast.literal_eval(str(token)))
    except ValueError as problem:  # what Python before 3.11.4 says of NUL
        raise SyntaxError(str(problem)) from None
    if not is_unicode(text):
        raise PredicateError(f"line {token.line}, column {token.column}: {token!s} is no Unicode text")
    return text


def _number(token: Token) -> float:
    if token.type == "DURATION":
        return _seconds(token)
    number = float(token)
    if abs(number) >= MAX_EXACT and str(token).lstrip("+-").isdecimal():
        raise PredicateError(
            f"line {token.line}, column {token.column}: the number {token!s} is beyond 2**53, up to which numbers"
            f' keep all digits; declare the field text and compare it with "{token!s}"'
        )
    if not math.isfinite(number):
        raise PredicateError(f"line {token.line}, column {token.column}: the number {token!s} is too large")
    return number


def _seconds(token: Token) -> float:
    """A duration is a number of seconds."""
    digits = str(token).rstrip("usmindh")
    return float(Fraction(digits) * _MICROS[str(token)[len(digits) :]] / 1_000_000)


def is_unicode(text: str) -> bool:
    """Whether a text can be written at all; JSON can spell halves of characters, which cannot."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def parse(text: str) -> Predicate:
    """Read a predicate; raises `PredicateError` with line, column and what was expected."""
    if len(text) > MAX_LENGTH:
        raise PredicateError(f"a predicate of {len(text):,} characters; at most {MAX_LENGTH:,} are read")
    if not text.strip():
        raise PredicateError(f"the predicate is empty; write a condition {_EXPECTED}")
    if not is_unicode(text):
        raise PredicateError("the predicate holds half a character (a surrogate); write it as text")
    return _read(text)


def field_spans(text: str) -> list[tuple[int, int]]:
    """Where the names of fields stand in a predicate: start and end of each; raises `PredicateError`."""
    parse(text)
    names = (tree.children[0] for tree in _plain_parser().parse(text).find_data("field"))
    return sorted((name.start_pos, name.end_pos) for name in names)  # type: ignore[union-attr,misc]


@cache
def _plain_parser() -> Lark:
    return Lark((Path(__file__).parent / "grammar.lark").read_text(), parser="lalr")


def _read(text: str) -> Predicate:
    try:
        return _parser().parse(text)  # type: ignore[return-value]
    except UnexpectedInput as problem:
        raise PredicateError(_explain(text, problem)) from None
    except RecursionError:
        raise PredicateError(_TOO_DEEP) from None
    except (VisitError, SyntaxError) as problem:
        raise PredicateError(
            f"cannot be read ({type(problem).__name__}); write a condition {_EXPECTED}"
        ) from None


def _explain(text: str, problem: UnexpectedInput) -> str:
    if isinstance(problem, UnexpectedEOF) or (
        isinstance(problem, UnexpectedToken) and problem.token.type == "$END"
    ):
        return f"the predicate ends too early after {text.strip()[-20:]!r}; write a condition {_EXPECTED}"
    found = text[problem.pos_in_stream :][:12]
    place = f"line {problem.line}, column {problem.column}"
    slip = next((cure for wrong, cure in _SLIPS.items() if found.startswith(wrong)), None)
    if text[: problem.pos_in_stream].endswith("<") and found.startswith(">"):
        slip = "write '!=' instead of '<>'"
    if slip is not None:
        return f"{place}: {slip}"
    if _wants(problem) & _LITERALS and isinstance(problem, UnexpectedToken) and problem.token.type == "NAME":
        return f'{place}: {str(problem.token)!r} is no value; write text in quotes: "{problem.token}"'
    expected = ", ".join(dict.fromkeys(_WORDS[name] for name in sorted(_wants(problem)) if name in _WORDS))
    return f"{place}: cannot read {found!r}, expected {expected}; write a condition {_EXPECTED}"


def _wants(problem: UnexpectedInput) -> set[str]:
    """The terminals that could have come instead."""
    if isinstance(problem, UnexpectedToken):
        return set(problem.accepts or problem.expected)
    return set(getattr(problem, "allowed", None) or ())


_LITERALS = {"TEXT", "NUMBER"}
_SLIPS = {
    "=": "one '=' compares nothing here; write '=='",
    "&": "write 'and' instead of '&'",
    "|": "write 'or' instead of '|'",
    "!": "write 'not' before a condition, '!=' between a field and a value",
    "null": "write 'is missing' instead of a comparison with null",
    "None": "write 'is missing' instead of a comparison with None",
    "True": "write true in small letters",
    "False": "write false in small letters",
}
_WORDS = {
    "AND": "'and'", "OR": "'or'", "NOT": "'not'", "IN": "'in'", "IS": "'is'", "MISSING": "'missing'",
    "LPAR": "'('", "RPAR": "')'", "LSQB": "'['", "RSQB": "']'", "COMMA": "','", "COMPARISON": "a comparison",
    "NAME": "a field", "QUOTED": "a field",
    "TEXT": "a text in quotes", "NUMBER": "a number", "DURATION": "a number",
    "BOOL": "true or false", "$END": "the end",
}  # fmt: skip
