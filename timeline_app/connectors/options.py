"""Options of sources, sinks and notifiers: the parameters of a class, with help, kinds and checks.

`describe` presents them to a page; `read` validates the filled-in values and reports all problems at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal, get_args, get_origin

MAX_OPTION_CHARS = 4_096
"""The default limit of a text option, which is stored, shown and audited as it is."""
MAX_NAME_CHARS = 255
MAX_CERTIFICATE_CHARS = 65_536


class OptionKind(StrEnum):
    """The type of an option's values."""

    TEXT = "text"
    WHOLE = "whole"
    NUMBER = "number"
    BOOL = "bool"
    CHOICE = "choice"


Check = Callable[[Any], str | None]
"""Says what is wrong with a value, and what to do; None where it is right."""


@dataclass(frozen=True, slots=True)
class Option:
    """The meaning of an option, in a sentence; `secret` options are stored encrypted and never shown again.

    `folder` names a directory of the servers, of which only some may be read. `unit` is the unit of a number.
    `guards` decides how secrets are sent, such as encryption: when it changes, they must be entered again. Of an
    `address` only scheme and host are shown, since path and query may hold a token; it is stored encrypted. `most`
    limits the characters of a text.
    """

    help: str
    check: Check | None = None
    secret: bool = False
    folder: bool = False
    unit: str = ""
    guards: bool = False
    address: bool = False
    most: int = MAX_OPTION_CHARS


class BadKind(TypeError):
    """A class whose parameters declare no options; the message says which, and how to fix it."""


class BadOptions(ValueError):
    """Options that cannot be used; `problems` lists them as (option, what is wrong and what to do)."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{name}: {words}" for name, words in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Described:
    """An option as a page shows it; `default` is None where it is `required`."""

    name: str
    kind: OptionKind
    help: str
    required: bool
    default: Any = None
    choices: tuple[str, ...] = ()
    secret: bool = False
    folder: bool = False
    unit: str = ""
    guards: bool = False
    most: int = MAX_OPTION_CHARS
    check: Check | None = field(default=None, compare=False)
    address: bool = False

    def problem(self, value: object) -> str | None:
        """Say what is wrong with a value, and what to do."""
        kinds = _TAKES[self.kind]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            hidden = self.secret or self.address
            return f"must be {_WORDS[self.kind]}, not {'a secret' if hidden else _shorten_value(value)}"
        if isinstance(value, str) and len(value) > self.most:
            return f"has {len(value):,} characters; at most {self.most:,} are possible: shorten it"
        if self.kind is OptionKind.CHOICE and value not in self.choices:
            return f"must be one of {', '.join(self.choices)}, not {_shorten_value(value)}"
        if self.required and value == "":
            return "is needed and is empty"
        if isinstance(value, str) and "\0" in value:  # C libraries end a text there
            return "has a character that nobody can type (NUL): take it out"
        return self.check(value) if self.check else None


_TAKES: dict[OptionKind, tuple[type, ...]] = {
    OptionKind.TEXT: (str,),
    OptionKind.WHOLE: (int,),
    OptionKind.NUMBER: (int, float),
    OptionKind.BOOL: (bool,),
    OptionKind.CHOICE: (str,),
}
_WORDS = {
    OptionKind.TEXT: "text",
    OptionKind.WHOLE: "a whole number",
    OptionKind.NUMBER: "a number",
    OptionKind.BOOL: "true or false",
    OptionKind.CHOICE: "one of its choices",
}
_KINDS = {str: OptionKind.TEXT, int: OptionKind.WHOLE, float: OptionKind.NUMBER, bool: OptionKind.BOOL}


def describe(kind: type) -> tuple[Described, ...]:
    """Return the options of a class in the order of its parameters. Raises `BadKind` for an incomplete declaration."""
    parameters = inspect.signature(kind, eval_str=True).parameters.values()
    return tuple(_describe_parameter(kind, parameter) for parameter in parameters)


def read(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with defaults filled in. Raises `BadOptions` with all problems."""
    options_by_name = {item.name: item for item in describe(kind)}
    problems = [(name, _explain_unknown(options_by_name)) for name in values if name not in options_by_name]
    for name, option in options_by_name.items():
        if name in values:
            problem = option.problem(values[name])
            problems += [(name, problem)] if problem else []
        elif option.required:
            problems.append((name, f"is needed: {option.help}"))
    if problems:
        raise BadOptions(problems)
    return {name: values.get(name, option.default) for name, option in options_by_name.items()}


def _explain_unknown(options: Mapping[str, Described]) -> str:
    return f"is no option here; there are {', '.join(options) or 'none'}"


def _describe_parameter(kind: type, parameter: inspect.Parameter) -> Described:
    words = f"{kind.__name__}({parameter.name})"
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
        raise BadKind(
            f"{words}: every option has a name of its own; write it out instead of *{parameter.name}"
        )
    hint = parameter.annotation
    option = next((item for item in getattr(hint, "__metadata__", ()) if isinstance(item, Option)), None)
    if get_origin(hint) is not Annotated or option is None:
        raise BadKind(f'{words}: say what it means: {parameter.name}: Annotated[str, Option("…")]')
    inner_type = get_args(hint)[0]
    choices = tuple(get_args(inner_type)) if get_origin(inner_type) is Literal else ()
    if not choices and inner_type not in _KINDS:
        raise BadKind(f"{words}: an option is str, int, float, bool or a Literal of texts, not {inner_type}")
    required = parameter.default is parameter.empty
    return Described(
        parameter.name,
        OptionKind.CHOICE if choices else _KINDS[inner_type],
        option.help,
        required,
        None if required else parameter.default,
        choices,
        option.secret,
        option.folder,
        option.unit,
        option.guards,
        option.most,
        option.check,
        option.address,
    )


def _shorten_value(value: object) -> str:
    """Return the beginning of a value; of a list or object, only its type."""
    return (
        repr(value)[:60] if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__
    )
