"""The steps of a sequence, and what breaks it, as a text has them.

    steps = {login: web.page == "login", pay: {where: shop.page == "pay", within: 5min}, seen: mails},
    not = [web.page == "logout", {where: shop.page == "error", between: [login, pay]}]

A stream alone means each of its events. What cannot be written so is written as it stands in a document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lark import Token

from timeline_app.operators.parameters import STEPS
from timeline_app.plan.text.conditions import list_fields, qualify_fields, read_condition, split_field
from timeline_app.plan.text.literals import (
    get_token,
    is_literal,
    list_branches,
    name_of,
    read_value,
    strip_parentheses,
    unquote_text,
)
from timeline_app.plan.text.parser import Branch, SyntaxProblem
from timeline_app.plan.text.words import (
    is_duration,
    is_name,
    is_quotable,
    spell_json,
    spell_name,
    unquote_name,
)
from timeline_app.predicates import parse

Node = dict[str, Any]
SeeStream = Callable[[str, int], None]
"""`see(stream, offset)`: the text names a stream there."""


def render_steps(kind: str, raw: object) -> str | None:
    """Return a list of steps, or of what breaks them, without quotes; None where only JSON says it."""
    if not isinstance(raw, list) or not raw:
        return None
    named = kind == STEPS
    items = [_render_item(item, "name" if named else "") for item in raw]
    if any(item is None for item in items):
        return None
    if not named:
        return f"[{', '.join(item for item in items if item is not None)}]"
    names = [_spell_key(item["name"]) for item in raw]
    return f"{{{', '.join(f'{name}: {item}' for name, item in zip(names, items, strict=True))}}}"


def _spell_key(name: str) -> str:
    return name if is_name(name) else spell_json(name)


def _render_item(item: object, key: str) -> str | None:
    """Return one of them, its name aside."""
    if not isinstance(item, Mapping) or (key and not isinstance(item.get(key), str)):
        return None
    limits_left = {name: value for name, value in item.items() if name != key}
    stream, where = limits_left.pop("stream", None), limits_left.pop("where", None)
    if not is_quotable(stream) or not limits_left.keys() <= {"within" if key else "between"}:
        return None
    if "where" in item and not isinstance(where, str):
        return None
    limits = [_render_limit(name, value) for name, value in limits_left.items()]
    condition = None if where is None else _render_condition(where, str(stream))
    alone = spell_name(str(stream)) if where is None else condition
    if alone is not None and not limits:
        return alone
    fields = [f"where: {condition}"] if condition is not None else [f"stream: {spell_name(str(stream))}"]
    fields += [f"where: {spell_json(where)}"] if condition is None and where is not None else []
    return f"{{{', '.join([*fields, *limits])}}}"


def _render_condition(where: str, stream: str) -> str | None:
    """Return the condition with the stream before each field; None where no field would say which stream it is."""
    written = qualify_fields(where, spell_name(stream), parse)
    return None if written == where else written


def _render_limit(name: str, value: object) -> str:
    if name == "between" and isinstance(value, list) and value and all(_is_name(key) for key in value):
        return f"{name}: [{', '.join(value)}]"
    return f"{name}: {value if is_duration(value) else spell_json(value)}"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and is_name(value)


class StepsReader:
    """Reads steps, or what breaks them, from an expression; `see` receives their streams."""

    def __init__(self, text: str, proposed: str, see: SeeStream) -> None:
        self.text, self.proposed, self.see = text, proposed, see

    def read(self, kind: str, tree: Branch) -> Any:
        """Return the steps in the document's form. Raises `SyntaxProblem`."""
        tree = strip_parentheses(tree)
        if kind == STEPS and tree.data == "object":
            return [
                {"name": _read_key(pair), **self._item(list_branches(pair)[0])}
                for pair in list_branches(tree)
            ]
        if kind != STEPS and tree.data == "array":
            return [self._item(item) for item in list_branches(tree)]
        if is_literal(tree):
            return read_value(tree)
        hint = 'such as {login: web.page == "login", pay: shop.page == "pay"}'
        raise SyntaxProblem(tree.meta.start_pos, "this is no list of steps" if kind == STEPS else "this is no list",
                            hint if kind == STEPS else 'such as [web.page == "logout"]')  # fmt: skip

    def _item(self, tree: Branch) -> Node:
        tree = strip_parentheses(tree)
        if tree.data == "name":
            self.see(name_of(tree), tree.meta.start_pos)
            return {"stream": name_of(tree)}
        if tree.data == "object":
            return self._object(tree)
        if is_literal(tree):
            item: Node = read_value(tree)
            return item
        return self._condition(tree)

    def _condition(self, tree: Branch) -> Node:
        fields = list_fields(tree)
        where = read_condition(self.text, tree, self.proposed)
        if not fields:
            message = "this condition does not say of which stream it is"
            hint = f"write {{stream: {self.proposed}, where: {spell_json(where)}}}"
            raise SyntaxProblem(tree.meta.start_pos, message, hint)
        return {"stream": self._only_stream(fields), "where": where}

    def _only_stream(self, fields: list[Token]) -> str:
        stream = split_field(fields[0])[0]
        for field in fields[1:]:
            if split_field(field)[0] != stream:
                message = f"{field} is not a field of {stream}"
                raise SyntaxProblem(field.start_pos or 0, message, "a step is one event, of one stream")
        self.see(stream, fields[0].start_pos or 0)
        return stream

    def _object(self, tree: Branch) -> Node:
        node: Node = {}
        for pair in list_branches(tree):
            key, value = _read_key(pair), strip_parentheses(list_branches(pair)[0])
            if key == "where" and not is_literal(value):
                node |= self._condition(value)
            elif key == "stream" and value.data == "name":
                node["stream"] = name_of(value)
                self.see(name_of(value), value.meta.start_pos)
            else:
                node[key] = read_value(value, words=key == "between")
        return node


def _read_key(pair: Branch) -> str:
    key = get_token(pair)
    return unquote_text(key) if key.type == "TEXT" else unquote_name(str(key))
