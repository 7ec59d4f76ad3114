"""Conditions on events: their fields carry the name of the stream in a text, and do not in a document."""

from __future__ import annotations

import re
from collections.abc import Callable

from lark import Token

from timeline_app.operators.parameters import COMPUTED
from timeline_app.plan.text.literals import get_token, is_literal, list_branches, name_of, strip_parentheses
from timeline_app.plan.text.parser import Branch, SyntaxProblem
from timeline_app.plan.text.words import RESERVED, unquote_name
from timeline_app.predicates import PredicateError, find_field_spans, parse, parse_expression
from timeline_app.predicates.functions import CLOCKS
from timeline_app.predicates.moments import TIME_NAME

COMPUTED_FORMS = ("sum", "product", "signed", "call")
"""The forms of expressions that compute a value of one event from its fields."""
_JOINING = ("disjunction", "conjunction", "inversion", "group")
_QUALIFIED = re.compile(r"(`[^`]*`|\w+)\.(.*)")
_BLANKS = re.compile(r"\s++")


def split_field(field: Token) -> tuple[str, str]:
    """Return the stream and the field that a qualified name means."""
    match = _QUALIFIED.fullmatch(field)
    assert match is not None
    return unquote_name(match[1]), unquote_name(match[2])


def list_fields(tree: Branch) -> list[Token]:
    """Return the qualified fields of an expression, in the order of the text."""
    tokens = [get_token(tree)] if tree.data == "field" else []
    tokens += [get_token(part) for part in tree.find_data("field") if part is not tree]
    return sorted(tokens, key=lambda field: field.start_pos or 0)


def read_condition(text: str, tree: Branch, stream: str) -> str:
    """Return a condition in the document's form: on one line, its fields without the stream.

    Raises `SyntaxProblem`; `stream` is proposed where a field names none.
    """
    _check(tree, stream)
    return _read_without_stream(text, tree, "condition", parse)


def read_expression(text: str, tree: Branch, stream: str) -> str:
    """Return an expression in the document's form, after `=`. Raises `SyntaxProblem`."""
    check_value(tree, stream, durations=_reads_time(tree))
    return f"{COMPUTED} {_read_without_stream(text, tree, 'expression', parse_expression)}"


def _read_without_stream(text: str, tree: Branch, subject: str, read: Callable[[str], object]) -> str:
    pieces, start = [], tree.meta.start_pos
    for field in list_fields(tree):
        pieces.append(text[start : field.start_pos])
        start = (field.start_pos or 0) + _QUALIFIED.fullmatch(field).start(2)  # type: ignore[union-attr]
    written = _BLANKS.sub(_join_blanks, "".join([*pieces, text[start : tree.meta.end_pos]]))
    try:
        read(written)
    except PredicateError as error:
        message, hint = f"the {subject} {written[:60]!r} cannot be read", str(error)
        raise SyntaxProblem(tree.meta.start_pos, message, hint) from None
    return written


def is_reading_clock(tree: Branch) -> bool:
    """Return whether it asks when the event was: that needs no field."""
    calls = any(name_of(part) in CLOCKS for part in tree.find_data("call"))
    return calls or any(map(_is_time, tree.iter_subtrees()))


def _is_time(part: Branch) -> bool:
    """Return whether it is the event's time, `time`, or a field read as one, `time(order.placed_at)`."""
    return part.data in ("name", "call") and name_of(part) == TIME_NAME


def _reads_time(tree: Branch) -> bool:
    """Return whether seconds between times may be compared in it."""
    named = any(split_field(field)[1] == TIME_NAME for field in list_fields(tree))
    return named or any(map(_is_time, tree.iter_subtrees()))


def is_always(tree: Branch) -> bool:
    """Return whether it is the condition that every event meets, or none."""
    return tree.data == "constant" and get_token(tree) in ("true", "false")


def _join_blanks(blanks: re.Match[str]) -> str:
    return " " if "\n" in blanks[0] else blanks[0]


def qualify_fields(written: str, stream: str, read: Callable[[str], object]) -> str | None:
    """What `read` takes, with the stream's written name before each field; None where only quotes can carry it."""
    try:
        read(written)
        spans = _select_qualified(written)
    except PredicateError:
        return None
    if written != written.strip() or any(sign in written for sign in "\n\r\0"):
        return None
    ends = [0, *(start for start, _ in spans)]
    return f"{stream}.".join(written[a:b] for a, b in zip(ends, [*ends[1:], len(written)], strict=True))


def _select_qualified(written: str) -> list[tuple[int, int]]:
    """Return the fields that say the stream; the event's time needs none where another one says it."""
    spans = find_field_spans(written)
    sides = [(start, end) for start, end in spans if written[start:end] != TIME_NAME]
    return sides or spans


def _check(tree: Branch, stream: str) -> None:
    """Refuse an invalid condition, at its first invalid place."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if part.data in _JOINING:
            waiting += reversed(list_branches(part))
        elif part.data in ("comparison", "membership", "missing", "present"):
            _check_comparison(part, stream)
        elif part.data == "call":
            check_value(part, stream)
        elif is_always(part):
            continue
        else:
            raise _refuse_condition(part, stream)


def _check_comparison(part: Branch, stream: str) -> None:
    subject, *sides = list_branches(part)
    if not list_fields(part) and not is_reading_clock(part):
        raise _refuse_missing_field(subject, sides, stream)
    for side in (subject, *sides):
        if side.data == "name" and not _is_time(side):
            raise _refuse_name_as_value(part, side, stream)
        check_value(side, stream, durations=_reads_time(part))


def check_value(tree: Branch, stream: str, *, durations: bool = False) -> None:
    """Refuse an invalid value of an event, at its first invalid place."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if part.data == "field":
            _check_field(part)
        elif part.data in ("sum", "product", "signed", "group"):
            waiting += reversed(list_branches(part))
        elif part.data == "call" and name_of(part) == "if" and list_branches(part):
            _check(list_branches(part)[0], stream)
            waiting += reversed(list_branches(part)[1:])
        elif part.data == "call" or _is_time(part):
            waiting += reversed(list_branches(part))
        elif part.data == "name":
            raise refuse_unqualified(part, stream)
        elif part.data == "absent":
            continue  # where it may stand is for the predicate to say
        elif not is_literal(part) or part.data in ("array", "object"):
            message = "a condition compares values of one event"
            raise SyntaxProblem(
                part.meta.start_pos, message, "write a literal, a field, or what is computed from them"
            )
        elif part.data == "duration" and not durations:
            message = (
                f"{get_token(part)} is a duration; a field is compared with a number, a text, true or false"
            )
            raise SyntaxProblem(part.meta.start_pos, message, "write a number of the field's own unit")


def _check_field(part: Branch) -> None:
    named, field = str(get_token(part)).rsplit(".", 1) if "`" not in get_token(part) else ("", "")
    if field in RESERVED[:8]:
        message = f"{field!r} is a word of the language"
        raise SyntaxProblem(part.meta.start_pos, message, f"write it in backquotes: {named}.`{field}`")


def _refuse_name_as_value(comparison: Branch, part: Branch, stream: str) -> SyntaxProblem:
    """Refuse a name in a comparison: a field that does not say of which stream it is, or a text without quotes."""
    subject = list_branches(comparison)[0]
    if part is subject:
        return refuse_unqualified(part, stream)
    message = (
        f"a condition compares the field {get_token(subject)} with a value"
        if subject.data == "field"
        else ("a condition compares values of one event")
    )
    return SyntaxProblem(part.meta.start_pos, message, f'write a text in quotes: "{name_of(part)}"')


def _refuse_missing_field(subject: Branch, sides: list[Branch], stream: str) -> SyntaxProblem:
    if subject.data == "name":
        return refuse_unqualified(subject, stream)
    flipped = any(strip_parentheses(other).data == "field" for other in sides)
    hint = "write the field first" if flipped else f'such as {stream}.player_state == "play"'
    return SyntaxProblem(subject.meta.start_pos, "a condition compares a field with a value", hint)


def refuse_unqualified(subject: Branch, stream: str) -> SyntaxProblem:
    """Refuse a field that does not say of which stream it is."""
    name = str(get_token(subject))
    message = f"{name} does not say of which stream it is a field"
    return SyntaxProblem(subject.meta.start_pos, message, f"name the stream: {stream}.{name}")


def _refuse_condition(part: Branch, stream: str) -> SyntaxProblem:
    if part.data == "field":
        hint = f"compare it: {get_token(part)} == true, or {get_token(part)} is not missing"
        return SyntaxProblem(part.meta.start_pos, f"{get_token(part)} alone is no condition", hint)
    if part.data == "name":
        return refuse_unqualified(part, stream)
    message = "a condition is about the fields of one event; this is an expression of timelines"
    hint = f'such as {stream}.player_state == "play"; give what is computed a statement of its own'
    return SyntaxProblem(part.meta.start_pos, message, hint)
