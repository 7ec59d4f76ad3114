"""An expression means the same however it is written, and is written in its one form."""

from __future__ import annotations

import re

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tests.plan.texts import COMMENTS, format_canonical
from timeline_app.plan.text import read_text, write_text

SIGNS = ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "and", "or")
EXPRESSIONS = st.recursive(
    st.sampled_from([
        "a", "`and`", 'has_existed(s.x == 1)', "latest_event_to_state(s.`odd name`)", "event_count(s)",
        "event_sum(if(s.x > 1, s.y, missing))",
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


def write_forms(expressions: list[str]) -> str:
    """A text of four statements that may use one another."""
    names, others = ["a", "`and`", "a_1", "b"], ["event_count(s)"] * 3
    return "\n".join(f"{name} = {item}" for name, item in zip(names, [*expressions, *others], strict=False))


@given(STATEMENTS)
def test_a_text_means_the_same_document_after_it_is_written_anew(expressions: list[str]) -> None:
    document = read_text(write_forms(expressions))
    anew = write_text(document)
    assert format_canonical(read_text(anew)) == format_canonical(document)
    assert write_text(read_text(anew)) == anew


@given(STATEMENTS, st.data())
def test_a_plan_with_nested_expressions_survives_what_the_canvas_does_to_it(
    expressions: list[str], data: st.DataObject
) -> None:
    document = read_text(write_forms(expressions))
    names = list(document["nodes"])
    order = data.draw(st.one_of(st.just(names), st.permutations(names)))
    chosen = st.lists(st.sampled_from(names), max_size=2)
    nodes = {name: document["nodes"][name] for name in order}
    for name in data.draw(chosen):
        nodes[name]["comment"] = data.draw(COMMENTS)
    for name, item in zip(data.draw(chosen), data.draw(chosen), strict=False):
        nodes[name]["inputs"] = {**nodes[name].get("inputs", {}), "of": item}
    layout = {name: [80 * index, -3] for index, name in enumerate(names)}
    free = [{"text": "free", "before": name} for name in data.draw(chosen)]
    document |= {"nodes": nodes, "results": data.draw(chosen), "layout": layout, "comments": free}
    text = write_text(document)
    event(
        f"nested: {text.count(chr(10) + 'order ')} order, {len(re.findall('^[^ ]+ = ', text, re.M)) < len(nodes)}"
    )
    assert format_canonical(read_text(text)) == format_canonical(document), text


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
    "aggregate(a, 'p99.9', by = b)": "aggregate(a, p99.9, by = b)",
    "aggregate(a, function = p99.9)": "aggregate(a, p99.9)",
    "aggregate(a, p95)": "aggregate(a, p95)",
    "aggregate(a, 'p0')": 'aggregate(a, function = "p0")',
    "aggregate(a, every = 5s)": "aggregate(a, every = 5s)",
    "event_count(s)": "event_count(s)",
    "event_count(stream = s, where = s.x == 1)": "event_count(s.x == 1)",
    "event_sum(s.x, s.y == 1)": "event_sum(s.x, where = s.y == 1)",
    "event_sum(where = s.y == 1)": "event_sum(where = s.y == 1)",
    "count_within(duration = 5s, stream = s)": "count_within(s, 5s)",
    "count_within(5s, s.x == 1)": "count_within(s.x == 1, 5s)",
    "values_within(s.x, where = s.y == 1, duration = 5s, function = first)": (
        "values_within(s.x, 5s, first, where = s.y == 1)"
    ),
    "values_within(first, last, 5s, field = first.x)": "values_within(first.x, 5s, last)",
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
    "latest_event_to_state(s, hour())": "latest_event_to_state(s, hour())",
    "event_sum(s, hour() + 1, where = hour() > 3)": "event_sum(s, hour() + 1, where = hour() > 3)",
    "event_sum(s, field = '= 1 + 2')": 'event_sum(s, field = "= 1 + 2")',
    "event_sum(s, field = '=  \"hour\"')": 'event_sum(s, field = "=  \\"hour\\"")',
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
