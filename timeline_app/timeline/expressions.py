"""Streams and timelines; `calls` gives them the operators as methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from timeline_app.operators import operators
from timeline_app.operators.base import Operator
from timeline_app.plan.text.words import MAX_NAME_CHARS, MEANINGS, is_word
from timeline_app.problems.problem import suggest_nearest
from timeline_app.timeline.conditions import Untold
from timeline_app.timeline.help import to_python_name


class Stream:
    """A stream of events; its methods are the operators that read one."""

    __slots__ = ("declaration", "name")

    def __init__(self, name: str, declaration: Mapping[str, Any]) -> None:
        """`declaration` is empty where the stream is declared elsewhere."""
        self.name, self.declaration = name, MappingProxyType(dict(declaration))

    def __getattr__(self, name: str) -> Callable[..., Timeline]:
        """Asked only for what is missing, so it raises, with the hint."""
        raise AttributeError(_explain_missing(name, "stream", of_stream=True))

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.declaration.items())
        return f"stream({self.name!r}{options})"


def stream(name: str, **declaration: Any) -> Stream:
    """A stream by name; with options (`key`, `time`, `unit`, `zone`, `id`, `fields`, …) the plan declares it itself."""
    return Stream(name, declaration)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """What a timeline is made of, as a node of a plan document; `content` is equal where all of that is.

    `named` are the streams that its parameters name.
    """

    op: Operator
    stream: Stream | None
    inputs: Mapping[str, tuple[Timeline, ...]]
    params: Mapping[str, Any]
    content: str
    named: tuple[Stream, ...] = ()


class Timeline(Untold):
    """An expression that becomes a node of a plan; its methods are the operators that read timelines."""

    __hash__ = object.__hash__
    __slots__ = ("name", "node")

    def __init__(self, node: Node, name: str | None = None) -> None:
        """`name` is None where the plan may choose it."""
        self.node, self.name = node, name

    def named(self, name: str) -> Timeline:
        """Return the timeline under this name in every plan."""
        if not is_word(name) or len(name) > MAX_NAME_CHARS:
            raise ValueError(f"{name!r} cannot be the name of a node; use letters, digits and _")
        return Timeline(self.node, name)

    def __getattr__(self, name: str) -> Callable[..., Timeline]:
        """Asked only for what is missing, so it raises, with the hint."""
        raise AttributeError(_explain_missing(name, "timeline", of_stream=False))

    def __repr__(self) -> str:
        from timeline_app.timeline.plans import Plan  # noqa: PLC0415 (a plan is made of timelines)

        return Plan("", [self]).expression()

    def __eq__(self, other: object) -> Timeline:  # type: ignore[override]  # it builds an expression
        return _apply_infix("==", self, other)

    def __ne__(self, other: object) -> Timeline:  # type: ignore[override]
        return _apply_infix("!=", self, other)

    def __lt__(self, other: object) -> Timeline:
        return _apply_infix("<", self, other)

    def __le__(self, other: object) -> Timeline:
        return _apply_infix("<=", self, other)

    def __gt__(self, other: object) -> Timeline:
        return _apply_infix(">", self, other)

    def __ge__(self, other: object) -> Timeline:
        return _apply_infix(">=", self, other)

    def __add__(self, other: object) -> Timeline:
        return _apply_infix("+", self, other)

    def __sub__(self, other: object) -> Timeline:
        return _apply_infix("-", self, other)

    def __mul__(self, other: object) -> Timeline:
        return _apply_infix("*", self, other)

    def __truediv__(self, other: object) -> Timeline:
        return _apply_infix("/", self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: object) -> Timeline:
        raise TypeError(f"{other!r} stands on the left of -; write x * -1 + {other!r}")

    def __rtruediv__(self, other: object) -> Timeline:
        raise TypeError(f"{other!r} stands on the left of /; only a timeline can be divided")

    def __and__(self, other: object) -> Timeline:
        return _join_timelines("and", self, other)

    def __or__(self, other: object) -> Timeline:
        return _join_timelines("or", self, other)

    def __invert__(self) -> Timeline:
        inverted: Timeline = getattr(self, to_python_name("not"))()
        return inverted


def _apply_infix(sign: str, left: Timeline, right: object) -> Timeline:
    combined: Timeline = getattr(left, MEANINGS[sign])(right)
    return combined


def _join_timelines(word: str, left: Timeline, right: object) -> Timeline:
    """`a & b & c` is one node of three inputs."""
    flat = left.name is None and left.node.op.name == word
    first, *more = left.node.inputs["of"] if flat else (left,)
    joined: Timeline = getattr(first, to_python_name(word))(*more, right)
    return joined


def _explain_missing(name: str, owner: str, *, of_stream: bool) -> str:
    needs = {to_python_name(op.name): op.needs_stream for op in operators().values()}
    if name in needs:
        return f"{name} is an operator of a {'stream' if needs[name] else 'timeline'}, not of a {owner}"
    hint = suggest_nearest(name, [item for item, leaf in needs.items() if leaf is of_stream])
    return f"a {owner} has no operator {name!r}; {hint}"
