"""The text language: a text for every document and back without loss, and every mistake with its line and column."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from tests.strategies import plans
from timeline_app.operators import Operator, operators
from timeline_app.plan import Refused, check
from timeline_app.plan.text import read_text, read_text_with_places, write_text

DOCS = Path(__file__).parents[2] / "docs"

CIRR = """
    # connection-induced rebuffering on CDN1, not within 5 s of a seek
    cirr = duration_where(
        has_existed(player.player_state == "play")
        and not has_existed_within(player.user_action == "seek", 5s)
        and latest_event_to_state(player.player_state) == "buffer"
        and latest_event_to_state(player.cdn) == "CDN1")
    cirr_by_cdn = aggregate(cirr, sum, by = latest_event_to_state(player.cdn))
"""
SUSPICIOUS = """
    # the suburb changed less than ten minutes ago, and it is not the first suburb seen
    suspicious = duration_in_current_state(latest_event_to_state(card.suburb)) < 10min
                 and changed_to(latest_event_to_state(card.suburb)) > 1
"""
COMPLETION = """
    # completion rate from its two primitives, each of them a result of its own
    attempts   = event_count(playback.type == "attempt")
    completed  = event_count(playback.type == "complete")
    completion = aggregate(completed, sum) / aggregate(attempts, sum)
"""


def leaf(op: str, stream: str = "player", **params: Any) -> dict[str, Any]:
    return {"op": op, "stream": stream, "params": params}


def above(op: str, of: Any, **params: Any) -> dict[str, Any]:
    return {"op": op, "inputs": {"of": of}, **({"params": params} if params else {})}


def test_the_first_example_of_the_contract() -> None:
    assert read_text(CIRR)["nodes"] == {
        "cirr_1": leaf("has_existed", where='player_state == "play"'),
        "cirr_2": leaf("has_existed_within", where='user_action == "seek"', duration="5s"),
        "cirr_3": above("not", "cirr_2"),
        "cirr_4": leaf("latest_event_to_state", field="player_state"),
        "cirr_5": above("equal_to", "cirr_4", value="buffer"),
        "cirr_6": leaf("latest_event_to_state", field="cdn"),
        "cirr_7": above("equal_to", "cirr_6", value="CDN1"),
        "cirr_8": above("and", ["cirr_1", "cirr_3", "cirr_5", "cirr_7"]),
        "cirr": {
            **above("duration_where", "cirr_8"),
            "comment": "connection-induced rebuffering on CDN1, not within 5 s of a seek",
        },
        "cirr_by_cdn_1": leaf("latest_event_to_state", field="cdn"),
        "cirr_by_cdn": {
            "op": "aggregate",
            "inputs": {"of": "cirr", "by": "cirr_by_cdn_1"},
            "params": {"function": "sum"},
        },
    }


def test_the_second_example_of_the_contract() -> None:
    nodes = read_text(SUSPICIOUS)["nodes"]
    assert nodes["suspicious_3"] == above("less_than", "suspicious_2", value="10min")
    assert nodes["suspicious_6"] == above("greater_than", "suspicious_5", value=1)
    assert nodes["suspicious"]["inputs"] == {"of": ["suspicious_3", "suspicious_6"]}


def test_the_third_example_of_the_contract() -> None:
    nodes = read_text(COMPLETION)["nodes"]
    assert nodes["completed"] == leaf("event_count", "playback", where='type == "complete"')
    assert nodes["completion_2"] == above("aggregate", "attempts", function="sum")
    assert nodes["completion"] == {
        "op": "divide",
        "inputs": {"of": "completion_1", "other": "completion_2"},
    }


@pytest.mark.parametrize("text", [CIRR, SUSPICIOUS, COMPLETION])
def test_what_was_written_in_one_expression_is_shown_so_again(text: str) -> None:
    def words(text: str) -> list[str]:
        return text.split()

    assert words(write_text(read_text(text))) == words(text)


NAMES = st.one_of(
    st.sampled_from(["a", "b", "a_1", "a_2", "a_1_1", "b_1", "and", "plan", "sum", "of", "état", "x" * 100]),
    st.from_regex(r"[a-c]_[1-4](_[1-3])?", fullmatch=True),
    st.from_regex(r"[^\W\d]\w{0,8}", fullmatch=True),
)
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=5)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
FIELDS = st.one_of(st.sampled_from(["state", "a.b-c", "odd name", "in", "a`b", " cdn "]), WORDS.filter(str.strip))
WHERES = st.one_of(
    st.sampled_from([
        'state == "play"', "  a==1  ", "a == 1\n and b == 2", "`odd name` in ('x', \"y\") or not (a.b-c > -1.50)",
        "a is missing and not a is not missing", "(((a == 1)))", "a\t>= +1e3 and not not b == true", "null == 1",
        'a == "player.b == 1 # no comment"', "a == 'it\\'s \\x41'", "a == 'two\nlines'", "state ==", "`in` == 1",
    ]),
    WORDS,
)  # fmt: skip
DURATIONS = st.one_of(st.sampled_from(["5s", "250ms", "10min", "0.5h", " 1d ", "5 sec", ""]), WORDS)
VALUES = st.one_of(
    WORDS, st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["10min", "1d", "true", -0.0, 1e300, None]),
)  # fmt: skip
PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "predicate": WHERES,
    "field": FIELDS,
    "duration": DURATIONS,
    "value": VALUES,
    "number": VALUES,
}
COMMENTS = st.one_of(WORDS, st.lists(WORDS, max_size=3).map("\n".join), JSON)


@st.composite
def nodes_of(draw: st.DrawFn, op: Operator, names: list[str], streams: list[str]) -> dict[str, Any]:
    """Any node of the operator, as its declaration says: right in form, not always in meaning."""
    node: dict[str, Any] = {"op": op.name}
    if op.needs_stream and draw(st.integers(0, 9)):
        node["stream"] = draw(st.sampled_from(streams))
    one = st.sampled_from(names)
    inputs = {}
    for port in op.ports:
        if port.required or draw(st.booleans()):
            several = st.lists(one, min_size=0 if draw(st.booleans()) else 2, max_size=4)
            inputs[port.name] = draw(several if port.many or not draw(st.integers(0, 9)) else one)
    params = {}
    for parameter in op.parameters:
        if parameter.required or draw(st.booleans()):
            kinds = {**PARAMETERS, "choice": st.sampled_from([*parameter.type.choices, "mean", 5])}
            params[parameter.name] = draw(kinds[parameter.type.name])
            if not draw(st.integers(0, 9)):
                params[parameter.name] = draw(JSON)
    for key, part in (("inputs", inputs), ("params", params)):
        if part or not draw(st.integers(0, 5)):
            node[key] = part
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
    nodes = {name: draw(ops.flatmap(lambda op: nodes_of(op, names, streams))) for name in names}
    free = st.lists(
        st.one_of(WORDS, st.fixed_dictionaries({"text": WORDS, "before": st.sampled_from([*names, None])})),
        max_size=3,
    )
    declaration = st.dictionaries(st.sampled_from(["key", "time", "unit", "fields"]), st.one_of(NAMES, JSON))
    optional = {
        "name": st.one_of(WORDS, JSON),
        "results": st.lists(st.sampled_from(names), max_size=4),
        "layout": layouts(names),
        "streams": st.dictionaries(st.sampled_from(streams), declaration, max_size=2),
        "comments": st.one_of(free, JSON),
        "groups": JSON,
        "odd key": JSON,
    }
    return {"version": 1, "nodes": nodes, **draw(st.fixed_dictionaries({}, optional=optional))}


def canonical(document: dict[str, Any]) -> str:
    """The document, all of it: kinds of numbers, the order of nodes and of the layout."""
    layout = document.get("layout")
    orders = [list(document["nodes"]), list(layout) if isinstance(layout, dict) else None]
    return json.dumps([document, orders], sort_keys=True)


@given(documents())
@example({"version": 1, "nodes": {}})
@example({"version": 1, "nodes": {}, "results": [], "layout": {}, "streams": {}, "comments": [], "name": ""})
@example({"version": 1, "nodes": {"x": above("not", "x_1"), "x_1": above("not", "x")}})
@example({"version": 1, "nodes": {"x": above("and", ["x_1", "x_1"]), "x_1": above("not", "x")}})
def test_a_document_survives_its_text(document: dict[str, Any]) -> None:
    text = write_text(document)
    event(f"{sum(' = ' in line for line in text.splitlines()) < len(document['nodes'])}: something is nested")
    assert canonical(read_text(text)) == canonical(document), text


@given(plans())
def test_a_plan_that_may_run_survives_its_text(plan: dict[str, Any]) -> None:
    assert canonical(read_text(write_text(plan))) == canonical(plan)


EXPRESSIONS = st.recursive(
    st.sampled_from([
        "a", "`and`", 'has_existed(s.x == 1)', "latest_event_to_state(s.`odd name`)", "event_count(s)",
        "has_existed_within((s.x > 1 or\n  s.y is missing) # why\n and s.z in (1, 2), 5s)",
    ]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("== != < <= > >= + - * / and or".split()), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        ),
        st.tuples(inner, st.sampled_from(["== 'x'", "< 10min", "- -3.5", "* 2", "== true"])).map(
            lambda parts: f"({parts[0]}) {parts[1]}"
        ),
        st.tuples(st.sampled_from(["3 <", '"x" ==', "2 *"]), inner).map(lambda parts: f"{parts[0]} ({parts[1]})"),
        inner.map("not ({})".format),
        inner.map("held_for({},\n 5s)".format),
        st.tuples(inner, inner, inner).map(lambda parts: "when({}, {}, otherwise = {})".format(*parts)),
        st.tuples(inner, inner).map(lambda parts: "aggregate(function = sum, by = {}, of = {})".format(*parts)),
        st.lists(inner, min_size=2, max_size=4).map(" and ".join),
    ),
    max_leaves=8,
)  # fmt: skip


@given(st.lists(EXPRESSIONS.filter(lambda text: text not in ("a", "`and`")), min_size=1, max_size=4))
def test_a_text_means_the_same_document_after_it_is_written_anew(expressions: list[str]) -> None:
    heads = ["a", "`and`", "a_1", "b"]
    text = "\n".join(f"{name} = {item}" for name, item in zip(heads, [*expressions, *["event_count(s)"] * 3], strict=False))
    document = read_text(text)
    anew = write_text(document)
    assert canonical(read_text(anew)) == canonical(document)
    assert write_text(read_text(anew)) == anew


@given(JSON, JSON, JSON)
def test_any_document_is_written_or_refused_and_never_changed(version: Any, nodes: Any, node: Any) -> None:
    for document in ({"version": version, "nodes": nodes}, {"nodes": {"a": node, "b": {"op": node}}}, {"x": version}):
        text = write_text(document)
        try:
            assert json.dumps(read_text(text), sort_keys=True) == json.dumps(document, sort_keys=True)
        except Refused as refused:
            assert {item.code for item in refused.problems} <= {"unknown_operator", "unknown_node"}


@given(st.text(st.sampled_from("ab =.,()[]{}\"'`#@<>!+-*/15s\n\\\t\x00\ud800é") , max_size=40))
@example("a = not" + " (" * 9 + "b")
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    try:
        document = read_text(text)
    except Refused as refused:
        assert all(item.line and item.column and item.message for item in refused.problems)
        return
    assert canonical(read_text(write_text(document))) == canonical(document)
