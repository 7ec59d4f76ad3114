"""Read predicates. Text never reaches `eval`: a grammar, then a tree."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from lark import Lark
from lark.exceptions import UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError

from timeline_app.predicates.builder import (
    TOO_DEEP,
    Part,
    PredicateError,
    is_unicode,
    make_tree_builder,
    require_condition,
    require_value,
)
from timeline_app.predicates.expressions import Expression
from timeline_app.predicates.tree import COMPARISONS, Predicate
from timeline_app.problems.spelling import close_names

MAX_CONDITION_CHARS = 10_000
_EXPECTED = {
    "predicate": 'write a condition such as player_state == "play", bitrate > 3 and not live == true,'
    ' cdn in ("A", "B"), cdn is missing',
    "expression": "write what is computed, such as price * quantity, round(seconds / 60), lower(path)",
}


@cache
def _load_parser() -> Lark:
    grammar = (Path(__file__).parent / "grammar.lark").read_text()
    return Lark(grammar, parser="lalr", transformer=make_tree_builder())


def parse(text: str) -> Predicate:
    """Read a predicate; raises `PredicateError` with line, column and what was expected."""
    return require_condition(_read(text, "predicate"))


def parse_expression(text: str) -> Expression:
    """Read a value computed from fields; raises `PredicateError` with line, column and what was expected."""
    return require_value(_read(text, "expression"))


def find_field_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of field names in a predicate or an expression. Raises `PredicateError`."""
    _read(text, "predicate")
    names = (tree.children[0] for tree in _load_plain_parser().parse(text).find_data("field"))
    return sorted((name.start_pos, name.end_pos) for name in names)  # type: ignore[union-attr,misc]


@cache
def _load_plain_parser() -> Lark:
    return Lark((Path(__file__).parent / "grammar.lark").read_text(), parser="lalr")


def _read(text: str, subject: str) -> Part:
    if len(text) > MAX_CONDITION_CHARS:
        raise PredicateError(
            f"a {subject} of {len(text):,} characters; at most {MAX_CONDITION_CHARS:,} are read"
        )
    if not text.strip():
        raise PredicateError(f"the {subject} is empty; {_EXPECTED[subject]}")
    if not is_unicode(text):
        raise PredicateError(f"the {subject} holds half a character (a surrogate); write it as text")
    try:
        return _load_parser().parse(text)  # type: ignore[return-value]
    except UnexpectedInput as problem:
        raise PredicateError(_explain(text, problem, subject)) from None
    except RecursionError:
        raise PredicateError(TOO_DEEP) from None
    except (VisitError, SyntaxError) as problem:
        raise PredicateError(f"cannot be read ({type(problem).__name__}); {_EXPECTED[subject]}") from None


def _explain(text: str, problem: UnexpectedInput, subject: str) -> str:
    if isinstance(problem, UnexpectedEOF) or (
        isinstance(problem, UnexpectedToken) and problem.token.type == "$END"
    ):
        return f"the {subject} ends too early after {text.strip()[-20:]!r}; {_EXPECTED[subject]}"
    unread = text[problem.pos_in_stream :][:12]
    location = f"line {problem.line}, column {problem.column}"
    slip = next((hint for mistake, hint in _SLIPS.items() if unread.startswith(mistake)), None)
    if null := next((word for word in ("null", "None") if unread.startswith(word)), None):
        slip = _describe_null(null, text[: problem.pos_in_stream])
    if text[: problem.pos_in_stream].endswith("<") and unread.startswith(">"):
        slip = "write '!=' instead of '<>'"
    if slip is not None:
        return f"{location}: {slip}"
    if (
        _list_expected(problem) & _LITERALS
        and isinstance(problem, UnexpectedToken)
        and problem.token.type == "NAME"
    ):
        return f'{location}: {str(problem.token)!r} is no value; write text in quotes: "{problem.token}"'
    wants = _list_expected(problem)
    slip = next((hint for mistake, hint in _OF_SQL.items() if unread.startswith(mistake)), None)
    if slip is not None and "COMPARISON" in wants:
        return f"{location}: {slip}"
    if "COMPARISON" in wants:  # a value, which is no condition yet
        wants -= {"AND", "OR", "LPAR", "RPAR", "COMMA", "$END"}
    word = _FIRST_WORD.match(unread)
    expected_words = [_WORDS[name].strip("'") for name in wants if _WORDS.get(name, "").startswith("'")]
    if word is not None and (close := close_names(word[0], expected_words, cutoff=0.65)):
        return f"{location}: cannot read {word[0]!r}; did you mean {' or '.join(close)}?"
    expected = ", ".join(dict.fromkeys(_WORDS[name] for name in sorted(wants) if name in _WORDS))
    return f"{location}: cannot read {unread!r}, expected {expected}; {_EXPECTED[subject]}"


def _describe_null(word: str, before: str) -> str:
    if before.rstrip().endswith(tuple(COMPARISONS)):
        return f"write 'is missing' instead of a comparison with {word}"
    for ending in ("is not", "is"):
        if before.split()[-len(ending.split()) :] == ending.split():
            return f"write '{ending} missing' instead of '{ending} {word}'"
    return f"write missing instead of {word}, such as if(a > 0, a, missing)"


def _list_expected(problem: UnexpectedInput) -> set[str]:
    """Return the terminals that were possible here."""
    if isinstance(problem, UnexpectedToken):
        return set(problem.accepts or problem.expected)
    return set(getattr(problem, "allowed", None) or ())


_FIRST_WORD = re.compile(r"[A-Za-z_]{3,}")
_OF_SQL = {
    "not in": 'write \'not\' before the field, such as not cdn in ("A", "B")',
    "like": 'write a function, such as starts_with(name, "a"), contains(name, "b") or matches(name, "^a.*b$")',
    "between": "write two comparisons, such as bitrate >= 1 and bitrate <= 2",
    "contains": 'write a function, such as contains(name, "part")',
    "starts": 'write a function, such as starts_with(name, "begin")',
    "ends": 'write a function, such as ends_with(name, "end")',
    "matches": 'write a function, such as matches(name, "^a.*b$")',
}
_LITERALS = {"TEXT", "NUMBER"}
_SLIPS = {
    "=": "one '=' compares nothing here; write '=='",
    "&": "write 'and' instead of '&'",
    "|": "write 'or' instead of '|'",
    "!": "write 'not' before a condition, '!=' between a field and a value",
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
