"""Build conditions and expressions from what the grammar finds, bottom-up; each refusal names the place."""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from typing import Any, NoReturn

from lark import Token, Transformer

from timeline_app.predicates.choice import Absent, Choice
from timeline_app.predicates.expressions import Arithmetic, Constant, Expression, FieldValue
from timeline_app.predicates.functions import CLOCKS, FUNCTIONS, ClockReading, FunctionCall
from timeline_app.predicates.moments import TIME_NAME, Elapsed, EventTime, Moment, make_time
from timeline_app.predicates.relations import (
    TEXT_TESTS,
    AbsentValue,
    Relation,
    TextTest,
    find_pattern_problem,
)
from timeline_app.predicates.tree import (
    MIRRORED,
    Always,
    Comparison,
    Literal,
    Missing,
    Not,
    Predicate,
    build_junction,
    build_membership,
)
from timeline_app.problems.spelling import close_names
from timeline_app.times.zones import list_zones

MAX_DEPTH = 100
MAX_EXACT = 2**53
"""From here on, a float cannot distinguish neighbouring integers."""
_MICROS = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
TOO_DEEP = f"nested more than {MAX_DEPTH} deep; write it flatter, or as several nodes"
_NAMES_OF_FUNCTIONS = sorted([*FUNCTIONS, *TEXT_TESTS, *CLOCKS, "if", TIME_NAME])
_CALLS = ", ".join(_NAMES_OF_FUNCTIONS)
_ELSEWHERE = {
    **dict.fromkeys(("len", "size", "strlen", "charlength"), "length"),
    **dict.fromkeys(("lcase", "tolower", "tolowercase"), "lower"),
    **dict.fromkeys(("ucase", "toupper", "touppercase"), "upper"),
    **dict.fromkeys(("startswith", "beginswith", "hasprefix", "prefix"), "starts_with"),
    **dict.fromkeys(("endswith", "hassuffix", "suffix"), "ends_with"),
    **dict.fromkeys(("includes", "has", "instr", "strpos"), "contains"),
    **dict.fromkeys(("regexp", "regexpmatches", "regex", "rlike", "match"), "matches"),
    **dict.fromkeys(("ifnull", "nvl", "isnull", "nullif"), "coalesce"),
    **dict.fromkeys(("iif", "case", "when", "ifelse"), "if"),
    **dict.fromkeys(("dayofweek", "isodow", "dow", "day"), "weekday"),
    "greatest": "max", "least": "min", "strip": "trim", "ceiling": "ceil",
    **dict.fromkeys(("timestamp", "totimestamp", "date", "datetime"), TIME_NAME),
}  # fmt: skip
"""Names of functions in other languages, without underscores."""

Part = Predicate | Expression


class PredicateError(ValueError):
    """A predicate that cannot be read, with the place and what was expected there."""


class _TreeBuilder(Transformer[Token, Part]):
    """One method for each rule of the grammar."""

    def field(self, children: list[Token]) -> Expression:
        return FieldValue(str(children[0]).strip("`"))

    def literal(self, children: list[Token]) -> Expression:
        return Constant(_read_literal(children[0]))

    def absent(self, _: list[Token]) -> Expression:
        return Absent()

    def group(self, children: list[Part]) -> Part:
        return children[0]

    def signed(self, children: list[Any]) -> Part:
        sign, part = children[0], require_value(children[1], children[0])
        if isinstance(part, Constant) and type(part.value) is float:
            return Constant((-part.value if sign == "-" else part.value) + 0.0)
        return _refuse_deep(Arithmetic(str(sign), Constant(0.0), part)) if sign == "-" else part

    def arithmetic(self, children: list[Any]) -> Part:
        left, sign, right = children
        return _refuse_deep(
            _make_arithmetic(str(sign), require_value(left, sign), require_value(right, sign))
        )

    def call(self, children: list[Any]) -> Part:
        return _refuse_deep(_make_call(children[0], children[1:]))

    def comparison(self, children: list[Any]) -> Part:
        left, symbol, right = children
        return _refuse_deep(
            make_comparison(require_value(left, symbol), symbol, require_value(right, symbol))
        )

    def membership(self, children: list[Any]) -> Part:
        of, *items = (require_value(child) for child in children)
        if isinstance(of, FieldValue) and all(isinstance(item, Constant) for item in items):
            return build_membership(
                of.name, tuple(item.value for item in items if isinstance(item, Constant))
            )
        return _refuse_deep(build_junction("or", [make_comparison(of, "==", item) for item in items]))

    def missing(self, children: list[Any]) -> Part:
        of = require_value(children[0])
        if isinstance(of, Constant):
            raise PredicateError(f"{of} is never missing; write a field")
        return Missing(of.name) if isinstance(of, FieldValue) else AbsentValue(of)

    def present(self, children: list[Any]) -> Part:
        return Not(require_condition(self.missing(children)))

    def negation(self, children: list[Any]) -> Part:
        return _refuse_deep(require_condition(children[0]).negate())

    def both(self, children: list[Any]) -> Part:
        return _refuse_deep(build_junction("and", map(require_condition, children)))

    def either(self, children: list[Any]) -> Part:
        return _refuse_deep(build_junction("or", map(require_condition, children)))


def make_tree_builder() -> Transformer[Token, Part]:
    """Return what the parser calls for each rule, while it reads."""
    return _TreeBuilder()


def require_condition(part: Part) -> Predicate:
    """Return a condition; refuse a lone value."""
    if isinstance(part, Predicate):
        return part
    if isinstance(part, Constant) and isinstance(part.value, bool):
        return Always(part.value)
    raise PredicateError(f"{part} alone is no condition; compare it, such as {part} == true or {part} > 3")


def require_value(part: Part, token: Token | None = None) -> Expression:
    """Return a value; refuse a condition, and a meaningless `missing`."""
    if isinstance(part, Absent):
        raise PredicateError(f"{_place(token)}{_describe_absent(token)}")
    if isinstance(part, Expression):
        return part
    if isinstance(part, Always):
        return Constant(part.value)
    raise PredicateError(
        f"{_place(token)}a condition stands where a value is expected: {part.text()}; write it alone,"
        " without a comparison, or choose with if(condition, a, b)"
    )


def make_comparison(left: Expression, symbol: str, right: Expression) -> Predicate:
    """Compare two values, in the one order to which both spellings are normalised."""
    location = _place(symbol) if isinstance(symbol, Token) else ""
    if isinstance(left, Constant) and isinstance(right, Constant):
        raise PredicateError(f"{location}both sides are values; write a field on one side")
    if isinstance(left, Constant) or (not isinstance(right, Constant) and right.text() < left.text()):
        left, symbol, right = right, MIRRORED[symbol], left
    if isinstance(left, FieldValue) and isinstance(right, Constant):
        return Comparison(left.name, str(symbol), right.value)
    return Relation(left, str(symbol), right)


def _make_call(name: Token, arguments: list[Part]) -> Part:
    if name == "if":
        _require_count(name, arguments, 3, 3)
        return _make_choice(name, *arguments)
    if name in TEXT_TESTS:
        return _make_text_test(name, arguments)
    if name in CLOCKS:
        return _make_clock(name, arguments)
    if name == TIME_NAME:
        return _make_time(name, arguments)
    if name not in FUNCTIONS:
        _refuse(name, f"there is no function {str(name)!r}; {_suggest_function(str(name))}")
    function = FUNCTIONS[name]
    _require_count(name, arguments, function.least, function.most)
    return FunctionCall(str(name), tuple(require_value(argument, name) for argument in arguments))


def _suggest_function(name: str) -> str:
    """Return the functions with a similar name or the same meaning elsewhere; all functions if there are none."""
    usual = _ELSEWHERE.get(name.lower().replace("_", ""))
    close = [usual] if usual else close_names(name, _NAMES_OF_FUNCTIONS, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else f"there are {_CALLS}"


def _make_choice(name: Token, condition: Part, then: Part, otherwise: Part) -> Expression:
    if isinstance(then, Absent) and isinstance(otherwise, Absent):
        _refuse(name, "both values of `if` are missing; write what it gives as one of them")
    values = (part if isinstance(part, Absent) else require_value(part, name) for part in (then, otherwise))
    return Choice(require_condition(condition), *values)


def _describe_absent(token: Token | None) -> str:
    if token is not None and str(token) in MIRRORED:
        return "write 'is missing' instead of a comparison with missing"
    return "missing stands for no value here; only if(condition, a, missing) takes it"


def _make_clock(name: Token, arguments: list[Part]) -> Expression:
    _require_count(name, arguments, 0, 1)
    zone = arguments[0].value if arguments and isinstance(arguments[0], Constant) else None
    if arguments and zone not in list_zones():
        _refuse(
            name, f'{name} takes the name of a zone, such as {name}("Europe/Berlin"); {arguments[0]} is none'
        )
    return ClockReading(str(name), None if zone in (None, "UTC") else str(zone))


def _make_arithmetic(sign: str, left: Expression, right: Expression) -> Expression:
    if sign == "-" and isinstance(left, Moment) and isinstance(right, Moment):
        return Elapsed(left, right)
    return Arithmetic(sign, left, right)


def _make_time(name: Token, arguments: list[Part]) -> Expression:
    _require_count(name, arguments, 0, 3)
    if not arguments:
        return EventTime()
    try:
        return make_time(*(require_value(argument, name) for argument in arguments))
    except ValueError as error:
        _refuse(name, str(error))


def _make_text_test(name: Token, arguments: list[Part]) -> Predicate:
    _require_count(name, arguments, 2, 2)
    of, text = (require_value(argument, name) for argument in arguments)
    if not isinstance(text, Constant) or not isinstance(text.value, str):
        _refuse(name, f'{name} looks for a text in quotes, such as {name}({of}, "a")')
    problem = find_pattern_problem(text.value) if name == "matches" else None
    if problem is not None:
        _refuse(name, f"{text} is no pattern of RE2: {problem}")
    return TextTest(str(name), of, text.value)


def _require_count(name: Token, arguments: list[Part], least: int, most: int) -> None:
    if not least <= len(arguments) <= most:
        takes = str(least) if least == most else f"{least} to {most}"
        _refuse(
            name, f"{name} takes {takes} value{'s' if takes != '1' else ''}, and is given {len(arguments)}"
        )


def _refuse(token: Token, words: str) -> NoReturn:
    raise PredicateError(_place(token) + words)


def _place(token: Token | None) -> str:
    return "" if token is None else f"line {token.line}, column {token.column}: "


def _refuse_deep(part: Part) -> Part:
    """Refuse deep nesting while reading, since each level may be rewritten."""
    if part.depth() > MAX_DEPTH:
        raise PredicateError(TOO_DEEP)
    return part


def _read_literal(token: Token) -> Literal:
    if token.type == "BOOL":
        return str(token).startswith("t")
    return _read_text(token) if token.type == "TEXT" else _number(token)


def _read_text(token: Token) -> str:
    try:
        text = str(ast.literal_eval(str(token)))
    except ValueError as problem:  # Python before 3.11.4 raises this for NUL
        raise SyntaxError(str(problem)) from None
    if not is_unicode(text):
        raise PredicateError(f"line {token.line}, column {token.column}: {token!s} is no Unicode text")
    return text


def _number(token: Token) -> float:
    if token.type == "DURATION":
        return _read_seconds(token)
    number = float(token)
    if abs(number) >= MAX_EXACT and str(token).lstrip("+-").isdecimal():
        raise PredicateError(
            f"line {token.line}, column {token.column}: the number {token!s} is beyond 2**53, up to which numbers"
            f' keep all digits; declare the field text and compare it with "{token!s}"'
        )
    if not math.isfinite(number):
        raise PredicateError(f"line {token.line}, column {token.column}: the number {token!s} is too large")
    return number


def _read_seconds(token: Token) -> float:
    """Return a duration as a number of seconds."""
    digits = str(token).rstrip("usmindh")
    return float(Fraction(digits) * _MICROS[str(token)[len(digits) :]] / 1_000_000)


def is_unicode(text: str) -> bool:
    """Return whether a text can be encoded; JSON can express lone surrogates, which cannot."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)
