"""Reads an operator's declaration from its function's signature: ports, parameters and needed context."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NewType, TypeVar, get_args, get_origin, get_type_hints

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Kind, Scalar
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.parameters import ParameterType
from timeline_app.predicates import Expression, Predicate
from timeline_app.times.periods import PERIODS


@dataclass(frozen=True, slots=True)
class Port:
    """An input: which kinds it takes, whether several, whether it may be left open.

    `like` names a port whose kind it must have.
    """

    name: str
    kinds: tuple[Kind, ...]
    many: bool = False
    required: bool = True
    steady: bool = False
    like: str = ""
    accumulates: bool = False

    @property
    def least(self) -> int:
        """How many inputs it needs; one that takes several, and may be left open, is content with one."""
        return int(self.required) * (2 if self.many else 1)

    @property
    def how_many(self) -> str:
        """In words, where it takes several."""
        return ("two or more" if self.required else "one or more") if self.many else ""

    def describe(self) -> dict[str, Any]:
        """Describe it as JSON."""
        return {
            "name": self.name,
            "title": self.name,
            "kinds": [kind.value for kind in self.kinds],
            "many": self.many,
            "minimum": self.least,
            "required": self.required,
            "help": self._help,
        }

    @property
    def _help(self) -> str:
        if self.accumulates:
            return "counts, sums, durations and integrals only"
        return "steady numbers only" if self.steady else ""


_COMPUTED_HELP = "A field, or what is computed, behind =, such as = price * quantity"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its type, whether it may be left out, its default."""

    name: str
    type: ParameterType
    required: bool = True
    default: object = None

    def describe(self) -> dict[str, Any]:
        """Describe it as JSON."""
        return {
            "name": self.name,
            "title": self.name.replace("_", " ").capitalize(),
            "type": self.type.name,
            "required": self.required,
            "choices": list(self.type.choices),
            "percentiles": self.type.percentiles,
            "default": None if self.default is None else self.type.spell(self.default),
            "help": _COMPUTED_HELP if self.type.computed else "",
            "placeholder": self.type.placeholder,
        }


@dataclass(frozen=True, slots=True)
class PortType:
    """The mark of an input port in a signature."""

    kinds: tuple[Kind, ...]
    steady: bool = False
    like: str = ""
    accumulates: bool = False


_STATES = (Kind.TEXT, Kind.BOOL, Kind.NUMBER)

Bool = Annotated[Timelines, PortType((Kind.BOOL,))]
Text = Annotated[Timelines, PortType((Kind.TEXT,))]
Number = Annotated[Timelines, PortType((Kind.NUMBER,))]
SteadyNumber = Annotated[Timelines, PortType((Kind.NUMBER,), steady=True)]
Accumulating = Annotated[Timelines, PortType((Kind.NUMBER,), accumulates=True)]
AnyNumber = Annotated[Timelines, PortType((Kind.NUMBER, Kind.RATIO))]
AnyCondition = Annotated[Timelines, PortType((Kind.BOOL, Kind.NUMBER, Kind.RATIO))]
SteadyMeasure = Annotated[Timelines, PortType((Kind.NUMBER, Kind.BOOL), steady=True)]
State = Annotated[Timelines, PortType(_STATES, steady=True)]
SameState = Annotated[Timelines, PortType(_STATES, steady=True, like="of")]
Anything = Annotated[Timelines, PortType((*_STATES, Kind.RATIO))]
SameKind = Annotated[Timelines, PortType((*_STATES, Kind.RATIO), like="of")]
Many = Sequence
Streams = Mapping[str, Events]
"""The events of the streams that the parameters of a leaf name, by stream."""
LastEvent = NewType("LastEvent", int)
"""The greatest event time in the streams below, microseconds; `BEGINNING` where there is none."""
ResultKind = Annotated[Kind, "result"]
"""The kind of the result, as the check found it."""

Where = Annotated[Predicate, ParameterType("predicate", 'player_state == "play"')]
Duration = Annotated[int, ParameterType("duration", "5s")]
Field = Annotated[str, ParameterType("field", "player_state")]
FieldOrExpression = Annotated[str | Expression, ParameterType("field", "player_state", computed=True)]
Value = Annotated[Scalar, ParameterType("value", "buffer")]
Zone = Annotated[str, ParameterType("zone", "Europe/Copenhagen")]
ClockTime = Annotated[int, ParameterType("clock", "08:00")]
Days = Annotated[tuple[int, ...], ParameterType("days", "mon-fri")]
Period = Annotated[str, ParameterType("choice", "1d", choices=PERIODS)]
Amount = Annotated[float, ParameterType("number", "5")]
Side = Annotated[str, ParameterType("choice", "before", ("at", "before"))]
"""Whether an instant itself counts, or the moment just before it."""

Frontier = NewType("Frontier", int)
"""The time reached in the streams below, over all their keys, in microseconds."""
Since = NewType("Since", int)
"""Results before this time need not be right: nobody reads them."""
Before = Annotated[Carried | None, "carried"]
"""What the operator remembers of keys that are folded; None where none is."""
CONTEXT = (LastEvent, ResultKind, Since, Before, Frontier)


@dataclass(frozen=True, slots=True)
class Signature:
    """A function as the declaration of an operator; `context` names the arguments of its surroundings.

    `events` says whether it takes the events of a stream, `reads_streams` whether its parameters name the streams that
    it reads, perhaps several.
    """

    name: str
    summary: str
    description: str
    ports: tuple[Port, ...]
    parameters: tuple[Parameter, ...]
    context: tuple[str, ...]
    output: Kind | None
    events: bool
    reads_streams: bool = False

    @classmethod
    def from_function(cls, function: Callable[..., Timelines]) -> Signature:
        """Read it; raises `TypeError` with the hint where it cannot be used."""
        hints = get_type_hints(function, include_extras=True)
        output = _find_port_type(hints.pop("return", None))
        if output is None:
            raise TypeError(f"{function.__name__}: annotate what it returns as Bool, Text, Number or State")
        summary, _, description = inspect.cleandoc(function.__doc__ or "").partition("\n")
        if not summary:
            raise TypeError(f"{function.__name__}: write a docstring; its first line is shown on the palette")
        ports, parameters = _read_arguments(function, hints)
        context = tuple(name for name, hint in hints.items() if hint in CONTEXT)
        single = len({kind.printed for kind in output.kinds}) == 1
        kind = output.kinds[0] if single else None
        name = function.__name__.rstrip("_")
        events, several = any(_unwrap(hint) is Events for hint in hints.values()), Streams in hints.values()
        return cls(name, summary, description.strip(), ports, parameters, context, kind, events, several)


def _read_arguments(
    function: Callable[..., Timelines], hints: dict[str, Any]
) -> tuple[tuple[Port, ...], tuple[Parameter, ...]]:
    ports, parameters = [], []
    for name, argument in inspect.signature(function).parameters.items():
        hint, required = _unwrap(hints[name]), argument.default is inspect.Parameter.empty
        default = None if required else argument.default
        port, takes_many = (
            _find_port_type(hint),
            get_origin(hint) is not None and get_origin(hint) is not Annotated,
        )
        if hint is Events or hint == Streams or hint in CONTEXT:
            continue
        if port is not None:
            ports.append(
                Port(
                    name.rstrip("_"),
                    port.kinds,
                    takes_many,
                    required,
                    port.steady,
                    port.like,
                    port.accumulates,
                )
            )
        elif (kind := _mark(hint, ParameterType)) is not None:
            parameters.append(Parameter(name.rstrip("_"), kind, required, default))
        else:
            raise TypeError(
                f"{function.__name__}({name}): annotate it as a port or a parameter of operators.ports"
            )
    return tuple(ports), tuple(parameters)


def _unwrap(hint: Any) -> Any:
    """Return the annotation without `| None`."""
    variants = [variant for variant in get_args(hint) if variant is not type(None)]
    return variants[0] if type(None) in get_args(hint) and len(variants) == 1 else hint


def _find_port_type(hint: Any) -> PortType | None:
    if get_origin(hint) is not None and get_origin(hint) is not Annotated and get_args(hint):
        return _mark(get_args(hint)[0], PortType)
    return _mark(hint, PortType)


T = TypeVar("T")


def _mark(hint: Any, kind: type[T]) -> T | None:
    return next((item for item in getattr(hint, "__metadata__", ()) if isinstance(item, kind)), None)
