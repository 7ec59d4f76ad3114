"""A node's identity says what it computes: equal meaning, equal digest; another meaning, another digest."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.depth import examples
from tests.evaluate.running import judge_plan, run
from tests.predicates.conditions import Condition
from tests.strategies import Drawn, Plan, cases
from timeline_app.compiler import Program, compile_plan

STREAM = {"key": "k", "time": "t", "fields": {"n": "number", "on": "bool"}}
PLAY_WHERE = Condition('state == "play"', ("==", "state", "play"))
STOP_WHERE = Condition('state == "stop"', ("==", "state", "stop"))
PLAY: dict[str, Any] = {"op": "has_existed", "stream": "s", "params": {"where": PLAY_WHERE}}
STOP: dict[str, Any] = {"op": "has_existed", "stream": "s", "params": {"where": STOP_WHERE}}
ON = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "on"}}
NUMBER = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "n"}}
COUNT = {"op": "event_count", "stream": "s", "params": {"where": PLAY_WHERE}}
LEAVES = {"a": PLAY, "b": STOP, "c": ON}
NUMBERS = {"n": NUMBER, "m": COUNT, "c": ON}


def build_node(op: str, *of: str, **params: Any) -> dict[str, Any]:
    several = op in ("and", "or")
    return {"op": op, "inputs": {"of": list(of) if several else of[0]}, "params": params}


def compute_digests(
    nodes: dict[str, Any], stream: dict[str, Any] | None = None, **more: Any
) -> dict[str, str]:
    plan = {"version": 1, "nodes": nodes, "streams": {"s": stream or STREAM}, **more}
    return dict(compile_plan(plan, {}).names)


def digest(nodes: dict[str, Any], stream: dict[str, Any] | None = None) -> str:
    return compute_digests(nodes, stream)[list(nodes)[-1]]


def build_pair(op: str, of: str, other: str) -> dict[str, Any]:
    return {"op": op, "inputs": {"of": of, "other": other}}


def build_when(condition: str, of: str, otherwise: str) -> dict[str, Any]:
    return {"op": "when", "inputs": {"if": condition, "of": of, "otherwise": otherwise}}


def build_numbers(*nodes: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {**NUMBERS, **dict(nodes)}


def build_deep(*nodes: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {**LEAVES, **dict(nodes)}


def over_events(where: str) -> dict[str, Any]:
    return {"op": "has_existed", "stream": "s", "params": {"where": where}}


def summed(field: str) -> dict[str, Any]:
    return {"op": "event_sum", "stream": "s", "params": {"field": field}}


def run_of(where: str) -> dict[str, Any]:
    steps = [{"name": name, "stream": "s", "where": where} for name in ("begin", "end")]
    return {"op": "sequence", "params": {"steps": steps}}


SAME = {
    "not not": (build_deep(("n", build_node("not", "a")), ("x", build_node("not", "n"))), {"a": PLAY}),
    "not not not": (
        build_deep(
            ("n", build_node("not", "c")), ("m", build_node("not", "n")), ("x", build_node("not", "m"))
        ),
        build_deep(("x", build_node("not", "c"))),
    ),
    "and in any order": (
        build_deep(("x", build_node("and", "b", "a"))),
        build_deep(("x", build_node("and", "a", "b"))),
    ),
    "or in any order": (
        build_deep(("x", build_node("or", "c", "b", "a"))),
        build_deep(("x", build_node("or", "a", "b", "c"))),
    ),
    "and in and": (
        build_deep(("ab", build_node("and", "a", "b")), ("x", build_node("and", "c", "ab"))),
        build_deep(("x", build_node("and", "a", "b", "c"))),
    ),
    "or in or in or": (
        build_deep(
            ("ab", build_node("or", "a", "b")),
            ("abc", build_node("or", "c", "ab")),
            ("x", build_node("or", "abc", "b")),
        ),
        build_deep(("x", build_node("or", "a", "b", "c"))),
    ),
    "and of one twice": (build_deep(("x", build_node("and", "a", "a"))), {"a": PLAY}),
    "or of one under other names": (
        build_deep(("again", PLAY), ("x", build_node("or", "a", "again"))),
        {"a": PLAY},
    ),
    "and of what not not makes one": (
        build_deep(
            ("n", build_node("not", "a")), ("m", build_node("not", "n")), ("x", build_node("and", "a", "m"))
        ),
        {"a": PLAY},
    ),
    "not and": (
        build_deep(("both", build_node("and", "a", "c")), ("x", build_node("not", "both"))),
        build_deep(
            ("p", build_node("not", "a")), ("q", build_node("not", "c")), ("x", build_node("or", "q", "p"))
        ),
    ),
    "not or of and": (
        build_deep(
            ("ab", build_node("and", "a", "b")),
            ("abc", build_node("or", "ab", "c")),
            ("x", build_node("not", "abc")),
        ),
        build_deep(
            *((f"not_{name}", build_node("not", name)) for name in "abc"),
            ("ab", build_node("or", "not_a", "not_b")),
            ("x", build_node("and", "not_c", "ab")),
        ),
    ),
    "true is itself": (build_deep(("x", build_node("equal_to", "c", value=True))), {"c": ON}),
    "false is not": (
        build_deep(("x", build_node("equal_to", "c", value=False))),
        build_deep(("x", build_node("not", "c"))),
    ),
    "not true is not": (
        build_deep(("x", build_node("not_equal_to", "c", value=True))),
        build_deep(("x", build_node("not", "c"))),
    ),
    "not equal": (
        build_numbers(("e", build_node("equal_to", "n", value=1)), ("x", build_node("not", "e"))),
        build_numbers(("x", build_node("not_equal_to", "n", value=1))),
    ),
    "not unequal": (
        build_numbers(("e", build_pair("not_equal_to", "n", "m")), ("x", build_node("not", "e"))),
        build_numbers(("x", build_pair("equal_to", "m", "n"))),
    ),
    "not greater": (
        build_numbers(("e", build_node("greater_than", "n", value=1)), ("x", build_node("not", "e"))),
        build_numbers(("x", build_node("less_or_equal", "n", value=1))),
    ),
    "less the other way round": (
        build_numbers(("x", build_pair("less_than", "n", "m"))),
        build_numbers(("x", build_pair("greater_than", "m", "n"))),
    ),
    "not less the other way round": (
        build_numbers(("e", build_pair("less_than", "n", "m")), ("x", build_node("not", "e"))),
        build_numbers(("x", build_pair("less_or_equal", "m", "n"))),
    ),
    "sums in any order": (
        build_numbers(("x", build_pair("add", "n", "m"))),
        build_numbers(("x", build_pair("add", "m", "n"))),
    ),
    "products in any order": (
        build_numbers(("x", build_pair("multiply", "n", "m"))),
        build_numbers(("x", build_pair("multiply", "m", "n"))),
    ),
    "minus a value": (
        build_numbers(("x", build_node("subtract", "n", value=0.3))),
        build_numbers(("x", build_node("add", "n", value=-0.3))),
    ),
    "shift of shift": (
        build_deep(
            ("s", build_node("shift", "c", duration="1500ms")),
            ("x", build_node("shift", "s", duration="500ms")),
        ),
        build_deep(("x", build_node("shift", "c", duration="2s"))),
    ),
    "shifts longer than a duration may be": (
        build_deep(
            ("r", build_node("shift", "c", duration="20000d")),
            ("s", build_node("shift", "r", duration="20000d")),
            ("x", build_node("shift", "s", duration="35000d")),
        ),
        build_deep(
            ("r", build_node("shift", "c", duration="36500d")),
            ("s", build_node("shift", "r", duration="2000d")),
            ("x", build_node("shift", "s", duration="36500d")),
        ),
    ),
    "when not": (
        build_numbers(("not_c", build_node("not", "c")), ("x", build_when("not_c", "n", "m"))),
        build_numbers(("x", build_when("c", "m", "n"))),
    ),
    "when not and": (
        {
            **LEAVES,
            **build_numbers(
                ("ac", build_node("and", "a", "c")),
                ("no", build_node("not", "ac")),
                ("x", build_when("no", "n", "m")),
            ),
        },
        {**LEAVES, **build_numbers(("ac", build_node("and", "a", "c")), ("x", build_when("ac", "m", "n")))},
    ),
    "every of a sum": (
        build_numbers(("x", build_node("aggregate", "n", function="sum", every="5s"))),
        build_numbers(("x", build_node("aggregate", "n"))),
    ),
    "a duration as a value": (
        build_numbers(("x", build_node("greater_than", "n", value="1min"))),
        build_numbers(("x", build_node("greater_than", "n", value=60))),
    ),
}


@pytest.mark.parametrize("rule", SAME)
def test_plans_that_mean_the_same_share_the_node(rule: str) -> None:
    left, right = SAME[rule]
    assert digest(left) == digest(right)


@pytest.mark.deep
@pytest.mark.parametrize("rule", SAME)
@examples(20)
@given(events=st.lists(st.fixed_dictionaries(
    {"k": st.just("x"), "t": st.integers(0, 5)},
    optional={
        "state": st.sampled_from(["play", "stop"]), "on": st.booleans(), "n": st.sampled_from([0.1, 1, 2, 60, 61]),
    },
), min_size=1, max_size=5))  # fmt: skip
def test_and_have_the_same_answers_also_unrewritten(rule: str, events: list[dict[str, Any]]) -> None:
    answers = []
    for nodes in SAME[rule]:
        plan = {"version": 1, "nodes": nodes, "streams": {"s": STREAM}}
        answers.append(judge_plan(plan, {"s": events})[list(nodes)[-1]])
        assert run(plan, {"s": events})[list(nodes)[-1]] == answers[-1]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"where": 'state=="play"'}, {"where": '  state  ==  "play" '}),
        ({"where": "state == 'play'"}, {"where": 'state == "play"'}),
        ({"where": "n > 1 and on == true"}, {"where": "(on == true) and n > 1.0"}),
        ({"where": "(n > 1 and n < 9) and on == true"}, {"where": "n > 1 and (n < 9 and on == true)"}),
        ({"where": "n in (1, 2)"}, {"where": "n in (2, 1.0, 2)"}),
        ({"where": "n in (1)"}, {"where": "n == 1"}),
        ({"where": "not n > 1"}, {"where": "n <= 1"}),
        ({"where": "not not on == true"}, {"where": "on == true"}),
        ({"where": 'not (n == 1 or state != "a")'}, {"where": 'state == "a" and n != 1'}),
    ],
)
def test_the_spelling_of_a_predicate_does_not_matter(left: dict[str, str], right: dict[str, str]) -> None:
    assert digest({"a": {**PLAY, "params": left}}) == digest({"a": {**PLAY, "params": right}})


def test_the_spelling_of_a_duration_or_a_number_does_not_matter() -> None:
    within = {"op": "has_existed_within", "stream": "s"}
    spelled = [{"where": "n > 1", "duration": text} for text in ("60s", "1min", "60000ms", "60.0s")]
    assert len({digest({"a": {**within, "params": params}}) for params in spelled}) == 1
    number = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "n"}}
    values = (0, 0.0, -0.0)
    assert (
        len({digest({"n": number, "x": build_node("equal_to", "n", value=value)}) for value in values}) == 1
    )


def test_an_omitted_choice_is_its_default() -> None:
    number = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "n"}}
    assert digest({"n": number, "x": build_node("aggregate", "n")}) == digest(
        {"n": number, "x": build_node("aggregate", "n", function="sum")}
    )


def test_names_order_layout_comments_and_what_else_is_in_the_plan_do_not_matter() -> None:
    nodes = {**LEAVES, "x": build_node("and", "a", "b")}
    turned = {"x": build_node("and", "a", "b"), **dict(reversed(LEAVES.items()))}
    renamed = {"p": PLAY, "q": STOP, "both": {**build_node("and", "p", "q"), "comment": "induced"}}
    layout: dict[str, Any] = {"name": "named", "layout": {"x": [10, 20]}, "results": ["x"]}
    items = {
        compute_digests(nodes)["x"],
        compute_digests(turned, **layout)["x"],
        compute_digests(renamed)["both"],
    }
    assert len(items) == 1


def test_what_of_a_stream_decides_no_answer_does_not_matter() -> None:
    plain = digest({"a": PLAY})
    for more in ({"allowed_lateness": "1h"}, {"retention": "1d"}, {"fields": {"unused": "number"}}):
        assert digest({"a": PLAY}, {**STREAM, **more}) == plain


DIFFERENT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "predicate": ({"a": PLAY}, STREAM),
    "another predicate": ({"a": STOP}, STREAM),
    "operator": (
        {"a": {"op": "has_existed_within", "stream": "s", "params": {**PLAY["params"], "duration": "5s"}}},
        STREAM,
    ),
    "key": ({"a": PLAY}, {**STREAM, "key": "user"}),
    "time": ({"a": PLAY}, {**STREAM, "time": "at"}),
    "unit": ({"a": PLAY}, {**STREAM, "unit": "s"}),
    "ids": ({"a": PLAY}, {**STREAM, "id": "id"}),
    "numbered ids": ({"a": PLAY}, {**STREAM, "id": "id", "fields": {"id": "number"}}),
    "field": ({"a": ON}, STREAM),
    "type of the field": ({"a": ON}, {**STREAM, "fields": {"on": "text"}}),
    "not": ({"a": PLAY, "x": build_node("not", "a")}, STREAM),
    "and": (build_deep(("x", build_node("and", "a", "b"))), STREAM),
    "or": (build_deep(("x", build_node("or", "a", "b"))), STREAM),
    "another or": (build_deep(("x", build_node("or", "a", "c"))), STREAM),
}


def test_whatever_changes_the_meaning_changes_the_identity() -> None:
    result = {name: digest(nodes, stream) for name, (nodes, stream) in DIFFERENT.items()}
    assert len(set(result.values())) == len(result), result


@pytest.mark.parametrize(
    ("node", "asks"),
    [
        (over_events('hour("Europe/Berlin") > 8'), True),
        (over_events('on == true or not (n > 1 and weekday("Asia/Tokyo") in (6, 7))'), True),
        (over_events('time(placed, "%d.%m.%Y %H:%M", "Europe/Berlin") > time'), True),
        (over_events("hour() > 8"), False),
        (summed('= n * hour("Europe/Berlin")'), True),
        (summed("= n * hour()"), False),
        (run_of('weekday("Europe/Berlin") == 1'), True),
        (run_of("weekday() == 1"), False),
    ],
)
def test_the_data_of_time_zones_is_a_part_of_what_asks_for_their_clocks(
    monkeypatch: pytest.MonkeyPatch, node: dict[str, Any], asks: bool
) -> None:
    before = digest({"node": node})
    monkeypatch.setattr("timeline_app.compiler.identity.ZONE_DATA", "tzdata 2020a")
    assert (digest({"node": node}) != before) is asks


def test_text_true_and_number_one_are_different_values() -> None:
    kinds: dict[str, list[Any]] = {"state": ["1", "true", ""], "n": [1, 2], "on": [True, False]}
    result = set()
    for field, values in kinds.items():
        leaf = {"op": "latest_event_to_state", "stream": "s", "params": {"field": field}}
        result |= {digest({"a": leaf, "x": build_node("equal_to", "a", value=value)}) for value in values}
    assert len(result) == 7


def test_the_inputs_of_a_comparison_have_their_places() -> None:
    def compute_digest(of: str, other: str) -> str:
        return digest({**LEAVES, "x": {"op": "equal_to", "inputs": {"of": of, "other": other}}})

    assert compute_digest("a", "b") != compute_digest("a", "c")


@given(cases())
def test_a_program_travels_as_json_and_computes_the_same(case: tuple[Plan, Drawn]) -> None:
    compiled = compile_plan(case[0], {})
    for digest, program in compiled.programs.items():
        back = Program.from_document(orjson.loads(orjson.dumps(program.to_document())))
        assert back.to_document() == program.to_document()
        assert (back.digest, back.kind, back.inputs, back.fields) == (
            digest,
            program.kind,
            program.inputs,
            program.fields,
        )


def test_a_program_of_another_format_is_refused_not_misread() -> None:
    (program,) = compile_plan(
        {"version": 1, "nodes": {"a": PLAY}, "streams": {"s": STREAM}}, {}
    ).programs.values()
    with pytest.raises(ValueError, match="format 7"):
        Program.from_document({**program.to_document(), "format": 7})


@pytest.mark.deep
def test_a_negated_tower_of_and_and_or_is_compiled_at_once() -> None:
    nodes: dict[str, Any] = {**LEAVES, "l0": build_node("or", "a", "b"), "r0": build_node("or", "b", "c")}
    for level in range(1, 300):
        for side, op in (("l", "and"), ("r", "or")):
            nodes[f"{side}{level}"] = build_node(op, f"l{level - 1}", f"r{level - 1}")
    nodes["x"] = build_node("not", "l299")
    assert len(set(compute_digests(nodes).values())) == len(nodes)


def test_a_stack_of_diamonds_is_compiled_at_once() -> None:
    nodes: dict[str, Any] = dict(LEAVES)
    below = ["a", "b"]
    for level in range(150):
        nodes[f"l{level}"] = build_node("and" if level % 2 else "or", *below)
        nodes[f"r{level}"] = {"op": "equal_to", "inputs": {"of": below[0], "other": below[1]}}
        below = [f"l{level}", f"r{level}"]
    assert len(set(compute_digests(nodes).values())) == len(nodes)
