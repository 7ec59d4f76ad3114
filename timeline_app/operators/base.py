"""The declaration of an operator: one function, its ports and parameters read from its signature.

    @operator("Has existed within", category="stream", why=_why, example=_EXAMPLE)
    def has_existed_within(events: Events, where: Where, duration: Duration) -> Bool:
        '''True for the duration after each matching event.

        Everything else that there is to say …'''

An argument annotated `Events` makes it a leaf, which may have input ports, too (`Events | None`: it may do without a
stream; `Streams`: those of the streams that its parameters name); `Bool`, `Number`, `Text`, `State` or `Anything` is an
input port (`Many` of them: a port that takes two or more), `Where`, `Duration`, `Field`, `Value`, `Amount` or a
`Choice` a parameter. What may be left out has the default None (or another one). An argument `last: LastEvent`,
`kind: ResultKind` or `since: Since` asks for what is known around it. `why` says in a sentence why the result is what
it is (`reasons`), `example` is drawn on its page (`examples`).

Events older than the retention are folded away. A leaf says which of them it still needs (`keeps`), an operator whose
result depends on how long or how often something was what it has come to (`memory`; it then takes `carried: Before`),
one that looks back how far (`lookback`). What looks at its inputs at the very instant says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from string import Formatter
from typing import Any, Protocol, TypedDict, Unpack

from timeline_app.algebra.groups import Deltas
from timeline_app.algebra.kinds import Ints, Kind, Labels, Mask, Scalar
from timeline_app.algebra.recall import recall_amounts, recall_texts
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Parameter, Port, Signature
from timeline_app.operators.reasons import Why
from timeline_app.predicates import Predicate

CATEGORIES = ("stream", "timelines", "keys")
INTERNAL = "internal"
"""The category of an operator that no plan names: others are made of it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a node's timelines before any event: their kind, and whether a number never climbs.

    `accumulates` marks a number with meaningful differences: its growth since an instant.
    """

    kind: Kind
    steady: bool = True
    accumulates: bool = False
    runs: bool = False
    """Whether they belong to a sequence, whose runs can be queried."""


class WrongInputs(ValueError):
    """Inputs that are right one by one, but not together: says at which port, why, and what to do."""

    def __init__(self, port: str, message: str, hint: str) -> None:
        """`port` may be a parameter."""
        super().__init__(message)
        self.port, self.hint = port, hint


@dataclass(frozen=True, slots=True)
class AcrossKeys:
    """How an operator goes from keys to groups: what each key contributes, and what the sums of that say.

    `additive` says of parameters whether sums are enough; else the operator must see all keys at once. `interval` gives
    the microseconds between the instants at which it computes a value though no input changes; None: at none. Both take
    canonical parameters.
    """

    contribute: Callable[..., Deltas]
    collect: Callable[..., Timelines]
    additive: Callable[[Mapping[str, Any]], bool]
    interval: Callable[[Mapping[str, Any]], int | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Memory:
    """What an operator remembers of a key's history, in `width` whole numbers.

    `read(at=…, carried=…)`, with the operator's inputs and parameters by name, gives them at each key's instant. Where
    the result is text, and `texts` is given, it is asked in the same way instead, for a text of each key or None.
    """

    read: Callable[..., Ints]
    width: int = 1
    texts: Callable[..., Labels] | None = None

    @classmethod
    def from_function(cls, remembered: Callable[..., Timelines]) -> Memory:
        """What `remembered`, called likewise without `at`, says at the instant: steady, and of the result's kind."""

        def read(at: Ints, **arguments: Any) -> Ints:
            return recall_amounts(remembered(**arguments), at)

        def texts(at: Ints, **arguments: Any) -> Labels:
            return recall_texts(remembered(**arguments), at)

        return cls(read, texts=texts)


FactsOf = Callable[[Mapping[str, Facts], Mapping[str, Any], Callable[[str], Kind]], Facts]
Start = Callable[[Mapping[str, Any]], Scalar]
Canonical = Callable[[dict[str, Any], Mapping[str, Facts]], dict[str, Any]]
"""`canonical(params, inputs)` returns parsed parameters as part of the identity, given the inputs' facts."""
Keeps = Callable[..., Mask]
"""`keeps(events, at, …)` returns the events up to each key's instant that later results still need.

It takes parsed parameters by name.
"""
Lookback = Callable[[Mapping[str, Any]], int]
"""`lookback(given)`, with parsed parameters by name, and by port the digests that are wired to it, in microseconds."""
Boundary = Callable[[Mapping[str, Any], int], int]
"""`boundary(params, frontier)`: the first moment after the frontier up to which an operator of the calendar speaks."""


class Make(Protocol):
    """Makes a computation of an operator, its inputs by port and canonical parameters; gives its digest."""

    def __call__(self, op: str, inputs: Mapping[str, tuple[str, ...]], **params: Any) -> str:
        """Inputs are digests. Where it reads a stream that is the operator's, whose fields it reads as that does."""


MadeOf = Callable[[Make, Mapping[str, tuple[str, ...]], Mapping[str, Any]], str | None]
"""`made_of(make, inputs, params)` returns the digest of an equivalent in other operators, or None."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A declared operator. `apply` takes its inputs and parsed parameters by name.

    `why` says in a sentence why it says what it says. `opposite` names the operator that is true where this one is
    false, `mirror` the one that says the same with its two inputs exchanged, `dual` the one that De Morgan's law makes
    of it. `by_arrival` marks a leaf that is judged by when events arrived, which it finds in their field `ARRIVAL`:
    there the law that arrival decides nothing gives way. `reads_until` marks a leaf of streams whose rows have an end,
    which it finds in their field `UNTIL`. `boundary` marks one of the calendar: what it says from there on is unknown
    until time has come there, so it is computed anew for all keys whenever its boundary moves. `by_known` marks one
    that leaves out what is unknown of its inputs. `made_of` says what it is in other operators; the compiler reduces it
    to them. `synonyms` are what others call it, for the search of the palette; `caption` is how a node shows its
    setting in a line, with names of parameters or ports in braces: `over {duration}`. With a choice that `keeps_kind`
    names the result has the kind of `of`, that of a leaf the kind of its field. `version` and `source` tell of one
    that is somebody's own which it is, and where it was found (`own`); the version of one of the calendar is that of
    the data of its zones.
    """

    title: str
    category: str
    apply: Callable[..., Timelines]
    signature: Signature
    why: Why
    example: Example
    steady: bool = True
    accumulates: bool = False
    facts_of: FactsOf | None = None
    one_of: tuple[str, ...] = ()
    across_keys: AcrossKeys | None = None
    commutes: bool = False
    start: Start | None = None
    canonical: Canonical | None = None
    keeps: Keeps | None = None
    memory: Memory | None = None
    lookback: Lookback | None = None
    boundary: Boundary | None = None
    opposite: str = ""
    mirror: str = ""
    dual: str = ""
    by_arrival: bool = False
    reads_until: bool = False
    by_known: bool = False
    made_of: MadeOf | None = None
    synonyms: tuple[str, ...] = ()
    caption: str = ""
    keeps_kind: tuple[str, ...] = ()
    version: str = ""
    source: str = ""

    @property
    def name(self) -> str:
        """Its name in plans."""
        return self.signature.name

    @property
    def summary(self) -> str:
        """One sentence."""
        return self.signature.summary

    @property
    def description(self) -> str:
        """What else there is to say."""
        return self.signature.description

    @property
    def ports(self) -> tuple[Port, ...]:
        """Its inputs."""
        return self.signature.ports

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters."""
        return self.signature.parameters

    @property
    def output(self) -> Kind | None:
        """The kind of its result, None where that depends on its inputs."""
        return self.signature.output

    @property
    def takes_stream(self) -> bool:
        """Whether it may read events directly."""
        return self.signature.events

    @property
    def needs_stream(self) -> bool:
        """Whether it must read the events of one stream, which its node names."""
        return self.category == "stream" and not self.reads_streams

    @property
    def reads_streams(self) -> bool:
        """Whether its parameters name the streams that it reads."""
        return self.signature.reads_streams

    def reads(self, params: Mapping[str, Any]) -> dict[str, list[Predicate | None]]:
        """The streams that parsed parameters name, each with the conditions on its events (None: all of them)."""
        conditions: dict[str, list[Predicate | None]] = {}
        for parameter in self.parameters:
            for stream, where in parameter.type.reads(params.get(parameter.name, ())):
                conditions.setdefault(stream, []).append(where)
        return conditions

    def conditions(self, params: Mapping[str, Any]) -> Iterator[tuple[str, str | None, Predicate]]:
        """Yield the conditions of parsed parameters: the parameter, the stream that it names itself, the condition."""
        for parameter in self.parameters:
            value = params.get(parameter.name)
            if isinstance(value, Predicate):
                yield parameter.name, None, value
            for stream, where in parameter.type.reads(value or ()):
                if where is not None:
                    yield parameter.name, stream, where

    def facts(
        self, inputs: Mapping[str, Facts], params: Mapping[str, Any], field_kind: Callable[[str], Kind]
    ) -> Facts:
        """Return the facts of its result."""
        if self.facts_of is not None:
            return self.facts_of(inputs, params, field_kind)
        assert self.output is not None
        return Facts(self.output, self.steady, self.accumulates)

    def canonical_params(self, params: Mapping[str, Any], inputs: Mapping[str, Facts]) -> Mapping[str, Any]:
        """Parsed parameters in their canonical form."""
        return params if self.canonical is None else self.canonical(dict(params), inputs)

    def run(
        self, inputs: Mapping[str, Any], params: Mapping[str, Any], context: Mapping[str, Any]
    ) -> Timelines:
        """Apply it: timelines (and events) by port, parsed parameters by name, and what it asks for of the context."""
        values = {name: context[name] for name in self.signature.context if name in context}
        return self.apply(**as_arguments(inputs), **as_arguments(params), **values)

    def describe(self) -> dict[str, Any]:
        """Describe it as JSON: what palette, inspector and docs are drawn from."""
        return {
            "name": self.name,
            "title": self.title,
            "category": self.category,
            "summary": self.summary,
            "description": self.description,
            "needs_stream": self.needs_stream,
            "reads_streams": self.reads_streams,
            "takes_stream": self.takes_stream,
            "inputs": [port.describe() for port in self.ports],
            "parameters": [parameter.describe() for parameter in self.parameters],
            "one_of": list(self.one_of),
            "output": self.output.value if self.output else "any",
            "keeps_kind": list(self.keeps_kind),
            "by_arrival": self.by_arrival,
            "synonyms": list(self.synonyms),
            "caption": self.caption,
            "source": self.source,
            "version": self.version,
            "example": self.example.describe(),
        }


def as_arguments(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by name, as functions take them: `if_` for a Python keyword."""
    return {f"{name}_" if iskeyword(name) else name: item for name, item in params.items()}


class Properties(TypedDict, total=False):
    """What a declaration may say by name (see `Operator`); `why` and `example` it must."""

    why: Why
    example: Example
    steady: bool
    accumulates: bool
    facts_of: FactsOf
    one_of: tuple[str, ...]
    across_keys: AcrossKeys
    commutes: bool
    start: Start
    canonical: Canonical
    keeps: Keeps
    memory: Memory
    lookback: Lookback
    boundary: Boundary
    opposite: str
    mirror: str
    dual: str
    by_arrival: bool
    reads_until: bool
    by_known: bool
    made_of: MadeOf
    synonyms: tuple[str, ...]
    caption: str
    keeps_kind: tuple[str, ...]
    version: str


def operator(
    title: str, *, category: str, **properties: Unpack[Properties]
) -> Callable[[Callable[..., Timelines]], Operator]:
    """Declare an operator from its function; a declaration that cannot be used fails here, with the hint."""
    if category not in (*CATEGORIES, INTERNAL):
        raise TypeError(f"category {category!r} of {title!r}: choose one of {', '.join(CATEGORIES)}")

    def declare(function: Callable[..., Timelines]) -> Operator:
        signature = Signature.from_function(function)
        for wrong, hint in _list_refusals(signature, category, properties):
            raise TypeError(f"{function.__name__} {wrong}; {hint}")
        return Operator(title=title, category=category, apply=function, signature=signature, **properties)

    return declare


def _list_refusals(signature: Signature, category: str, properties: Properties) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a declaration, and what to do."""
    if "why" not in properties:
        hint = (
            "give @operator a function why=, which takes a Question and gives a Reason (operators/reasons.py)"
        )
        yield "does not say why it says what it says", hint
    if "example" not in properties:
        hint = "give @operator example=Example(plan, events) (operators/examples.py)"
        yield "has no example for its page", hint
    if category == "stream" and "keeps" not in properties and "memory" not in properties:
        hint = "give @operator keeps= (events that it still needs) or memory= (what it has come to)"
        yield "does not say what it needs beyond the retention", hint
    if ("boundary" in properties) != ("frontier" in signature.context):
        hint = "give @operator boundary= and the function an argument `frontier: Frontier`, or neither"
        yield "must say up to when it speaks", hint
    if ("memory" in properties) != ("carried" in signature.context):
        hint = "give @operator memory= and the function an argument `carried: Before = None`, or neither"
        yield "must take what it remembers", hint
    arguments = {port.name for port in signature.ports} | {item.name for item in signature.parameters}
    names = {name for _, name, *_ in Formatter().parse(properties.get("caption", "")) if name is not None}
    if unknown := sorted(names - arguments):
        hint = f"write names of its ports and parameters in braces: {', '.join(sorted(arguments))}"
        yield f"shows {', '.join(unknown)} in its caption", hint
