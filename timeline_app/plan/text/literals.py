"""Literals: from a parsed expression to the JSON value that it spells."""

from __future__ import annotations

import json
import re
from typing import Any

from lark import Token, Tree

from timeline_app.plan.text.parser import Branch, SyntaxProblem
from timeline_app.plan.text.words import unquote_name

MAX_DEPTH = 100
_LITERALS = ("text", "number", "duration", "constant", "array", "object")
_QUOTES = {"\\'": "'", '"': '\\"'}
_CONSTANTS = {"true": True, "false": False, "null": None}


def strip_parentheses(tree: Branch) -> Branch:
    """Return the expression within parentheses."""
    while tree.data == "group":
        tree = _get_child(tree)
    return tree


def list_branches(tree: Branch) -> list[Branch]:
    """Return the expressions of which this one is made, without its signs and words."""
    return [child for child in tree.children if isinstance(child, Tree)]


def get_token(tree: Branch, index: int = 0) -> Token:
    """Return the sign or word at this place."""
    token = tree.children[index]
    assert isinstance(token, Token)
    return token


def is_literal(tree: Branch) -> bool:
    """Return whether the expression is a value, not a timeline."""
    tree = strip_parentheses(tree)
    return tree.data in _LITERALS or (tree.data == "signed" and _get_child(tree).data == "number")


def name_of(tree: Branch) -> str:
    """Return the single name of an expression."""
    return unquote_name(str(get_token(tree)))


def read_value(tree: Branch, *, words: bool = False, depth: int = 0) -> Any:
    """Return the JSON value; `words` allows names for texts. Raises `SyntaxProblem`."""
    tree = strip_parentheses(tree)
    if depth > MAX_DEPTH:
        raise SyntaxProblem(_start(tree), f"a value is nested more than {MAX_DEPTH} deep", "write it flatter")
    if tree.data == "array":
        return [read_value(item, words=words, depth=depth + 1) for item in list_branches(tree)]
    if tree.data == "object":
        return {
            _key(pair): read_value(_get_child(pair), words=words, depth=depth + 1)
            for pair in list_branches(tree)
        }
    if tree.data == "name" and words:
        return name_of(tree)
    if tree.data == "field" and words:
        return str(get_token(tree)).replace("`", "")
    if tree.data == "signed" and _get_child(tree).data == "number":
        return _number(_get_child(tree), negative=get_token(tree) == "-")
    return _read_scalar(tree)


def _read_scalar(tree: Branch) -> Any:
    if tree.data == "text":
        return unquote_text(get_token(tree))
    if tree.data == "number":
        return _number(tree, negative=False)
    if tree.data == "duration":
        return str(get_token(tree))
    if tree.data == "constant":
        return _CONSTANTS[str(get_token(tree))]
    if tree.data == "name":
        message = f"{name_of(tree)!r} is a name where a value is expected"
        raise SyntaxProblem(_start(tree), message, f'write a text in quotes: "{name_of(tree)}"')
    hint = "write a number, a text in quotes, true, false or a duration such as 5s"
    raise SyntaxProblem(_start(tree), "found an expression where a value is expected", hint)


def unquote_text(spelled: Token) -> str:
    """Return the text between quotes; its escapes are those of JSON, and \' where single quotes are used."""
    raw = str(spelled)
    if raw.startswith("'"):
        raw = '"' + re.sub(r"\\.|\"", lambda match: _QUOTES.get(match[0], match[0]), raw[1:-1]) + '"'
    try:
        return str(json.loads(raw, strict=False))
    except ValueError:
        hint = 'write \\\\ for a backslash; others are \\n, \\t, \\" and \\u0041'
        raise SyntaxProblem(spelled.start_pos or 0, "a text has an escape that is not known", hint) from None


def _number(tree: Branch, *, negative: bool) -> int | float:
    spelled = str(get_token(tree))
    try:
        number = int(spelled) if spelled.isdigit() else float(spelled)
    except ValueError:
        number = float("inf")
    if number == float("inf"):
        raise SyntaxProblem(_start(tree), f"the number {spelled[:20]} is too large", "write a smaller one")
    return -number if negative else number


def _key(pair: Branch) -> str:
    key = get_token(pair)
    return unquote_text(key) if key.type == "TEXT" else str(key).replace("`", "")


def _get_child(tree: Branch) -> Branch:
    return list_branches(tree)[0]


def _start(tree: Branch) -> int:
    return int(tree.meta.start_pos)
