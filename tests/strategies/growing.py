"""A plan while it is drawn at random: its nodes, and the rules by which operators are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st

from tests.predicates.conditions import Condition
from tests.strategies.predicates import conditions, format_tree
from tests.strategies.sorts import (
    ACCUMULATING,
    ANY,
    ASKING,
    CLIMBING,
    CONSTANTS,
    COUNTS,
    DECIMALS,
    DIVISORS,
    DURATIONS,
    EVERY,
    FACTORS,
    HOURS,
    LASTING,
    LEAVES,
    LIMITS,
    MEASURES,
    MOSTLY,
    NUMBERED,
    OF_EVENTS,
    OFTEN,
    PLAIN,
    RANKS,
    ROUGH_DIVISORS,
    SEQUENCES,
    SIDES,
    SORTS,
    STATE,
    STEADY,
    SUMS,
    TAKEN,
    VALUES,
    ZONES,
    find_widest,
)
from tests.strategies.values import STATES
from timeline_app.operators import operators

T = TypeVar("T")


@dataclass
class Growing:
    """The nodes so far, and their names by space (keys or groups) and sort; `rows` are streams that declare `until`."""

    draw: st.DrawFn
    streams: Sequence[str]
    rows: Sequence[str] = ()
    nodes: dict[str, Any] = field(default_factory=dict)
    ready: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(
        self, space: str, sort: str, op: str, inputs: Any = None, stream: str | None = None, **params: Any
    ) -> None:
        """A node more."""
        name = f"n{len(self.nodes)}"
        fields = {"stream": stream, "inputs": inputs, "params": params}
        self.nodes[name] = {"op": op, **{part: value for part, value in fields.items() if value}}
        self.ready.setdefault((space, sort), []).append(name)

    def choose_one(self, values: Sequence[T]) -> T:
        return self.draw(st.sampled_from(values))

    def sorts(self, space: str, *wanted: str) -> list[str]:
        """Those of these sorts of which there is a node."""
        return [sort for sort in wanted if self.ready.get((space, sort))]

    def wire(self, space: str, *wanted: str) -> tuple[str, str]:
        """A node of one of these sorts, and its sort."""
        sort = self.choose_one(self.sorts(space, *wanted))
        return self.choose_one(self.ready[space, sort]), sort

    def begin(self) -> None:
        """A text, and mostly what takes long to come about by chance: something that climbs, perhaps a ratio."""
        self.add("keys", "text", "latest_event_to_state", stream="player", field="state")
        if self.choose_one(MOSTLY):
            self.add(
                "keys", "bool", "latest_event_to_state", stream=self.choose_one(self.streams), field="live"
            )
            self.add("keys", "climbing", self.choose_one(CLIMBING), {"of": "n1"})
            if self.choose_one(MOSTLY):
                self.add("keys", "number", "event_count", stream=self.choose_one(self.streams))
                self.add("keys", "ratio", "divide", {"of": self.choose_one(("n2", "n3")), "other": "n2"})

    def leaf(self) -> None:
        """A node on a stream."""
        spans = ("is_during", "is_during") if self.rows else ()
        leaves = (*LEAVES, *SEQUENCES, *spans, "in_schedule")
        op = self.choose_one([op for op in leaves if op in operators()])
        if op == "sequence":
            self.sequence()
            return
        stream = self.choose_one(self.rows if op == "is_during" else self.streams)
        if op == "latest_event_to_state":
            name = self.choose_one([*SORTS, "bitrate"])  # the only number among the fields
            self.add("keys", SORTS[name], op, stream=stream, field=name)
            return
        if op == "constant":
            sort = self.choose_one([*CONSTANTS])
            self.add("keys", sort, op, stream=stream, value=self.choose_one(CONSTANTS[sort]))
            return
        if op == "values_within":
            self._values_within(stream)
            return
        if op == "in_schedule":
            self.add("keys", "bool", op, stream=stream, **self.choose_one(HOURS))
            return
        params: dict[str, Any] = {"where": self.draw(conditions(timed=True))}
        if op.endswith("_within"):
            params["duration"] = self.choose_one(DURATIONS)
        if not op.startswith("has_existed") and self.choose_one([True, False]):
            del params["where"]
        if op in SUMS:
            params["field"] = self.choose_one([name for name, kind in SORTS.items() if kind == "number"])
        inputs = self._while() if op in ASKING else {}
        params |= {"side": self.choose_one(SIDES)} if inputs else {}
        self.add("keys", "number" if op in (*SUMS, *NUMBERED) else "bool", op, inputs, stream, **params)

    def _while(self) -> dict[str, str]:
        """Perhaps a bool that says which events count."""
        possible = bool(self.sorts("keys", "bool")) and self.choose_one(MOSTLY)
        return {"while": self.wire("keys", "bool")[0]} if possible else {}

    def instants(self, space: str) -> tuple[dict[str, str], str | None, dict[str, Any]]:
        """Instants to look at: of a bool that becomes true, or of events."""
        bools = self.sorts(space, "bool")
        if space != "keys" or (bools and self.choose_one([True, False])):
            return {"when": self.wire(space, "bool")[0]}, None, {}
        return (
            {},
            self.choose_one(self.streams),
            {"where": self.draw(conditions(timed=True))} if self.choose_one(MOSTLY) else {},
        )

    def accumulating(self, space: str) -> list[tuple[str, str]]:
        """The nodes that accumulate, and their sorts."""
        named = [(name, sort) for sort in PLAIN for name in self.ready.get((space, sort), ())]
        return [(name, sort) for name, sort in named if self._accumulates(name)]

    def _accumulates(self, name: str) -> bool:
        node = self.nodes[name]
        op, wires = node["op"], [wire for wire in node.get("inputs", {}).values() if isinstance(wire, str)]
        if op in ("add", "subtract"):
            return len(wires) == 2 and all(map(self._accumulates, wires))
        if op in ("multiply", "divide"):
            return len(wires) == 1 and self._accumulates(wires[0])
        return op in ACCUMULATING

    def _values_within(self, stream: str) -> None:
        """A function of a field over a window of events."""
        field = self.choose_one([*SORTS, "bitrate"])
        sort = SORTS[field]
        function = self.choose_one(OF_EVENTS if sort == "number" else OF_EVENTS[-3:])
        result = {"mean": "rough", "deviation": "rough", "distinct": "number"}.get(function, sort)
        where = {"where": self.draw(conditions(timed=True))} if self.choose_one([True, False]) else {}
        inputs = self._while()
        own_values = {"field": field, "duration": self.choose_one(DURATIONS), "function": function, **where}
        own_values |= {"side": self.choose_one(SIDES)} if inputs else {}
        self.add("keys", result, "values_within", inputs, stream, **own_values)

    def sequence(self) -> None:
        """A sequence on the streams; what it says is text, and its runs can be asked for."""
        names = ("a", "b", "buffer")[: self.choose_one((2, 2, 3))]
        steps = [{"name": name, **self.draw_wanted_node(), **self.limit(name != "a")} for name in names]
        params: dict[str, Any] = {"steps": steps}
        params |= {"within": self.choose_one(LIMITS)} if self.choose_one(MOSTLY) else {}
        params |= {"again": "latest"} if self.choose_one(MOSTLY[1:]) else {}
        if self.choose_one([True, False]):
            between = (
                {} if self.choose_one([True, False]) else {"between": [names[0], self.choose_one(names[1:])]}
            )
            params["not"] = [{**self.draw_wanted_node(), **between}]
        self.add("keys", "text", "sequence", **params)
        self.ready.setdefault(("keys", "sequence"), []).append(f"n{len(self.nodes) - 1}")

    def limit(self, may: bool) -> dict[str, Any]:
        """Now and then how long the way to a step may take."""
        return {"within": self.choose_one(LIMITS)} if may and not self.choose_one(MOSTLY) else {}

    def draw_wanted_node(self) -> dict[str, Any]:
        """Events of a stream; most are told by one of their states."""
        states = st.sampled_from(STATES).map(lambda state: ("==", "state", state))
        simple = states.map(lambda tree: Condition(format_tree(tree), tree))
        where = (
            {"where": self.draw(st.one_of(simple, simple, conditions(timed=True)))}
            if self.choose_one((True, *MOSTLY))
            else {}
        )
        return {"stream": self.choose_one(self.streams), **where}

    def derived(self) -> None:
        """A node on nodes: any operator for which there are inputs."""
        space = self.choose_one(["keys", "groups", "groups"] if self.sorts("groups", *ANY) else ["keys"])
        possible = {
            op: (wanted_sorts, grow)
            for op, (wanted_sorts, grow) in GROW.items()
            if op in operators() and all(self.sorts(space, *sorts) for sorts in wanted_sorts)
            if grow not in (_grow_over_periods, _grow_since) or self.accumulating(space)
        }
        op = self.choose_one([op for op in possible for _ in range(OFTEN.get(op, 1))])
        wanted_sorts, grow = possible[op]
        grow(self, op, space, wanted_sorts[0])


Sorts = tuple[str, ...]
Grow = Callable[[Growing, str, str, Sorts], None]


def _grow_logic(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    wires = [plan.wire(space, *wanted_sorts)[0] for _ in range(plan.choose_one([2, 2, 3]))]
    plan.add(space, "bool", op, {"of": wires})


def _grow_alone(sort: str | None = None) -> Grow:
    """An operator of one input and perhaps a duration; without a sort it keeps that of its input."""

    def grow(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
        name, own = plan.wire(space, *wanted_sorts)
        lasting = {"duration": plan.choose_one(DURATIONS)} if op in LASTING else {}
        plan.add(space, sort or own, op, {"of": name}, **lasting)

    return grow


def _grow_hysteresis(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, _ = plan.wire(space, *_choose_often(plan, space, wanted_sorts))
    plan.add(
        space,
        "bool",
        op,
        {"of": name},
        above=plan.choose_one((1, "2s", 0.75)),
        below=plan.choose_one((0, 0.5, -1, "3us")),
    )


def _grow_alert(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *_choose_often(plan, space, wanted_sorts))
    limits: dict[str, Any] = {}
    if sort != "bool":
        limits = (
            {"above": plan.choose_one((1, "2s", 0.75))} if plan.choose_one((True, False)) else {"below": 0}
        )
        clears = (None, 0.5, "3us") if "above" in limits else (None, 0.25, "1s")
        clear = plan.choose_one(clears)
        limits |= {} if clear is None else {"clear": clear}
    delays = {key: plan.choose_one(DURATIONS) for key in ("for", "clear_after") if plan.choose_one(MOSTLY)}
    plan.add(space, "bool", op, {"of": name}, **limits, **delays)


def _grow_over_periods(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    """Of a number that accumulates."""
    name, sort = plan.choose_one(plan.accumulating(space))
    steady = {"climbing": "number", "steep": "rough"}.get(sort, sort)
    zone = {"zone": plan.choose_one(ZONES)} if plan.choose_one(MOSTLY) else {}
    plan.add(
        space,
        steady if op == "per" else sort,
        op,
        {"of": name},
        every=plan.choose_one(("1min", "1h", "15min")),
        **zone,
    )


def _grow_power(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, _ = plan.wire(space, *wanted_sorts)
    plan.add(space, "rough", op, {"of": name}, value=plan.choose_one((2, 0.5, -1, 3)))


def _increase(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    falls = {"falls": plan.choose_one(("reset", "ignore"))} if plan.choose_one(MOSTLY) else {}
    plan.add(space, "number", op, {"of": plan.wire(space, *wanted_sorts)[0]}, **falls)


def _grow_integral(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *wanted_sorts)
    plan.add(space, "climbing" if sort == "number" else "steep", op, {"of": name})


def _grow_value_at(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    of, sort = plan.wire(space, *wanted_sorts)
    ports, stream, params = plan.instants(space)
    result = {"ratio": "rough", "steep": "rough", "climbing": "number"}.get(sort, sort)
    plan.add(space, result, op, {"of": of, **ports}, stream, **params, side=plan.choose_one(SIDES))


def _time_since(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    ports, stream, params = plan.instants(space)
    plan.add(space, "climbing", op, ports, stream, **params)


def _grow_since(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    of, sort = plan.choose_one(plan.accumulating(space))
    ports, stream, params = plan.instants(space)
    plan.add(space, sort, op, {"of": of, **ports}, stream, **params, side=plan.choose_one(SIDES))


def _grow_latch(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    ports = {port: plan.wire(space, *wanted_sorts)[0] for port in ("set", "reset")}
    plan.add(space, "bool", op, ports)


def _grow_sequence_count(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, _ = plan.wire(space, *wanted_sorts)
    plan.add(space, "number", op, {"of": name}, outcome=plan.choose_one(("completed", "expired", "broken")))


def _grow_changed_to(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *wanted_sorts)
    value = {"value": plan.choose_one(VALUES[sort])} if plan.choose_one(MOSTLY) else {}
    plan.add(space, "number", op, {"of": name}, **value)


def _choose_often(plan: Growing, space: str, wanted_sorts: Sorts) -> Sorts:
    """Ratios and what climbs, where there are any, mostly."""
    moving = [sort for sort in ("climbing", "ratio") if sort in wanted_sorts and plan.sorts(space, sort)]
    return tuple(moving) if plan.choose_one(MOSTLY) and moving else wanted_sorts


def _grow_comparison(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *_choose_often(plan, space, wanted_sorts))
    if sort == "ratio" or plan.choose_one(MOSTLY):
        plan.add(space, "bool", op, {"of": name}, value=plan.choose_one(VALUES[sort]))
        return
    several = DECIMALS if sort in DECIMALS and op not in ("equal_to", "not_equal_to") else (sort,)
    plan.add(space, "bool", op, {"of": name, "other": plan.wire(space, *several)[0]})


def _add(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *wanted_sorts)
    if plan.choose_one([True, False]):
        plan.add(space, sort, op, {"of": name}, value=plan.choose_one(VALUES["number"]))
        return
    other, its = plan.wire(space, *wanted_sorts)
    plan.add(space, find_widest(sort, its), op, {"of": name, "other": other})


def _multiply(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *_choose_often(plan, space, wanted_sorts))
    if plan.choose_one([True, False]) or not plan.sorts(space, *STEADY):
        plan.add(space, sort, op, {"of": name}, value=plan.choose_one(FACTORS))
        return
    other, its = plan.wire(space, *STEADY)
    short = plan.nodes[other]["op"] in COUNTS
    plan.add(space, find_widest(sort, its if short else "rough"), op, {"of": name, "other": other})


def _divide(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *wanted_sorts)
    decimals = plan.sorts(space, *DECIMALS) if sort in DECIMALS else plan.sorts(space, "number")
    if not decimals or plan.choose_one(MOSTLY[1:]):
        rough = sort != "ratio" and plan.choose_one([True, False, False])
        value = plan.choose_one(ROUGH_DIVISORS if rough else DIVISORS)
        plan.add(space, find_widest(sort, "rough") if rough else sort, op, {"of": name}, value=value)
        return
    other, its = plan.wire(space, *_choose_often(plan, space, tuple(decimals)))
    result = "ratio" if its == "climbing" else find_widest(sort, "rough")
    plan.add(space, result, op, {"of": name, "other": other})


def _grow_when(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *ANY)
    inputs = {"if": plan.wire(space, *wanted_sorts)[0], "of": name}
    if plan.choose_one(MOSTLY):
        inputs["otherwise"], its = plan.wire(space, *(PLAIN if sort in PLAIN else (sort,)))
        sort = find_widest(sort, its)
    plan.add(space, sort, op, inputs)


def _grow_aggregate(plan: Growing, op: str, space: str, wanted_sorts: Sorts) -> None:
    name, sort = plan.wire(space, *wanted_sorts)
    inputs: dict[str, Any] = {"of": name}
    parameters = {item.name: item for item in operators()[op].parameters}
    if plan.choose_one(MOSTLY) and plan.sorts(space, "text"):
        by = [plan.wire(space, "text")[0] for _ in range(plan.choose_one([1, 1, 2, 3]))]
        inputs["by"] = by if len(by) > 1 else by[0]
    functions = dict.fromkeys((*parameters["function"].type.choices, *RANKS))
    function = plan.choose_one([item for item in functions if item in TAKEN.get(sort, (*MEASURES, "mode"))])
    every: dict[str, Any] = {"every": plan.choose_one(EVERY)} if "every" in parameters else {}
    if "zone" in parameters and not plan.choose_one(MOSTLY):
        every = {"every": plan.choose_one(("1min", "1h", "1d")), "zone": plan.choose_one(ZONES)}
    plan.add("groups", _find_measured_sort(sort, function), op, inputs, function=function, **every)


def _find_measured_sort(sort: str, function: str) -> str:
    if function in ("count", "distinct"):
        return "number"
    if function == "mode":
        return sort
    if function in ("stddev", "variance"):
        return "rough"
    if function in RANKS:
        return "rough" if sort in ("rough", "steep", "ratio") else "number"
    return sort if function == "sum" else find_widest(sort, "rough") if sort in PLAIN else "rough"


GROW: dict[str, tuple[tuple[Sorts, ...], Grow]] = {
    "and": ((("bool",),), _grow_logic),
    "or": ((("bool",),), _grow_logic),
    "not": ((("bool",),), _grow_alone("bool")),
    "duration_where": ((("bool",),), _grow_alone("climbing")),
    "duration_in_current_state": ((STATE,), _grow_alone("climbing")),
    "held_for": ((("bool",),), _grow_alone("bool")),
    "any_within": ((("bool",),), _grow_alone("bool")),
    "max_within": ((STEADY,), _grow_alone()),
    "min_within": ((STEADY,), _grow_alone()),
    "mean_within": ((("bool", "number"),), _grow_alone("ratio")),
    "integral": ((STEADY,), _grow_integral),
    "increase": ((("number",),), _increase),
    "running_max": ((STEADY,), _grow_alone()),
    "running_min": ((STEADY,), _grow_alone()),
    "latch": ((("bool",),), _grow_latch),
    **dict.fromkeys(("so_far", "per"), ((PLAIN,), _grow_over_periods)),
    "previous_value": ((STATE,), _grow_alone()),
    "value_at": ((ANY, ("bool",)), _grow_value_at),
    "time_since": ((("bool",),), _time_since),
    "since": ((PLAIN, ("bool",)), _grow_since),
    "hysteresis": (((*DECIMALS, "ratio"),), _grow_hysteresis),
    "alert": ((("bool", *DECIMALS, "ratio"),), _grow_alert),
    **dict.fromkeys(("round", "floor", "ceil"), ((("number",),), _grow_alone())),
    "log": ((STEADY,), _grow_alone("rough")),
    "power": ((STEADY,), _grow_power),
    "absolute": ((PLAIN,), _grow_alone()),
    **dict.fromkeys(("maximum", "minimum"), ((DECIMALS,), _add)),
    "changed_to": ((STATE,), _grow_changed_to),
    "sequence_duration": ((("sequence",),), _grow_alone("number")),
    "sequence_count": ((("sequence",),), _grow_sequence_count),
    "equal_to": ((STATE,), _grow_comparison),
    "not_equal_to": ((STATE,), _grow_comparison),
    **dict.fromkeys(
        ("greater_than", "greater_or_equal", "less_than", "less_or_equal"),
        (((*DECIMALS, "ratio"),), _grow_comparison),
    ),
    "add": ((PLAIN,), _add),
    "subtract": ((PLAIN,), _add),
    "multiply": (((*PLAIN, "ratio"),), _multiply),
    "divide": (((*PLAIN, "ratio"),), _divide),
    "when": ((("bool",), ANY), _grow_when),
    "shift": ((ANY,), _grow_alone()),
    "aggregate": ((ANY,), _grow_aggregate),
}
"""By operator: the sorts of which there must be a node (first those of its main input), and how it is drawn."""
