"""sequence: steps in their order, limits, what breaks a run, and the text of how far it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.depth import examples
from tests.evaluate.running import judge_plan, list_disagreements, run
from tests.operators.small import STREAM, Seconds, answer, assert_declared, build_event, build_plan
from tests.strategies import Drawn, Plan
from tests.strategies.events import declarations, deliveries
from tests.strategies.growing import Growing
from timeline_app.algebra import sequences
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.tables import EventTable
from timeline_app.evaluate.warnings import list_warnings
from timeline_app.evaluate.why import explain
from timeline_app.plan import check
from timeline_app.plan.reads import collect_read_fields, list_streams
from timeline_app.testing.points import build_batches

WEB: dict[str, Any] = {**STREAM, "fields": {"n": "number", "on": "bool", "page": "text"}}
OTHER: dict[str, Any] = {**WEB, "id": "id"}


def build_step(name: str, page: str, stream: str = "s", **more: Any) -> dict[str, Any]:
    """Events with this page make the step."""
    return {"name": name, "stream": stream, "where": f'page == "{page}"', **more}


A, B, C = build_step("a", "A"), build_step("b", "B"), build_step("c", "C")
LOGOUT = {"stream": "s", "where": 'page == "X"'}


def build_sequence(*steps: dict[str, Any], **params: Any) -> dict[str, Any]:
    """The node; `breaks` are what stands in its `not`."""
    breaks = {"not": params.pop("breaks")} if "breaks" in params else {}
    return {"op": "sequence", "params": {"steps": list(steps), **params, **breaks}}


def evaluate_node(node: dict[str, Any], pages: str, **streams: Any) -> Seconds:
    """What it says of the one key: `1 A, 2.5 B` are events, in seconds."""
    words = [item.split() for item in pages.split(",")]
    events = [build_event(float(time), page=page) for time, page in words]
    begin, *rest = answer({"q": node}, *events, **streams)["x"]
    assert begin == (None, None)
    return rest


def run_sequence(pages: str, *steps: dict[str, Any], **params: Any) -> Seconds:
    return evaluate_node(build_sequence(*steps, **params), pages)


def test_steps_one_after_the_other() -> None:
    assert run_sequence("1 A, 2 B, 3 C", A, B, C) == [(1, "a"), (2, "b"), (3, "completed")]


def test_a_key_is_born_with_any_event_and_says_none_until_a_run_begins() -> None:
    assert run_sequence("1 Z, 2 B, 3 A", A, B) == [(1, "none"), (3, "a")]


def test_an_event_that_is_not_the_next_step_changes_nothing() -> None:
    assert run_sequence("1 A, 2 C, 3 A, 4 B, 5 C", A, B, C) == [(1, "a"), (4, "b"), (5, "completed")]


def test_what_a_run_came_to_holds_until_the_next_one_begins() -> None:
    assert run_sequence("1 A, 2 B, 3 B, 4 A", A, B) == [(1, "a"), (2, "completed"), (4, "a")]


def test_without_a_limit_a_run_never_expires() -> None:
    assert run_sequence("1 A, 900000 B", A, B) == [(1, "a"), (900000, "completed")]


def test_at_the_very_instant_of_the_limit_an_event_is_too_late() -> None:
    assert run_sequence("1 A, 6 B", A, B, within="5s") == [(1, "a"), (6, "expired")]
    assert run_sequence("1 A, 5.999999 B", A, B, within="5s") == [(1, "a"), (5.999999, "completed")]


def test_the_event_at_the_limit_may_begin_a_new_run() -> None:
    assert run_sequence("1 A, 6 A, 10 B", A, B, within="5s") == [(1, "a"), (10, "completed")]
    assert run_sequence("1 A, 7 A", A, B, within="5s") == [
        (1, "a"),
        (6, "expired"),
        (7, "a"),
        (12, "expired"),
    ]


def test_the_first_limit_that_comes_ends_a_run() -> None:
    quick = build_step("b", "B", within="2s")
    assert run_sequence("1 A, 2.5 B, 7 C", A, quick, C, within="5s") == [(1, "a"), (2.5, "b"), (6, "expired")]
    assert run_sequence("1 A, 3 B", A, quick, C, within="5s") == [(1, "a"), (3, "expired")]


def test_what_breaks_begins_nothing_and_comes_before_a_step() -> None:
    both = {"stream": "s", "where": 'page == "B"'}
    assert run_sequence("1 A, 2 B", A, B, breaks=[both]) == [(1, "a"), (2, "broken")]
    first = {"stream": "s", "where": 'page == "A"'}
    assert run_sequence("1 A, 2 A, 3 B", A, B, breaks=[first]) == [(1, "a"), (2, "broken")]


def test_what_breaks_looks_only_at_a_run_that_is_on() -> None:
    assert run_sequence("1 X, 2 A, 3 B, 4 X", A, B, breaks=[LOGOUT]) == [
        (1, "none"),
        (2, "a"),
        (3, "completed"),
    ]


def test_what_breaks_between_two_steps_does_so_nowhere_else() -> None:
    node = build_sequence(A, B, C, breaks=[{**LOGOUT, "between": ["b", "c"]}])
    assert evaluate_node(node, "1 A, 2 X, 3 B, 4 C") == [(1, "a"), (3, "b"), (4, "completed")]
    assert evaluate_node(node, "1 A, 2 B, 3 X, 4 C") == [(1, "a"), (2, "b"), (3, "broken")]
    until_b = build_sequence(A, B, C, breaks=[{**LOGOUT, "between": ["a", "b"]}])
    assert evaluate_node(until_b, "1 A, 2 B, 3 X, 4 C") == [(1, "a"), (2, "b"), (4, "completed")]


def test_the_first_step_again_is_ignored_or_begins_the_run_anew() -> None:
    assert run_sequence("1 A, 4 A, 8 B", A, B, within="5s") == [(1, "a"), (6, "expired")]
    latest = build_sequence(A, B, C, within="5s", again="latest")
    assert evaluate_node(latest, "1 A, 2 B, 4 A, 5 B, 8 C") == [
        (1, "a"),
        (2, "b"),
        (4, "a"),
        (5, "b"),
        (8, "completed"),
    ]


def test_with_latest_a_next_step_goes_before_a_new_beginning() -> None:
    repeated = build_sequence(A, build_step("b", "A"), build_step("c", "A"), again="latest")
    assert evaluate_node(repeated, "1 A, 2 A, 3 A, 4 A") == [(1, "a"), (2, "b"), (3, "completed"), (4, "a")]


def test_one_event_makes_one_move_at_most() -> None:
    assert run_sequence("1 A, 2 A", A, build_step("b", "A")) == [(1, "a"), (2, "completed")]


def test_events_ignored_during_a_run_are_not_taken_up_later() -> None:
    assert run_sequence("1 A, 2 A, 3.5 B", A, B, within="2s") == [(1, "a"), (3, "expired")]


def test_a_step_without_a_condition_takes_every_event() -> None:
    assert run_sequence("1 A, 2 Z", A, {"name": "any", "stream": "s"}) == [(1, "a"), (2, "completed")]


def test_steps_of_several_streams_and_births_of_any() -> None:
    node = build_sequence(A, build_step("b", "B", stream="t"), breaks=[{"stream": "u"}])
    events = [
        build_event(1, _="u"),
        build_event(2, page="A"),
        build_event(3, page="B"),
        build_event(4, page="B", _="t"),
    ]
    result = answer({"q": node}, *events, build_event(9, key="y", _="u"), s=WEB, t=OTHER, u=WEB)
    assert result == {
        "x": [(None, None), (1, "none"), (2, "a"), (4, "completed")],
        "y": [(None, None), (9, "none")],
    }


def test_what_lasts_no_time_is_not_there() -> None:
    assert run_sequence("1 A, 1 B, 1 C", A, B, C) == [(1, "completed")]


def test_events_of_one_instant_go_by_id_as_numbers() -> None:
    first, second = build_event(1, page="A", id="9"), build_event(1, page="B", id="10")
    for events in ([first, second], [second, first]):
        assert answer({"q": build_sequence(A, B)}, *events, s=OTHER)["x"][1:] == [(1, "completed")]
    swapped = [{**first, "id": "10"}, {**second, "id": "9"}]
    assert answer({"q": build_sequence(A, B)}, *swapped, s=OTHER)["x"][1:] == [(1, "a")]


def test_without_ids_they_go_by_their_whole_canonical_text() -> None:
    """A field that no condition reads decides."""
    late, early = build_event(1, page="A", a=2), build_event(1, page="B", a=1)
    assert answer({"q": build_sequence(A, B)}, late, early)["x"][1:] == [(1, "a")]
    assert answer({"q": build_sequence(A, B)}, {**late, "a": 0}, early)["x"][1:] == [(1, "completed")]


def test_an_event_without_an_id_comes_before_one_with_an_id_of_another_stream() -> None:
    node = build_sequence(build_step("a", "A", stream="t"), build_step("b", "B", stream="s"))
    events = [build_event(1, page="A", id="1", _="t"), build_event(1, page="B")]
    assert answer({"q": node}, *events, s=WEB, t=OTHER)["x"][1:] == [(1, "a")]


def test_of_events_that_are_the_same_in_two_streams_the_name_of_the_stream_decides() -> None:
    forth = build_sequence(build_step("a", "A", stream="s"), build_step("b", "A", stream="t"))
    back = build_sequence(build_step("a", "A", stream="t"), build_step("b", "A", stream="s"))
    events = [build_event(1, page="A"), build_event(1, page="A", _="t")]
    assert answer({"q": forth}, *events, s=WEB, t=WEB)["x"][1:] == [(1, "completed")]
    assert answer({"q": back}, *events, s=WEB, t=WEB)["x"][1:] == [(1, "a")]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Plan, Drawn]:
    """Some sequences of one or two streams, and what asks for their runs."""
    streams = {name: draw(declarations()) for name in ("player", "ads")[: draw(st.integers(1, 2))]}
    growing = Growing(draw, tuple(streams))
    for _ in range(3):
        growing.sequence()
        of = f"n{len(growing.nodes) - 1}"
        growing.add("keys", "number", "sequence_duration", {"of": of})
        for outcome in ("completed", "expired", "broken"):
            growing.add("keys", "number", "sequence_count", {"of": of}, outcome=outcome)
    document = {"version": 1, "nodes": growing.nodes, "streams": streams}
    return document, {name: draw(deliveries(declared, most=40)) for name, declared in streams.items()}


@pytest.mark.parametrize("few", [0, 1_000])
@given(case=cases())
@examples(40)
def test_rounds_over_keys_and_one_key_alone_say_what_the_referee_says(
    few: int, case: tuple[Plan, Drawn]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequences, "MAX_LANES_WALKED_ALONE", few)
        document, events = case
        assert not list_disagreements(document, run(document, events), judge_plan(document, events))


def list_problems(node: dict[str, Any], **streams: Any) -> list[tuple[str, str | None, str]]:
    document = build_plan({"q": node}, **(streams or {"s": WEB}))
    result = check(document, {}).problems
    return [(item.code, item.port, f"{item.message}; {item.hint}") for item in result]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([A], "1 step; a sequence has 2 to 10"),
        ([build_step(str(n), "A") for n in range(11)], "11 steps; a sequence has 2 to 10"),
        ([A, {**B, "name": "a"}], "2 steps are called 'a'; give each a name of its own"),
        ([A, {**B, "name": "expired"}], "no step can be called 'expired'"),
        ([{**A, "within": "1s"}, B], "step 1: `within` counts from the step before"),
        ([A, {"name": "b"}], "2 (b): names no stream"),
        ([A, {**B, "where": "page =="}], "2 (b): "),
        ([A, {**B, "within": "soon"}], "2 (b): 'soon' is not a duration"),
        ([A, {**B, "when": 1}], "2 (b): there is no when here; known are name, stream, where, within"),
        ([A, 7], "2: 7 is no object"),
        ("A then B", "'A then B' is no list of steps"),
    ],
)  # fmt: skip
def test_steps_that_cannot_be_used_are_refused_with_the_place(steps: Any, message: str) -> None:
    node = {"op": "sequence", "params": {"steps": steps}}
    (code, port, answer), *_ = list_problems(node)
    assert (code, port) == ("bad_parameter", "steps")
    assert message in answer


def test_all_that_is_wrong_with_steps_is_said_at_once() -> None:
    [(_, _, answer)] = list_problems(
        build_sequence({**A, "stream": ""}, {**B, "within": "x"}, {**C, "name": ""})
    )
    assert [part in answer for part in ("1 (a)", "2 (b)", "3: ")] == [True] * 3


def test_a_stream_that_is_not_there_and_a_field_of_another_kind_are_refused() -> None:
    assert list_problems(build_sequence(A, build_step("b", "B", stream="shop")))[0][:2] == (
        "unknown_stream",
        "steps",
    )
    assert list_problems(build_sequence(A, {"name": "b", "stream": "s", "where": 'n == "B"'}))[0][:2] == (
        "wrong_type",
        "steps",
    )
    assert list_problems(build_sequence(A, B, breaks=[{"stream": "s", "where": "on > 3"}]))[0][1] == "not"


@pytest.mark.parametrize("between", [["a", "z"], ["b", "a"], ["a", "a"], ["a"]])
def test_what_breaks_stands_between_two_steps_in_their_order(between: list[str]) -> None:
    result = list_problems(build_sequence(A, B, breaks=[{**LOGOUT, "between": between}]))
    assert [port for _, port, _ in result] == ["not"]


def test_a_stream_of_its_own_is_refused() -> None:
    assert ("no_stream_here", "stream") in {
        problem[:2] for problem in list_problems({**build_sequence(A, B), "stream": "s"})
    }


def test_only_a_sequence_has_runs() -> None:
    nodes = {
        "q": build_sequence(A, B),
        "later": {"op": "shift", "inputs": {"of": "q"}, "params": {"duration": "1s"}},
    }
    nodes["took"] = {"op": "sequence_duration", "inputs": {"of": "later"}}
    [problem] = check(build_plan(nodes, s=WEB), {}).problems
    assert (problem.node, problem.code, problem.port) == ("took", "wrong_inputs", "of")


def test_a_stream_that_only_a_sequence_reads_is_not_unused() -> None:
    assert list_problems(build_sequence(A, build_step("b", "B", stream="t")), s=WEB, t=WEB) == []


def test_the_names_of_streams_and_their_declarations_are_part_of_what_it_is() -> None:
    def digest(node: dict[str, Any], **streams: Any) -> str:
        return compile_plan(build_plan({"q": node}, **streams), {}).names["q"]

    same = digest(build_sequence(A, {**B, "where": 'page=="B"'}), s=WEB)
    assert digest(build_sequence(A, B), s=WEB) == same == digest(build_sequence(A, B, again="first"), s=WEB)
    others = [
        digest(build_sequence(A, B), s=OTHER),
        digest(build_sequence(A, {**B, "name": "z"}), s=WEB),
        digest(build_sequence(A, B, within="1s"), s=WEB),
        digest(build_sequence(A, B, again="latest"), s=WEB),
        digest(build_sequence(A, {**B, "within": "1s"}), s=WEB),
        digest(build_sequence(A, B, breaks=[LOGOUT]), s=WEB),
    ]
    assert len({same, *others}) == 1 + len(others)


def read_link(node: dict[str, Any], at: float, pages: str) -> dict[str, Any]:
    compiled = compile_plan(build_plan({"q": node}), {})
    words = [item.split() for item in pages.split(",")]
    events = [build_event(float(time), page=page) for time, page in words]
    document: dict[str, Any] = explain(
        compiled, build_batches(compiled, {"s": events}), "q", "x", round(at * 1e6)
    )["chain"][0]
    return document


def read_why(node: dict[str, Any], at: float, pages: str) -> tuple[str, list[float]]:
    """The sentence, and when the events that it speaks of were."""
    result = read_link(node, at, pages)
    assert all(boundary["found"] and boundary["events"] for boundary in result["events"])
    return result["sentence"], [boundary["t"] / 1e6 for boundary in result["events"]]


def test_why_says_which_event_made_which_step() -> None:
    assert read_why(build_sequence(A, B, C), 3, "1 A, 2 B, 3 C") == (
        "Every step was made: `a` at 00:00:01, `b` at 00:00:02, `c` at 00:00:03, 2 s in all.", [1, 2, 3],
    )  # fmt: skip
    sentence, times = read_why(build_sequence(A, B, C), 2, "1 A, 2 B")
    assert '`c` is missing so far: an event of `s` with `page == "C"`' in sentence
    assert times == [1, 2]


def test_why_says_what_was_missing_and_by_when_it_had_to_come() -> None:
    sentence, times = read_why(
        build_sequence(A, build_step("b", "B", within="2s"), C, within="5s"), 4, "1 A, 8 Z"
    )
    assert sentence.startswith(
        '`b` was missing (an event of `s` with `page == "B"`): it had to come before 00:00:03, 2s'
    )
    assert times == [1]
    assert "before 00:00:06, 5s after `a`" in read_why(build_sequence(A, B, within="5s"), 7, "1 A, 8 Z")[0]


def test_why_shows_the_event_that_came_too_late() -> None:
    assert read_why(build_sequence(A, B, within="5s"), 9, "1 A, 8 B, 9 Z")[1] == [1, 8]
    assert read_why(build_sequence(A, B, within="5s"), 9, "1 A, 6 B, 9 Z")[1] == [1, 6]
    assert read_why(build_sequence(A, B, within="5s"), 7, "1 A, 8 B")[1] == [1]


def list_late_events(pages: str) -> list[tuple[float, str]]:
    """When the events were that came too late, and what is said of each."""
    events = read_link(build_sequence(A, B, within="5s"), 90, pages)["events"]
    return [(item["t"] / 1e6, item["rule"]) for item in events if item["rule"]]


def test_why_says_by_how_much_the_first_event_that_missed_the_limit_was_late() -> None:
    assert list_late_events("1 A, 9 B, 11 B, 12 Z") == [(9, "Late by 3 s.")]
    assert list_late_events("1 A, 6 B, 11 B") == [(6, "Too late: it came at the very instant of the limit.")]
    assert list_late_events("1 A, 6.25 B") == [(6.25, "Late by 250 ms.")]
    many = ", ".join(f"{second} B" for second in range(8, 60))
    assert list_late_events(f"1 A, {many}") == [(8, "Late by 2 s.")]
    assert list_late_events("1 A, 9 Z, 60 A, 80 B") == [(80, "Late by 15 s.")]


def test_why_says_what_broke_a_run() -> None:
    sentence, times = read_why(build_sequence(A, B, breaks=[LOGOUT]), 3, "1 A, 2 X")
    assert (
        sentence
        == 'At 00:00:02 an event of `s` with `page == "X"` broke the run; `b` was missing, after `a` at 00:00:01.'
    )
    assert times == [1, 2]


def test_why_before_the_first_run() -> None:
    assert (
        read_link(build_sequence(A, B), 0.5, "1 Z, 2 A")["sentence"]
        == "No event of `s` had come for `x` by then."
    )
    assert read_link(build_sequence(A, B), 1, "1 Z, 2 A")["sentence"].startswith("No run has begun")


def test_declared() -> None:
    parameters = [("steps", "steps"), ("within", "duration"), ("not", "breaks"), ("again", "choice")]
    assert_declared("sequence", category="stream", inputs=[], parameters=parameters, output="text")


def test_the_document_is_plain_json() -> None:
    compiled = compile_plan(build_plan({"q": build_sequence(A, B, breaks=[LOGOUT])}), {})
    [program] = compiled.programs.values()
    repeated = type(program).from_document(json.loads(json.dumps(program.to_document())))
    assert repeated == program
    assert repeated.fields == {"s": ("_canonical_text", "page")}


def test_what_is_read_of_streams_is_told() -> None:
    node = build_sequence(A, build_step("b", "B", stream="t"), breaks=[{"stream": "u", "where": "n > 3"}])
    assert collect_read_fields(build_plan({"q": node})) == {"s": {"page"}, "t": {"page"}, "u": {"n"}}
    assert collect_read_fields(build_plan({"q": node}), build_plan({"q": node})) == {}
    assert list(list_streams(node)) == ["s", "t", "u"]


def test_a_condition_of_a_step_that_no_event_meets_is_told() -> None:
    compiled = compile_plan(
        build_plan({"q": build_sequence(A, build_step("b", "Bb"), breaks=[LOGOUT])}, s=WEB), {}
    )
    batch = build_batches(compiled, {"s": [build_event(1, page="A"), build_event(2, page="B")]})["s"]
    warnings = list_warnings(compiled, {"s": EventTable.from_batch(batch, ("n", "on", "page"))})
    unmet = [
        (item.node, item.port, item.stream, item.message)
        for item in warnings
        if item.code == "unmet_condition"
    ]
    assert unmet == [
        ("q", "steps", "s", 'no event meets the condition page == "Bb"'),
        ("q", "not", "s", 'no event meets the condition page == "X"'),
    ]


def test_a_value_of_a_step_that_no_event_has_is_told_beside_those_that_are_met() -> None:
    either = {"name": "b", "stream": "s", "where": 'page in ("B", "Shopp")'}
    compiled = compile_plan(build_plan({"q": build_sequence(A, either)}, s=WEB), {})
    batch = build_batches(
        compiled, {"s": [build_event(1, page="A"), build_event(2, page="B"), build_event(3, page="Shop")]}
    )["s"]
    warnings = list_warnings(compiled, {"s": EventTable.from_batch(batch, ("n", "on", "page"))})
    unseen = [item for item in warnings if item.code == "unseen_value"]
    assert [(item.node, item.port, item.stream) for item in unseen] == [("q", "steps", "s")]
    assert "Shopp" in unseen[0].message


def test_a_condition_of_a_step_that_orders_numbers_as_text_is_told() -> None:
    node = build_sequence(A, {"name": "b", "stream": "t", "where": 'page > "10"'})
    result = check(build_plan({"q": node}, s=WEB, t=WEB), {}).problems
    assert [(item.code, item.port, item.stream) for item in result] == [("text_order", "steps", "t")]
