"""The declaration of an operator: one function, its ports and parameters read from its signature.

    @operator("Has existed within", category="stream", why=_why, example=_EXAMPLE)
    def has_existed_within(events: Events, where: Where, duration: Duration) -> Bool:
        '''True for the duration after each matching event.

        Everything else that there is to say …'''

An argument annotated `Events` makes it a leaf, `Bool`, `Number`, `Text`, `State` or `Anything` is an input port
(`Many` of them: a port that takes two or more), `Where`, `Duration`, `Field`, `Value`, `Amount` or a `Choice` a
parameter. What may be left out has the default None (or another one). An argument `last: LastEvent`, `kind: ResultKind`
or `since: Since` asks for what is known around it. `why` says in a sentence why the result is what it is (`reasons`),
`example` is drawn on its page (`examples`).

Events older than the retention are folded away. A leaf says which of them it still needs (`keeps`), an operator whose
result depends on how long or how often something was what it has come to (`memory`; it then takes `carried: Before`),
one that looks back how far (`lookback`). What looks at its inputs at the very instant says nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Annotated, Any, NewType, TypeVar, get_args, get_origin, get_type_hints

from timeline_app.algebra.events import Events
from timeline_app.algebra.groups import Deltas
from timeline_app.algebra.kinds import Ints, Kind, Mask, Scalar
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.examples import Example
from timeline_app.operators.parameters import ParameterType
from timeline_app.operators.reasons import Why
from timeline_app.predicates import Predicate

CATEGORIES = ("stream", "timelines", "keys")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a node's timelines before any event: their kind, and whether a number never climbs."""

    kind: Kind
    steady: bool = True


class WrongInputs(ValueError):
    """Inputs that are right one by one, but not together: says at which port, why, and what to do."""

    def __init__(self, port: str, message: str, cure: str) -> None:
        """`port` may be a parameter."""
        super().__init__(message)
        self.port, self.cure = port, cure


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


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its type, whether it may be left out, its default."""

    name: str
    type: ParameterType
    required: bool = True
    default: object = None


@dataclass(frozen=True, slots=True)
class AcrossKeys:
    """How an operator goes from keys to groups: what each key contributes, and what the sums of that say.

    `additive` says of parameters whether sums are enough; else the operator must see all keys at once.
    """

    contribute: Callable[..., Deltas]
    collect: Callable[..., Timelines]
    additive: Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Memory:
    """What an operator remembers of a key's history, in `width` whole numbers.

    `read(at=…, carried=…)`, with the operator's inputs and parameters by name, gives them at each key's instant.
    """

    read: Callable[..., Ints]
    width: int = 1


@dataclass(frozen=True, slots=True)
class PortType:
    """The mark of an input port in a signature."""

    kinds: tuple[Kind, ...]
    steady: bool = False
    like: str = ""


_STATES = (Kind.TEXT, Kind.BOOL, Kind.NUMBER)

Bool = Annotated[Timelines, PortType((Kind.BOOL,))]
Text = Annotated[Timelines, PortType((Kind.TEXT,))]
Number = Annotated[Timelines, PortType((Kind.NUMBER,))]
AnyNumber = Annotated[Timelines, PortType((Kind.NUMBER, Kind.RATIO))]
Measure = Annotated[Timelines, PortType((Kind.NUMBER, Kind.BOOL, Kind.RATIO))]
State = Annotated[Timelines, PortType(_STATES, steady=True)]
SameState = Annotated[Timelines, PortType(_STATES, steady=True, like="of")]
Anything = Annotated[Timelines, PortType((*_STATES, Kind.RATIO))]
SameKind = Annotated[Timelines, PortType((*_STATES, Kind.RATIO), like="of")]
Many = Sequence
LastEvent = NewType("LastEvent", int)
"""The greatest event time in the streams below, microseconds; `BEGINNING` where there is none."""
ResultKind = Annotated[Kind, "result"]
"""The kind of the result, as the check found it."""

Where = Annotated[Predicate, ParameterType("predicate", 'player_state == "play"')]
Duration = Annotated[int, ParameterType("duration", "5s")]
Field = Annotated[str, ParameterType("field", "player_state")]
Value = Annotated[Scalar, ParameterType("value", "buffer")]
Amount = Annotated[float, ParameterType("number", "5")]

Since = NewType("Since", int)
"""What lies before this time need not be right: nobody looks at it."""
Before = Annotated[Carried | None, "carried"]
"""What the operator remembers of keys that are folded; None where none is."""
_CONTEXT = (LastEvent, ResultKind, Since, Before)

FactsOf = Callable[[Mapping[str, Facts], Mapping[str, Any], Callable[[str], Kind]], Facts]
Start = Callable[[Mapping[str, Any]], Scalar]
Canonical = Callable[[dict[str, Any]], dict[str, Any]]
Keeps = Callable[..., Mask]
"""`keeps(events, at, …)`, with parsed parameters by name: the events up to each key's instant that the result from
there on still needs."""
Lookback = Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True, slots=True)
class Operator:
    """A declared operator. `apply` takes its inputs and parsed parameters by name.

    `why` says in a sentence why it says what it says. `opposite` names the operator that is true where this one is
    false, `mirror` the one that says the same with its two inputs exchanged, `dual` the one that De Morgan's law makes
    of it.
    """

    name: str
    title: str
    category: str
    summary: str
    description: str
    ports: tuple[Port, ...]
    parameters: tuple[Parameter, ...]
    output: Kind | None
    steady: bool
    apply: Callable[..., Timelines]
    why: Why
    example: Example
    facts_of: FactsOf | None = None
    one_of: tuple[str, ...] = ()
    across_keys: AcrossKeys | None = None
    commutes: bool = False
    start: Start | None = None
    canonical: Canonical | None = None
    context: tuple[str, ...] = ()
    keeps: Keeps | None = None
    memory: Memory | None = None
    lookback: Lookback | None = None
    opposite: str = ""
    mirror: str = ""
    dual: str = ""

    @property
    def needs_stream(self) -> bool:
        """Whether it reads events itself."""
        return self.category == "stream"

    def facts(
        self, inputs: Mapping[str, Facts], params: Mapping[str, Any], field_kind: Callable[[str], Kind]
    ) -> Facts:
        """The facts of its result."""
        if self.facts_of is not None:
            return self.facts_of(inputs, params, field_kind)
        assert self.output is not None
        return Facts(self.output, self.steady)

    def run(
        self, inputs: Mapping[str, Any], params: Mapping[str, Any], context: Mapping[str, Any]
    ) -> Timelines:
        """Apply it: timelines (and events) by port, parsed parameters by name, and what it asks for of the context."""
        ports = {f"{name}_" if iskeyword(name) else name: item for name, item in inputs.items()}
        asked = {name: context[name] for name in self.context if name in context}
        return self.apply(**ports, **params, **asked)

    def describe(self) -> dict[str, Any]:
        """As JSON: what palette, inspector and docs are drawn from."""
        return {
            "name": self.name,
            "title": self.title,
            "category": self.category,
            "summary": self.summary,
            "description": self.description,
            "needs_stream": self.needs_stream,
            "inputs": [_describe_port(port) for port in self.ports],
            "parameters": [_describe_parameter(parameter) for parameter in self.parameters],
            "one_of": list(self.one_of),
            "output": self.output.value if self.output else "any",
        }


def operator(  # noqa: PLR0913  (a declaration: all by name)
    title: str,
    *,
    category: str,
    why: Why | None = None,
    example: Example | None = None,
    steady: bool = True,
    facts: FactsOf | None = None,
    one_of: tuple[str, ...] = (),
    across_keys: AcrossKeys | None = None,
    commutes: bool = False,
    start: Start | None = None,
    canonical: Canonical | None = None,
    keeps: Keeps | None = None,
    memory: Memory | None = None,
    lookback: Lookback | None = None,
    opposite: str = "",
    mirror: str = "",
    dual: str = "",
) -> Callable[[Callable[..., Timelines]], Operator]:
    """Declare an operator from its function; a declaration that cannot be used fails here, with the cure."""
    if category not in CATEGORIES:
        raise TypeError(f"category {category!r} of {title!r}: choose one of {', '.join(CATEGORIES)}")

    def declare(function: Callable[..., Timelines]) -> Operator:
        hints = get_type_hints(function, include_extras=True)
        output = _port_type(hints.pop("return", None))
        if output is None:
            raise TypeError(f"{function.__name__}: annotate what it returns as Bool, Text, Number or State")
        summary, _, description = inspect.cleandoc(function.__doc__ or "").partition("\n")
        if not summary:
            raise TypeError(f"{function.__name__}: write a docstring; its first line is shown on the palette")
        if why is None:
            cure = "give @operator a function why=, which takes a Question and gives a Reason (operators/reasons.py)"
            raise TypeError(f"{function.__name__} does not say why it says what it says; {cure}")
        if example is None:
            cure = "give @operator example=Example(plan, events) (operators/examples.py)"
            raise TypeError(f"{function.__name__} has no example for its page; {cure}")
        context = tuple(name for name, hint in hints.items() if hint in _CONTEXT)
        if category == "stream" and keeps is None and memory is None:
            cure = "give @operator keeps= (events that it still needs) or memory= (what it has come to)"
            raise TypeError(f"{function.__name__} does not say what it needs beyond the retention; {cure}")
        if (memory is not None) != ("carried" in context):
            cure = "give @operator memory= and the function an argument `carried: Before = None`, or neither"
            raise TypeError(f"{function.__name__} must take what it remembers; {cure}")
        ports, parameters = _signature(function, hints)
        return Operator(
            name=function.__name__.rstrip("_"),
            title=title,
            category=category,
            summary=summary,
            description=description.strip(),
            ports=ports,
            parameters=parameters,
            output=output.kinds[0] if len({kind.printed for kind in output.kinds}) == 1 else None,
            steady=steady,
            apply=function,
            why=why,
            example=example,
            facts_of=facts,
            one_of=one_of,
            across_keys=across_keys,
            commutes=commutes,
            start=start,
            canonical=canonical,
            opposite=opposite,
            mirror=mirror,
            dual=dual,
            context=context,
            keeps=keeps,
            memory=memory,
            lookback=lookback,
        )

    return declare


def _signature(
    function: Callable[..., Timelines], hints: Mapping[str, Any]
) -> tuple[tuple[Port, ...], tuple[Parameter, ...]]:
    ports, parameters = [], []
    for name, argument in inspect.signature(function).parameters.items():
        hint, required = _unwrap(hints[name]), argument.default is inspect.Parameter.empty
        default = None if required else argument.default
        port, many = _port_type(hint), get_origin(hint) is not None and get_origin(hint) is not Annotated
        if hint is Events or hint in _CONTEXT:
            continue
        if port is not None:
            ports.append(Port(name.rstrip("_"), port.kinds, many, required, port.steady, port.like))
        elif (kind := _mark(hint, ParameterType)) is not None:
            parameters.append(Parameter(name, kind, required, default))
        else:
            raise TypeError(
                f"{function.__name__}({name}): annotate it as a port or a parameter of operators.base"
            )
    return tuple(ports), tuple(parameters)


def _unwrap(hint: Any) -> Any:
    """The annotation without `| None`."""
    parts = [part for part in get_args(hint) if part is not type(None)]
    return parts[0] if type(None) in get_args(hint) and len(parts) == 1 else hint


def _port_type(hint: Any) -> PortType | None:
    if get_origin(hint) is not None and get_origin(hint) is not Annotated and get_args(hint):
        return _mark(get_args(hint)[0], PortType)
    return _mark(hint, PortType)


T = TypeVar("T")


def _mark(hint: Any, kind: type[T]) -> T | None:
    return next((item for item in getattr(hint, "__metadata__", ()) if isinstance(item, kind)), None)


def _describe_port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "title": port.name,
        "kinds": [kind.value for kind in port.kinds],
        "many": port.many,
        "minimum": 2 if port.many else int(port.required),
        "required": port.required,
        "help": "steady numbers only" if port.steady else "",
    }


def _describe_parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "title": parameter.name.replace("_", " ").capitalize(),
        "type": parameter.type.name,
        "required": parameter.required,
        "choices": list(parameter.type.choices),
        "default": None if parameter.default is None else parameter.type.spell(parameter.default),
        "help": "",
        "placeholder": parameter.type.placeholder,
    }
