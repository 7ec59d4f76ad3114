"""Documents of every operator, as odd as they may be, for the tests of the text language."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.strategies import conditions
from timeline_app.operators import Operator, operators

NAMES = st.one_of(
    st.sampled_from(["a", "b", "a_1", "a_2", "a_1_1", "b_1", "and", "plan", "sum", "of", "état", "x" * 100]),
    st.from_regex(r"[a-c]_[1-4](_[1-3])?", fullmatch=True),
    st.from_regex(r"[^\W\d]\w{0,8}", fullmatch=True),
)
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=5),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
FIELDS = st.one_of(
    st.sampled_from(["state", "a.b-c", "odd name", "in", "a`b", " cdn "]), WORDS.filter(str.strip)
)
WHERES = st.one_of(
    st.sampled_from([
        'state == "play"', "  a==1  ", "a == 1\n and b == 2", "`odd name` in ('x', \"y\") or not (a.b-c > -1.50)",
        "a is missing and not a is not missing", "(((a == 1)))", "a\t>= +1e3 and not not b == true", "null == 1",
        'a == "player.b == 1 # no comment"', "a == 'it\\'s \\x41'", "a == 'two\nlines'", "state ==", "`in` == 1",
    ]),
    conditions().map(str),
    WORDS,
)  # fmt: skip
DURATIONS = st.one_of(st.sampled_from(["5s", "250ms", "10min", "0.5h", " 1d ", "5 sec", ""]), WORDS)
VALUES = st.one_of(
    WORDS, st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["10min", "1d", "true", -0.0, 1e300, None]),
)  # fmt: skip


def _draw_parts(*names: str, **limit: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Steps, or what breaks them, with anything missing and anything more."""
    streams = st.sampled_from(["player", "ads", "in", "a stream"])
    optional = {"where": WHERES, **limit, "odd": JSON}
    right = st.fixed_dictionaries(
        {**dict.fromkeys(names, NAMES), "stream": streams}, optional={"where": WHERES, **limit}
    )
    return st.one_of(
        right,
        right,
        st.fixed_dictionaries(
            {}, optional={**dict.fromkeys(names, NAMES), "stream": streams | WORDS, **optional}
        ),
    )


PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "predicate": WHERES,
    "field": FIELDS,
    "duration": DURATIONS,
    "value": VALUES,
    "number": VALUES,
    "zone": st.one_of(st.sampled_from(["UTC", "Europe/Berlin", "Nowhere/At all"]), WORDS),
    "clock": st.one_of(st.sampled_from(["09:00", "24:00", "9:5"]), VALUES),
    "days": st.one_of(st.sampled_from(["mon-fri", "sat,sun"]), WORDS),
    "steps": st.lists(_draw_parts("name", within=DURATIONS), max_size=4),
    "breaks": st.lists(_draw_parts(between=st.lists(NAMES, max_size=3)), max_size=3),
}
COMMENTS = st.one_of(WORDS, st.lists(WORDS, max_size=3).map("\n".join), JSON)


def draw_oddities(draw: st.DrawFn, node: dict[str, Any], *parts: dict[str, Any]) -> None:
    """Now and then what no operator declares."""
    for part in parts:
        if not draw(st.integers(0, 9)):
            part[draw(st.sampled_from(["odd", "and", "two words"]))] = draw(JSON)
    if not draw(st.integers(0, 19)):
        node[draw(st.sampled_from(["stream", "title"]))] = draw(JSON)


@st.composite
def list_nodes(draw: st.DrawFn, op: Operator, names: list[str], streams: list[str]) -> dict[str, Any]:
    """Any node of the operator, as its declaration says: right in form, not always in meaning."""
    node: dict[str, Any] = {"op": op.name}
    if op.takes_stream and draw(st.integers(0, 9)):
        node["stream"] = draw(st.sampled_from(streams))
    item = st.sampled_from(names)
    inputs = {}
    for port in op.ports:
        if port.required or draw(st.booleans()):
            several = st.lists(item, min_size=0 if draw(st.booleans()) else 2, max_size=4)
            inputs[port.name] = draw(several if port.many or not draw(st.integers(0, 9)) else item)
    params = {}
    for parameter in op.parameters:
        if parameter.required or draw(st.booleans()):
            kinds = {**PARAMETERS, "choice": st.sampled_from([*parameter.type.choices, "mean", 5])}
            params[parameter.name] = draw(kinds[parameter.type.name])
            if not draw(st.integers(0, 9)):
                params[parameter.name] = draw(JSON)
    draw_oddities(draw, node, inputs, params)
    parts = {"inputs": inputs, "params": params}
    node |= {key: part for key, part in parts.items() if part or not draw(st.integers(0, 5))}
    if not draw(st.integers(0, 5)):
        node["comment"] = draw(COMMENTS)
    return node


@st.composite
def layouts(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    numbers = st.one_of(st.integers(-2000, 2000), st.floats(allow_nan=False, allow_infinity=False))
    places = st.one_of(st.lists(numbers, min_size=2, max_size=2), JSON)
    return draw(st.dictionaries(st.sampled_from([*names, "gone"]), places, max_size=5))


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A document of every operator, with names, comments, layout and streams that are as odd as they may be."""
    names = draw(st.lists(NAMES, min_size=1, max_size=9, unique=True))
    streams = ["player", "in", "ads"]
    ops = st.sampled_from(list(operators().values()))
    nodes = {name: draw(ops.flatmap(lambda op: list_nodes(op, names, streams))) for name in names}
    before = {"text": WORDS, "before": st.sampled_from([*names, None])}
    pair = st.lists(st.integers(-99, 99) | st.floats(-1e9, 1e9), min_size=2, max_size=2)
    note = st.fixed_dictionaries({**before, "at": pair}, optional={"size": pair})
    free = st.lists(st.one_of(WORDS, st.fixed_dictionaries(before), note), max_size=3)
    parts = {"nodes": st.lists(st.sampled_from(names), max_size=3), "colour": WORDS, "odd": JSON}
    groups = st.lists(st.fixed_dictionaries({"title": WORDS}, optional=parts), max_size=3)
    declaration = st.dictionaries(st.sampled_from(["key", "time", "unit", "fields"]), st.one_of(NAMES, JSON))
    optional = {
        "name": st.one_of(WORDS, JSON),
        "results": st.lists(st.sampled_from(names), max_size=4),
        "layout": layouts(names),
        "streams": st.dictionaries(st.sampled_from(streams), declaration, max_size=2),
        "comments": st.one_of(free, JSON),
        "groups": st.one_of(groups, JSON),
        "odd key": JSON,
    }
    return {"version": 1, "nodes": nodes, **draw(st.fixed_dictionaries({}, optional=optional))}


def build_node(op: str, of: Any, **params: Any) -> dict[str, Any]:
    return {"op": op, "inputs": {"of": of}, **({"params": params} if params else {})}


def format_canonical(document: dict[str, Any]) -> str:
    """The document, all of it: kinds of numbers, the order of nodes and of the layout."""
    layout = document.get("layout")
    orders = [list(document["nodes"]), list(layout) if isinstance(layout, dict) else None]
    return json.dumps([document, orders], sort_keys=True)
