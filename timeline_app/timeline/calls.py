"""The operators as functions, and as methods of what they read first: all from their declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from timeline_app.operators import operators
from timeline_app.operators.base import Operator
from timeline_app.timeline.arguments import build_node
from timeline_app.timeline.expressions import Stream, Timeline
from timeline_app.timeline.help import build_signature, format_help, to_python_name


def _build_function(op: Operator) -> Callable[..., Timeline]:
    def build(*arguments: Any, **named: Any) -> Timeline:
        return Timeline(build_node(op, arguments, named))

    build.__name__ = build.__qualname__ = to_python_name(op.name)
    build.__module__ = __package__ or __name__
    build.__doc__ = format_help(op)
    build.__signature__ = build_signature(op)  # type: ignore[attr-defined]
    return build


def _build_functions() -> dict[str, Callable[..., Timeline]]:
    functions = {}
    for op in operators().values():
        name = to_python_name(op.name)
        functions[name] = _build_function(op)
        for owner in _list_owners(op):
            if name in dir(owner):
                raise TypeError(
                    f"{name} is an attribute of every {owner.__name__}; call the operator something else"
                )
            setattr(owner, name, functions[name])
    return functions


def _list_owners(op: Operator) -> list[type[Stream | Timeline]]:
    """Return the classes that get the call as a method, by its first argument.

    An operator whose parameters name its streams has none.
    """
    if op.reads_streams:
        return []
    leaf = op.takes_stream and not any(port.required for port in op.ports)
    return [*([Stream] if leaf else []), *([] if op.needs_stream else [Timeline])]


FUNCTIONS: Mapping[str, Callable[..., Timeline]] = MappingProxyType(_build_functions())
"""By name, as Python spells it; the stream or the first input comes first."""
