"""What Python's `help`, `dir` and completion say of an operator, from its declaration."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter as Argument
from inspect import Signature
from keyword import iskeyword

from timeline_app.operators.base import Operator
from timeline_app.operators.ports import Parameter, Port


def to_python_name(name: str) -> str:
    """The name of an operator, port or parameter where Python's keywords are in the way: `and_`, `if_`."""
    return f"{name}_" if iskeyword(name) else name


def list_slots(op: Operator) -> list[Port | Parameter]:
    """Its ports, then its parameters."""
    return [*op.ports, *op.parameters]


def build_signature(op: Operator) -> Signature:
    """Stream or ports first, then parameters; what may be left out at the end."""
    stream = [Argument("stream", Argument.POSITIONAL_ONLY)] if op.needs_stream else []
    perhaps = [_STREAM] if op.takes_stream and not op.needs_stream else []
    required = [_build_argument(item) for item in list_slots(op) if item.required]
    optional = [_build_argument(item) for item in list_slots(op) if not item.required]
    return Signature([*stream, *required, *perhaps, *optional])


_STREAM = Argument("stream", Argument.POSITIONAL_OR_KEYWORD, default=None)


def format_help(op: Operator) -> str:
    """Summary and description, then what each argument takes."""
    lines = "\n".join(f"    {line}" for line in _describe_arguments(op))
    return "\n\n".join(part for part in (op.summary, op.description, lines) if part)


def _describe_arguments(op: Operator) -> Iterator[str]:
    for port in op.ports:
        kinds = " or ".join(kind.value for kind in port.kinds) + (port.how_many and f", {port.how_many}")
        need = "" if port.required else ", optional"
        yield f"{to_python_name(port.name)}: {kinds}{', steady' if port.steady else ''}{need}"
    for parameter in op.parameters:
        choices = parameter.type.shown_choices
        shape = choices or f"{parameter.type.name}, such as {parameter.type.placeholder}"
        yield f"{to_python_name(parameter.name)}: {shape}{_describe_need(parameter)}"
    if op.one_of:
        yield f"give exactly one of {', '.join(op.one_of)}"


def _describe_need(parameter: Parameter) -> str:
    if parameter.default is not None:
        return f" (default {parameter.type.spell(parameter.default)})"
    return "" if parameter.required else ", optional"


def _build_argument(item: Port | Parameter) -> Argument:
    if isinstance(item, Port) and item.many and item.required:
        return Argument(to_python_name(item.name), Argument.VAR_POSITIONAL)
    default = None if isinstance(item, Port) or item.default is None else item.type.spell(item.default)
    default_shown = Argument.empty if item.required else default
    return Argument(to_python_name(item.name), Argument.POSITIONAL_OR_KEYWORD, default=default_shown)
