"""The text language: a text for every document and back without loss, and every mistake with its line and column."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from tests.strategies import conditions, plans
from timeline_app.operators import Operator, operators
from timeline_app.plan import Problem, Refused, check
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
PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "predicate": WHERES,
    "field": FIELDS,
    "duration": DURATIONS,
    "value": VALUES,
    "number": VALUES,
}
COMMENTS = st.one_of(WORDS, st.lists(WORDS, max_size=3).map("\n".join), JSON)


def oddities(draw: st.DrawFn, node: dict[str, Any], *parts: dict[str, Any]) -> None:
    """Now and then what no operator declares."""
    for part in parts:
        if not draw(st.integers(0, 9)):
            part[draw(st.sampled_from(["odd", "and", "two words"]))] = draw(JSON)
    if not draw(st.integers(0, 19)):
        node[draw(st.sampled_from(["stream", "title"]))] = draw(JSON)


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
    oddities(draw, node, inputs, params)
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


SIGNS = ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "and", "or")
EXPRESSIONS = st.recursive(
    st.sampled_from([
        "a", "`and`", 'has_existed(s.x == 1)', "latest_event_to_state(s.`odd name`)", "event_count(s)",
        "has_existed_within((s.x > 1 or\n  s.y is missing) # why\n and s.z in (1, 2), 5s)",
    ]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(SIGNS), inner).map(
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


STATEMENTS = st.lists(EXPRESSIONS.filter(lambda text: text not in ("a", "`and`")), min_size=1, max_size=4)


def written(expressions: list[str]) -> str:
    """A text of four statements that may use one another."""
    names, others = ["a", "`and`", "a_1", "b"], ["event_count(s)"] * 3
    return "\n".join(f"{name} = {item}" for name, item in zip(names, [*expressions, *others], strict=False))


@given(STATEMENTS)
def test_a_text_means_the_same_document_after_it_is_written_anew(expressions: list[str]) -> None:
    document = read_text(written(expressions))
    anew = write_text(document)
    assert canonical(read_text(anew)) == canonical(document)
    assert write_text(read_text(anew)) == anew


@given(STATEMENTS, st.data())
def test_a_plan_with_nested_expressions_survives_what_the_canvas_does_to_it(
    expressions: list[str], data: st.DataObject
) -> None:
    document = read_text(written(expressions))
    names = list(document["nodes"])
    order = data.draw(st.one_of(st.just(names), st.permutations(names)))
    chosen = st.lists(st.sampled_from(names), max_size=2)
    nodes = {name: document["nodes"][name] for name in order}
    for name in data.draw(chosen):
        nodes[name]["comment"] = data.draw(COMMENTS)
    for name, one in zip(data.draw(chosen), data.draw(chosen), strict=False):
        nodes[name]["inputs"] = {**nodes[name].get("inputs", {}), "of": one}
    layout = {name: [80 * place, -3] for place, name in enumerate(names)}
    free = [{"text": "free", "before": name} for name in data.draw(chosen)]
    document |= {"nodes": nodes, "results": data.draw(chosen), "layout": layout, "comments": free}
    text = write_text(document)
    event(
        f"nested: {text.count(chr(10) + 'order ')} order, {len(re.findall('^[^ ]+ = ', text, re.M)) < len(nodes)}"
    )
    assert canonical(read_text(text)) == canonical(document), text


LETTERS = "\n".join(f"{name} = event_count(s)" for name in "abcdef")
FORMS = {
    "a - (b - c)": "a - (b - c)",
    "(a - b) - c": "a - b - c",
    "a + (b + c)": "a + (b + c)",
    "a / (b * c) / d": "a / (b * c) / d",
    "(a * b) + c": "a * b + c",
    "(a + b) * c": "(a + b) * c",
    "(a and b) and c": "(a and b) and c",
    "a and (b and c)": "a and (b and c)",
    "(a or b) and c or (d and e)": "(a or b) and c or d and e",
    "a or b and not c == d + e * f": "a or b and not c == d + e * f",
    "a or (b and (not (c == (d + (e * f)))))": "a or b and not c == d + e * f",
    "(not a) == b": "(not a) == b",
    "not (a == b)": "not a == b",
    "not (a and b)": "not (a and b)",
    "(a == b) == c": "(a == b) == c",
    "a == (b == c)": "a == (b == c)",
    "not not (not a)": "not not not a",
    "a - -3": "a - -3",
    "3 < a": "a > 3",
    "'x' != (a)": 'a != "x"',
    "2 * a": "a * 2",
    "and(a, b)": "a and b",
    "and(of = [a, b])": "a and b",
    "and(a)": "and(a)",
    "and(of = a)": "and(of = a)",
    "or(of = [])": "or(of = [])",
    "not(of = [a])": "not(of = [a])",
    "not()": "not()",
    "not(a, params = {}, inputs = {})": "not(a, params = {})",
    "duration_where(inputs = {}, params = {})": "duration_where(inputs = {}, params = {})",
    "equal_to(a, value = 3)": "a == 3",
    "equal_to(a, b)": "a == b",
    "equal_to(a, 3, b)": "equal_to(a, other = b, value = 3)",
    "equal_to(a, value = null)": "equal_to(a, value = null)",
    "less_than(a, value = '10min')": "a < 10min",
    "a == 10min": 'a == "10min"',
    "changed_to(a, 'b')": 'changed_to(a, value = "b")',
    "shift(a, '5s')": "shift(a, 5s)",
    "shift(a, duration = '5 sec')": 'shift(a, duration = "5 sec")',
    "shift(duration = 5s)": "shift(duration = 5s)",
    "when(otherwise = c, of = b, if = a)": "when(a, b, otherwise = c)",
    "when(of = b)": "when(of = b)",
    "when(a, b, c,)": "when(a, b, otherwise = c)",
    "aggregate(a, function = sum, by = b)": "aggregate(a, sum, by = b)",
    "aggregate(a, every = 5s, function = 'min')": "aggregate(a, min, every = 5s)",
    "aggregate(a, 'mean', b)": 'aggregate(a, by = b, function = "mean")',
    "aggregate(a, every = 5s)": "aggregate(a, every = 5s)",
    "event_count(s)": "event_count(s)",
    "event_count(stream = s, where = s.x == 1)": "event_count(s.x == 1)",
    "event_sum(s.x, s.y == 1)": "event_sum(s.x, where = s.y == 1)",
    "event_sum(where = s.y == 1)": "event_sum(where = s.y == 1)",
    "has_existed_within(s.x == 1, 5s)": "has_existed_within(s.x == 1, 5s)",
    "has_existed_within(s, 5s)": "has_existed_within(s, duration = 5s)",
    "has_existed(where = 'x == 1')": 'has_existed(where = "x == 1")',
    "has_existed(s, where = 'x == 1')": "has_existed(s.x == 1)",
    "has_existed(s, where = ' x == 1')": 'has_existed(s, where = " x == 1")',
    "has_existed(s, where = 'x ==')": 'has_existed(s, where = "x ==")',
    "has_existed(s, where = 'x == 1\\nor y == 2')": 'has_existed(s, where = "x == 1\\nor y == 2")',
    "has_existed(s.x == 1\n    # because\n    or s.y  ==  2)": "has_existed(s.x == 1 or s.y  ==  2)",
    "has_existed((((s.x in (-1, 'a')))))": "has_existed((((s.x in (-1, 'a')))))",
    "has_existed(`s`.`x y` is not missing)": "has_existed(s.`x y` is not missing)",
    "has_existed(s.x.y-z == 'a # s.b')": "has_existed(s.x.y-z == 'a # s.b')",
    "latest_event_to_state(s.x)": "latest_event_to_state(s.x)",
    "latest_event_to_state(s.in)": "latest_event_to_state(s.`in`)",
    "latest_event_to_state(s, field = ' x`y')": 'latest_event_to_state(s, field = " x`y")',
    "latest_event_to_state(stream = 's`s', field = 'x')": 'latest_event_to_state(stream = "s`s", field = "x")',
}


@pytest.mark.parametrize("form", FORMS)
def test_an_expression_is_written_in_its_one_form(form: str) -> None:
    document = read_text(f"{LETTERS}\nx = {form}")
    node = {key: part for key, part in document["nodes"]["x"].items() if key != "comment"}
    anew = write_text(document | {"nodes": document["nodes"] | {"x": node}})
    assert anew == f"{LETTERS}\nx = {FORMS[form]}\n"
    assert read_text(anew)["nodes"]["x"] == node


FRAMES: list[dict[str, Any]] = [
    {}, {"version": 1}, {"nodes": {}}, {"version": 2, "nodes": {}}, {"version": True, "nodes": {}},
    {"version": 1.0, "nodes": {}}, {"version": None, "nodes": None}, {"version": 1, "nodes": []},
    {"version": 1, "nodes": {"a`b": {"op": "not"}}}, {"version": 1, "nodes": {"a": None}},
    {"version": 1, "nodes": {}, "name": 5}, {"version": 1, "nodes": {}, "name": "a\nb\u0000"},
    {"version": 1, "nodes": {}, "streams": {"s": 5}}, {"version": 1, "nodes": {}, "streams": {"a`b": {"key": "k"}}},
    {"version": 1, "nodes": {}, "streams": {"is": {"key": "is", "fields": {"null": "a b", "x": ["y"]}, "id": None}}},
    {"version": 1, "nodes": {}, "results": "a"}, {"version": 1, "nodes": {}, "layout": {"a`b": [0, 0]}},
    {"version": 1, "nodes": {}, "layout": {"a": [0, 1, 2], "b": [True, 1], "is": [0.0, -0.0], "c": None}},
    {"version": 1, "nodes": {}, "comments": ["a"]}, {"version": 1, "nodes": {}, "name": "x", "comments": ["a", ""]},
    {"version": 1, "nodes": {}, "comments": [{"text": "a", "before": None}]},
    {"version": 1, "nodes": {}, "order": 1, "plan": 2, "odd key": 3, "@": {"a": [None, True, 1e-9]}},
]  # fmt: skip


@pytest.mark.parametrize("document", FRAMES)
def test_every_odd_frame_of_a_document_survives(document: dict[str, Any]) -> None:
    assert json.dumps(read_text(write_text(document)), sort_keys=True) == json.dumps(document, sort_keys=True)


ODD: dict[str, list[Any]] = {
    "where": [
        'state == "play"', "  a==1  ", "a == 1\n and b == 2", "`odd name` in ('x', \"y\") or not (a.b-c > -1.50)",
        "(((a == 1)))", "a\t>= +1e3 and not not b == true", "null == 1", 'a == "player.b == 1 # no comment"',
        "a == 'it\\'s \\x41'", "a == 'two\nlines'", "state ==", "`in` == 1", "a == 1\r", "a == .5 or b == 5.",
        "a == 1 or", "", None, 5, [], {}, "a == 'é' \u2028and b == 1", 'a == "`" and `b"` == 1', "a.b.c == 1",
        "a == \u0663", "a == '\0'",
    ],
    "field": ["state", "a.b-c", "odd name", "in", "a`b", " cdn ", "", "a\nb", "1", "é", "null", None, 5, "#", "'"],
    "duration": ["5s", "250ms", "0.5h", " 1d ", "5 sec", "", "\u06635s", None, 5, 5.0, "1us", "01s"],
    "value": [
        "10min", "true", True, 1, 1.0, -1, -0.0, 0, 1e300, 1e-300, 10**30, None, "", '"', "'", "\\", "a\nb\t",
        "\u2028\x85\x00\ud800", "\U0001f600", [], {"a": [None]}, "#", "`",
    ],
    "function": ["sum", "p50", "mean", "", None, 5, "and", "a b"],
}  # fmt: skip


@pytest.mark.parametrize("parameter", ODD)
def test_every_odd_value_survives_wherever_it_may_stand(parameter: str) -> None:
    taking = [op for op in operators().values() if parameter in [item.name for item in op.parameters]]
    assert taking
    for op in taking:
        inputs = {port.name: ["x", "x"] if port.many else "x" for port in op.ports if port.required}
        for value in ODD[parameter]:
            node = {"op": op.name, "params": {parameter: value}} | ({"inputs": inputs} if inputs else {})
            for stream in ("player", "in", "a stream", "a`b", None) if op.needs_stream else (None,):
                whole = node | ({} if stream is None else {"stream": stream})
                document = {"version": 1, "nodes": {"x": whole}}
                assert canonical(read_text(write_text(document))) == canonical(document), write_text(document)


def read_or_refused(text: str) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    try:
        return read_text(text), ()
    except Refused as refused:
        return None, refused.problems


@given(JSON, JSON, JSON)
def test_any_document_is_written_and_never_changed(version: Any, nodes: Any, node: Any) -> None:
    for document in (
        {"version": version, "nodes": nodes},
        {"nodes": {"a": node, "b": {"op": node}}},
        {"x": version},
    ):
        found, problems = read_or_refused(write_text(document))
        assert {item.code for item in problems} <= {"unknown_operator", "unknown_node"}
        if not problems:
            assert json.dumps(found, sort_keys=True) == json.dumps(document, sort_keys=True)


@given(st.text(st.sampled_from("ab =.,()[]{}\"'`#@<>!+-*/15s\n\\\t\x00\ud800é"), max_size=40))
@example("a = not" + " (" * 9 + "b")
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    document, problems = read_or_refused(text)
    assert all(item.line and item.column and item.message for item in problems)
    if document is not None:
        assert canonical(read_text(write_text(document))) == canonical(document)


BROKEN: dict[str, tuple[str, list[tuple[int, int, str, str]]]] = {
    "an open parenthesis": (
        "a = event_count(s)\nb = not(a\nc = not a",
        [(2, 8, "( is not closed: found the end of the statement, expected a closing parenthesis", "close it")],
    ),
    "several broken statements": (
        "a = event_count(s\nb = a b\nc = event_count(s)\nd = * c",
        [(1, 16, "is not closed", "close it"), (2, 7, "found 'b'", "own"), (4, 5, "found '*'", "own")],
    ),
    "an unknown operator": ("a = has_exist(s.x == 1)", [(1, 5, "no operator 'has_exist'", "mean has_existed")]),
    "a node that is called": ("a = event_count(s)\nb = a(a)", [(2, 5, "no operator 'a'", "a is a node")]),
    "an unknown parameter": (
        "a = has_existed_within(s.x == 1, durations = 5s)", [(1, 34, "'durations'", "mean duration?")],
    ),
    "an unknown port": ("a = event_count(s)\nb = aggregate(a, bye = a)", [(2, 18, "'bye'", "did you mean by?")]),
    "an unknown choice": ("a = event_count(s)\nb = aggregate(a, summ)", [(2, 18, "'summ'", "did you mean sum?")]),
    "no stream before the field": (
        'a = has_existed(player_state == "play")\nb = event_count(player.x == 1)',
        [(1, 17, "player_state does not say of which stream", "name the stream: player.player_state")],
    ),
    "no stream before the only field": (
        "a = latest_event_to_state(cdn)\nb = event_count(player.x == 1)", [(1, 27, "cdn", "player.cdn")],
    ),
    "two streams in one leaf": (
        "a = has_existed(s.x == 1 and t.y == 2)", [(1, 30, "t.y is not a field of s", "has_existed reads one stream")],
    ),
    "a stream that is not declared": (
        "stream player(key = k, time = t)\na = event_count(playr)", [(2, 17, "'playr'", "did you mean player?")],
    ),
    "a name twice": ("a = event_count(s)\n\na = event_count(t)", [(3, 1, "a statement on line 1", "another name")]),
    "a reserved word": ("is = event_count(s)", [(1, 1, "'is' is a word of the language", "`is` in backquotes")]),
    "no name": ("1x = event_count(s)", [(1, 1, "'1x' cannot be the name", "letters")]),
    "a name that is not there": (
        "played = event_count(s)\nb = not playd", [(2, 9, "no node 'playd'", "did you mean played?")],
    ),
    "an operator without parentheses": ("a = not event_count", [(1, 9, "'event_count'", "write event_count(…)")]),
    "a result that is not there": ("cirr = event_count(s)\nresults cir", [(2, 9, "'cir'", "did you mean cirr?")]),
    "one sign of equality": ('a = has_existed(s.x = "y")', [(1, 21, "found '='", "write == to compare")]),
    "signs of another language": ("a = event_count(s)\nb = a && a", [(2, 7, "found '&&'", "write and")]),
    "a text that does not end": ('a = has_existed(s.x == "y)', [(1, 24, "is not closed on its line", 'with "')]),
    "a unit that is none": ("a = held_for(b, 5 sec)", [(1, 19, "found 'sec'", "250ms, 5s, 10min")]),
    "a value without quotes": ("a = has_existed(s.x == play)", [(1, 24, "compares the field s.x", '"play"')]),
    "a field alone": ("a = has_existed(s.live)", [(1, 17, "s.live alone is no condition", "s.live == true")]),
    "a field that is a word": ("a = has_existed(s.in == 1)", [(1, 17, "'in' is a word", "s.`in`")]),
    "a field where a timeline is wanted": ("a = s.x > 3", [(1, 5, "s.x is a field", "latest_event_to_state(s.x)")]),
    "a value on the left": ("b = event_count(s)\na = 3 - b", [(2, 5, "on the left of -", "b * -1 + 3")]),
    "another name": ("b = event_count(s)\na = b", [(2, 5, "another name of b", "use b")]),
    "nothing behind the sign": ("a =\nb = event_count(s)", [(1, 4, "expected an expression", "complete")]),
    "two comparisons": ("b = event_count(s)\na = 1 < b < 3", [(2, 11, "expected an operator or the end", "own")]),
    "too many arguments": ("b = event_count(s)\na = shift(b, 5s, 6s)", [(2, 18, "no place", "it takes of, duration")]),
    "an argument twice": ("a = event_count(s, where = s.x == 1, where = s.x == 2)", [(1, 38, "twice", "away")]),
    "an escape": (r'b = event_count(s) == "\x41"', [(1, 23, "an escape that is not known", "backslash")]),
    "no statement": ("event_count(s)", [(1, 1, "expected a statement: a name and =", "write cirr =")]),
    "no directive": ('plna "x"', [(1, 1, "found 'plna \"x\"'", "did you mean plan?")]),
    "a name of the plan that is no text": ("plan rebuffering", [(1, 6, "the plan's name is a text", 'plan "')]),
    "a part twice": ("layout a 0 0\nlayout a 1 1", [(2, 1, "'layout' is given twice", "take one of them away")]),
    "a NUL": ("a = event_count(s)\n\0", [(2, 1, "a NUL", "UTF-8")]),
    "half a character": ("# \ud800", [(1, 3, "half a character", "UTF-8")]),
    "more than a megabyte": ("#" + "é" * 600_000, [(1, 1, "1,200,001 bytes", "several plans")]),
    "no end of parentheses": ("a = " + "(" * 100_000, [(1, 10_005, "brackets", "statements of their own")]),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_text_is_refused_at_line_and_column_with_the_cure(name: str) -> None:
    text, says = BROKEN[name]
    with pytest.raises(Refused) as refused:
        read_text(text)
    problems = refused.value.problems
    assert [(item.line, item.column) for item in problems] == [(line, column) for line, column, *_ in says]
    for problem, (_, _, message, cure) in zip(problems, says, strict=True):
        assert message in problem.message
        assert cure in problem.cure.replace("x * -1", "b * -1")


FOUND = {
    "stream s(key = k, time = k)\na = event_count(s)": (1, 1, None, "streams.s.time"),
    "stream s(key = k, time = t)\n\nloud = latest_event_to_state(s.volume) > 3": (3, 8, "loud", "of"),
    "stream s(key = k, time = t)\na = event_count(s) > 1\nb = a and\n  not a + 1": (4, 7, "b_1", "of"),
    "stream s(key = k, time = t)\na = held_for(event_count(s) > 1, 0s)": (2, 34, "a", "duration"),
    "a = has_existed(s.x == 1)": (1, 17, "a", "stream"),
    "a = not()": (1, 1, "a", "of"),
}


@pytest.mark.parametrize("written", FOUND)
def test_a_problem_of_the_check_is_found_in_the_text(written: str) -> None:
    text = read_text_with_places(written)
    problems = [text.located(item) for item in check(text.document, {}).problems if item.severity == "error"]
    assert FOUND[written] in [(item.line, item.column, item.node, item.port) for item in problems]


def test_comments_and_names_stay_where_they_are() -> None:
    text = """\
# What this file is about.

plan "Rebuffering"
stream player(key = session_id, time = t, fields = {bitrate: number, `odd name`: bool})
stream ads

# Two lines
#   of one comment.
played = has_existed(player.bitrate > 1_000)
""".replace("1_000", "1000").replace("`odd name`", '"odd name"')
    text += """
# A part of its own.

low = latest_event_to_state(player.bitrate) < 300
`is` = low and event_count(ads) > 1

results `is`, played

# The end.

@groups [{"title": "all", "nodes": ["low", "played"]}]
layout played 0 0, low 10.5 -20
"""
    document = read_text(text)
    assert document["comments"] == [
        "What this file is about.",
        {"text": "A part of its own.", "before": "low"},
        {"text": "The end.", "before": None},
    ]
    assert document["nodes"]["played"]["comment"] == "Two lines\n  of one comment."
    assert document["layout"] == {"played": [0, 0], "low": [10.5, -20]}
    assert write_text(document) == text


def test_no_word_of_a_comment_is_lost() -> None:
    text = "# a\nx = not (  # b\n  # c\n  y)  # d\n  # e\ny = event_count(s)  # f\nresults x # g\n# h"
    document = read_text(text)
    free = [item["text"] for item in document["comments"]]
    said = [document["nodes"]["x"]["comment"], document["nodes"]["y"]["comment"], *free]
    assert "\n".join(said).split() == list("abcdefgh")


def test_lines_may_end_as_on_other_systems() -> None:
    for text in (CIRR, SUSPICIOUS, COMPLETION):
        assert read_text("\ufeff" + text.replace("\n", "\r\n")) == read_text(text)


def test_names_of_nested_nodes_are_free_and_not_too_long() -> None:
    long, text = "x" * 100, "a = event_count(s)\na_1 = not not not a\n"
    document = read_text(f"{text}{long} = a_1 and (a_1 or not a_1)\n{long[:98]}_1 = not a")
    names = ["a", "a_1_1", "a_1_2", "a_1", f"{long[:98]}_2", f"{long[:98]}_3", long, f"{long[:98]}_1"]
    assert list(document["nodes"]) == names
    assert canonical(read_text(write_text(document))) == canonical(document)


def test_a_thousand_nodes_and_deep_nesting_survive() -> None:
    many = "\n".join(f'n{n} = has_existed_within(s.x == {n} and s.y in ("a", "b"), 5s)' for n in range(1000))
    chain = "n0 = event_count(s) > 1\n" + "\n".join(f"n{n + 1} = not n{n}" for n in range(999))
    deep = "a = event_count(s) > 1\nb = " + "not " * 900 + "a"
    calls = "a = event_count(s) > 1\nb = " + "held_for(" * 900 + "a" + ", 5s)" * 900
    for text in (many, chain, deep, calls):
        document = read_text(text)
        assert len(document["nodes"]) >= 900
        assert canonical(read_text(write_text(document))) == canonical(document)


def test_what_is_no_json_cannot_be_written() -> None:
    deep: Any = 0
    for _ in range(200):
        deep = [deep]
    broken: list[Any] = [[], {"x": float("nan")}, {"x": {1: 2}}, {"x": deep}, {"x": b""}, {"x": {"y": {3}}}]
    for document in broken:
        with pytest.raises(Refused):
            write_text(document)


def test_the_examples_of_the_guide_are_read() -> None:
    examples = re.findall(r"```timeline\n(.*?)```", (DOCS / "text.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 4
    for text in examples:
        document = read_text(text)
        assert canonical(read_text(write_text(document))) == canonical(document)
        for name, node in document["nodes"].items():
            assert node["op"] in operators(), name


def test_the_guide_tells_mistakes_as_they_are_told() -> None:
    with pytest.raises(Refused) as refused:
        read_text("played = event_count(s) > 1\na = held_for(b, 5 sec)\n\nb = not playd")
    guide = " ".join((DOCS / "text.md").read_text(encoding="utf-8").split())
    for problem in refused.value.problems:
        line = f"line {problem.line}, column {problem.column}: {problem.message} ({problem.cure})"
        assert line in guide
