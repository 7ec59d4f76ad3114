"""Random streams, events, predicates and plans: few keys and clustered times, so that everything collides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.predicates.conditions import Condition, Tree
from tests.referee import JsonEvent

Plan = dict[str, Any]
Drawn = dict[str, list[JsonEvent]]

STATES = ("play", "buffer", "pause")
NUMBERS = (0, 1, 1.5, -2, 0.1, 0.2, 3, 1000000.25)
FIELDS = {"bitrate": "number", "live": "bool"}
KINDS = {"state": "text", "cdn": "text", **FIELDS}
VALUES: dict[str, list[Any]] = {"bool": [True, False], "text": [*STATES, "CDN1"], "number": [*NUMBERS]}
FUNCTIONS = ("count", "avg", "sum")
DURATIONS = ("1s", "500ms", "2500ms", "10s")
_BASE = 1_719_820_800_000


@st.composite
def declarations(draw: st.DrawFn) -> dict[str, Any]:
    """A stream as a plan document declares it, with or without ids."""
    ids = draw(st.sampled_from(["none", "text", "number"]))
    fields = {**FIELDS, "id": "number"} if ids == "number" else dict(FIELDS)
    lateness = draw(st.sampled_from(["1s", "30s"]))
    declared: dict[str, Any] = {"key": "k", "time": "t", "fields": fields, "allowed_lateness": lateness}
    return declared if ids == "none" else {**declared, "id": "id"}


@st.composite
def deliveries(
    draw: st.DrawFn, declared: dict[str, Any], *, most: int = 14, prefix: str = ""
) -> list[JsonEvent]:
    """Delivered events: late ones, ties, and (with ids) copies, some of which differ."""
    ids = [1, 2, 3, 10, 11] if "id" in declared["fields"] else ["a1", "a10", "a2", "b", "é"]
    optional = {
        "state": st.sampled_from(STATES),
        "cdn": st.sampled_from(["CDN1", "CDN2"]),
        "bitrate": st.sampled_from(NUMBERS),
        "live": st.booleans(),
        **({"id": st.sampled_from(ids)} if "id" in declared else {}),
    }
    required = {
        "k": st.sampled_from([f"{prefix}{key}" for key in ("x", "y", "z")]),
        "t": st.integers(0, 12).map(lambda step: _BASE + 500 * step),
    }
    event = st.fixed_dictionaries(required, optional=optional)
    events = draw(st.lists(event, min_size=draw(st.integers(1, 6)), max_size=most))
    copies = draw(st.lists(st.sampled_from(events), max_size=3)) if "id" in declared else []
    return events + [dict(copy) for copy in copies]


def _comparison() -> st.SearchStrategy[Tree]:
    order = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    same = st.sampled_from(["==", "!="])
    return st.one_of(
        st.tuples(order, st.just("state"), st.sampled_from(STATES)),
        st.tuples(order, st.just("bitrate"), st.sampled_from(NUMBERS)),
        st.tuples(same, st.just("live"), st.booleans()),
        st.tuples(st.just("in"), st.just("state"), st.lists(st.sampled_from(STATES), min_size=1).map(tuple)),
        st.tuples(st.just("missing"), st.sampled_from(list(KINDS))),
    )


def trees() -> st.SearchStrategy[Tree]:
    """Trees of predicates over the fields of `KINDS`."""

    def above(below: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        several = st.lists(below, min_size=2, max_size=3)
        joined = st.tuples(st.sampled_from(["and", "or"]), several).map(lambda pair: (pair[0], *pair[1]))
        return st.one_of(joined, below.map(lambda tree: ("not", tree)))

    return st.recursive(_comparison(), above, max_leaves=5)


def literal(value: Any) -> str:
    """A literal as a person writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def written(tree: Tree) -> str:
    """The text of a tree, with parentheses only where they are needed."""
    word = tree[0]
    if word == "missing":
        return f"{tree[1]} is missing"
    if word == "not":
        bare = tree[1][0] not in ("and", "or")
        return f"not {written(tree[1])}" if bare else f"not ({written(tree[1])})"
    if word in ("and", "or"):
        parts = [written(part) if part[0] not in ("and", "or") else f"({written(part)})" for part in tree[1:]]
        return f" {word} ".join(parts)
    if word == "in":
        return f"{tree[1]} in ({', '.join(literal(item) for item in tree[2])})"
    return f"{tree[1]} {word} {literal(tree[2])}"


def conditions() -> st.SearchStrategy[Condition]:
    """Predicates that know their trees."""
    return trees().map(lambda tree: Condition(written(tree), tree))


@dataclass
class _Growing:
    """A plan that is being drawn: which nodes there are, by what may be wired to them."""

    draw: st.DrawFn
    nodes: dict[str, Any] = field(default_factory=dict)
    ready: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, space: str, kind: str, node: dict[str, Any]) -> None:
        name = f"n{len(self.nodes)}"
        self.nodes[name] = node
        self.ready.setdefault((space, kind), []).append(name)

    def some(self, space: str, *kinds: str) -> list[str]:
        return [name for kind in kinds for name in self.ready.get((space, kind), [])]

    def leaf(self, streams: Sequence[str]) -> None:
        stream = self.draw(st.sampled_from(streams))
        op = self.draw(st.sampled_from(["latest_event_to_state", "has_existed", "has_existed_within"]))
        if op == "latest_event_to_state":
            name = self.draw(st.sampled_from(list(KINDS)))
            self.add("keys", KINDS[name], {"op": op, "stream": stream, "params": {"field": name}})
            return
        params: dict[str, Any] = {"where": self.draw(conditions())}
        if op == "has_existed_within":
            params["duration"] = self.draw(st.sampled_from(DURATIONS))
        self.add("keys", "bool", {"op": op, "stream": stream, "params": params})

    def derived(self) -> None:
        space = self.draw(
            st.sampled_from(
                ["keys", "groups", "groups"] if self.some("groups", "number", "climbing") else ["keys"]
            )
        )
        ops = [name for name, possible in self._possible(space).items() if possible]
        op = self.draw(st.sampled_from(ops))
        if op == "aggregate":
            self._aggregate(space)
        elif op == "equal_to":
            self._equal_to(space)
        else:
            several = op in ("and", "or")
            one = st.sampled_from(self.some(space, "bool"))
            wires = self.draw(st.lists(one, min_size=2 if several else 1, max_size=3 if several else 1))
            kind = "climbing" if op == "duration_where" else "bool"
            self.add(space, kind, {"op": op, "inputs": {"of": wires if several else wires[0]}})

    def _possible(self, space: str) -> dict[str, bool]:
        bools, measures = self.some(space, "bool"), self.some(space, "number", "climbing", "rough")
        steady = bool(self.some(space, "bool", "text", "number"))
        logic = dict.fromkeys(("and", "or", "not", "duration_where"), bool(bools))
        return {"equal_to": steady, "aggregate": bool(bools or measures), **logic}

    def _equal_to(self, space: str) -> None:
        kind = self.draw(
            st.sampled_from([kind for kind in ("bool", "text", "number") if self.some(space, kind)])
        )
        one = st.sampled_from(self.some(space, kind))
        of, other, with_other = self.draw(st.tuples(one, one, st.booleans()))
        if with_other:
            self.add(space, "bool", {"op": "equal_to", "inputs": {"of": of, "other": other}})
            return
        params = {"value": self.draw(st.sampled_from(VALUES[kind]))}
        self.add(space, "bool", {"op": "equal_to", "inputs": {"of": of}, "params": params})

    def _aggregate(self, space: str) -> None:
        measures = ("bool", "number", "climbing", "rough")
        kind = self.draw(st.sampled_from([kind for kind in measures if self.some(space, kind)]))
        inputs = {"of": self.draw(st.sampled_from(self.some(space, kind)))}
        if self.some(space, "text") and self.draw(st.sampled_from([True, True, False])):
            inputs["by"] = self.draw(st.sampled_from(self.some(space, "text")))
        function = self.draw(st.sampled_from(FUNCTIONS[: 2 if kind == "bool" else 3]))
        node = {"op": "aggregate", "inputs": inputs, "params": {"function": function}}
        self.add("groups", self._measure(kind, function, inputs["of"]), node)

    def _measure(self, kind: str, function: str, of: str) -> str:
        """What may be done with an aggregate: what lies above an average is not asked whether it is equal."""
        if function == "count":
            return "number"
        average = self.nodes[of].get("params", {}).get("function") == "avg"
        return "rough" if average or kind == "rough" else "number" if kind == "bool" else kind


@st.composite
def plans(draw: st.DrawFn, *, most: int = 11) -> Plan:
    """A plan over the nine operators, on one stream or two, with nodes above aggregates."""
    streams = {name: draw(declarations()) for name in ("player", "ads")[: draw(st.integers(1, 2))]}
    growing = _Growing(draw)
    state = {"op": "latest_event_to_state", "stream": "player", "params": {"field": "state"}}
    growing.add("keys", "text", state)
    for _ in range(draw(st.integers(1, 3))):
        growing.leaf(list(streams))
    for _ in range(draw(st.integers(3, most - 4))):
        growing.derived()
    return {"version": 1, "nodes": growing.nodes, "results": list(growing.nodes), "streams": streams}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Plan, Drawn]:
    """A plan and the events of its streams, in the order of delivery; the streams share some keys."""
    plan = draw(plans())
    return plan, {name: draw(deliveries(declared)) for name, declared in plan["streams"].items()}


@st.composite
def cuts(draw: st.DrawFn, size: int) -> list[int]:
    """Where a sequence of that size is cut into batches: places in order, from 0 to the end."""
    return sorted({0, size, *draw(st.lists(st.integers(0, size), max_size=4))})
