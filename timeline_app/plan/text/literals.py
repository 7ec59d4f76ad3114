"""Literals: from a parsed expression to the JSON value that it spells."""

from __future__ import annotations

import json
import re
from typing import Any

from lark import Token, Tree

from timeline_app.plan.text.parser import Branch, SyntaxProblem
from timeline_app.plan.text.words import unquoted

MAX_DEPTH = 100
_LITERALS = ("text", "number", "duration", "constant", "array", "object")
_QUOTES = {"\\'": "'", '"': '\\"'}
_CONSTANTS = {"true": True, "false": False, "null": None}


def bare(tree: Branch) -> Branch:
    """The expression within parentheses."""
    while tree.data == "group":
        tree = _child(tree)
    return tree


def branches(tree: Branch) -> list[Branch]:
    """The expressions of which this one is made, without its signs and words."""
    return [child for child in tree.children if isinstance(child, Tree)]


def token(tree: Branch, place: int = 0) -> Token:
    """The sign or word at this place."""
    found = tree.children[place]
    assert isinstance(found, Token)
    return found


def is_literal(tree: Branch) -> bool:
    """Whether the expression is a value, not a timeline."""
    tree = bare(tree)
    return tree.data in _LITERALS or (tree.data == "signed" and _child(tree).data == "number")


def name_of(tree: Branch) -> str:
    """The name that stands there alone."""
    return unquoted(str(token(tree)))


def value_of(tree: Branch, *, words: bool = False, depth: int = 0) -> Any:
    """The JSON value; with `words`, names may stand for texts. Raises `SyntaxProblem`."""
    tree = bare(tree)
    if depth > MAX_DEPTH:
        raise SyntaxProblem(_start(tree), f"a value is nested more than {MAX_DEPTH} deep", "write it flatter")
    if tree.data == "array":
        return [value_of(item, words=words, depth=depth + 1) for item in branches(tree)]
    if tree.data == "object":
        return {_key(pair): value_of(_child(pair), words=words, depth=depth + 1) for pair in branches(tree)}
    if tree.data == "name" and words:
        return name_of(tree)
    if tree.data == "field" and words:
        return str(token(tree)).replace("`", "")
    if tree.data == "signed" and _child(tree).data == "number":
        return _number(_child(tree), negative=token(tree) == "-")
    return _scalar(tree)


def _scalar(tree: Branch) -> Any:
    if tree.data == "text":
        return text_of(token(tree))
    if tree.data == "number":
        return _number(tree, negative=False)
    if tree.data == "duration":
        return str(token(tree))
    if tree.data == "constant":
        return _CONSTANTS[str(token(tree))]
    if tree.data == "name":
        message = f"{name_of(tree)!r} is a name where a value is expected"
        raise SyntaxProblem(_start(tree), message, f'write a text in quotes: "{name_of(tree)}"')
    cure = "write a number, a text in quotes, true, false or a duration such as 5s"
    raise SyntaxProblem(_start(tree), "found an expression where a value is expected", cure)


def text_of(spelled: Token) -> str:
    """The text between quotes; its escapes are those of JSON, and \\' where single quotes are used."""
    raw = str(spelled)
    if raw.startswith("'"):
        raw = '"' + re.sub(r"\\.|\"", lambda match: _QUOTES.get(match[0], match[0]), raw[1:-1]) + '"'
    try:
        return str(json.loads(raw, strict=False))
    except ValueError:
        cure = 'write \\\\ for a backslash; others are \\n, \\t, \\" and \\u0041'
        raise SyntaxProblem(spelled.start_pos or 0, "a text has an escape that is not known", cure) from None


def _number(tree: Branch, *, negative: bool) -> int | float:
    spelled = str(token(tree))
    try:
        number = int(spelled) if spelled.isdigit() else float(spelled)
    except ValueError:
        number = float("inf")
    if number == float("inf"):
        raise SyntaxProblem(_start(tree), f"the number {spelled[:20]} is too large", "write a smaller one")
    return -number if negative else number


def _key(pair: Branch) -> str:
    key = token(pair)
    return text_of(key) if key.type == "TEXT" else str(key).replace("`", "")


def _child(tree: Branch) -> Branch:
    return branches(tree)[0]


def _start(tree: Branch) -> int:
    return int(tree.meta.start_pos)
