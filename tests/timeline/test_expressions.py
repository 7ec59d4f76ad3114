"""Expressions in Python: signs, methods and arguments become the nodes that they mean, mistakes are told at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from timeline_app import timeline as tl
from timeline_app.operators import operators
from timeline_app.plan.text.words import COMPARISONS
from timeline_app.timeline.help import list_slots, to_python_name

player = tl.stream("player")
state = player.latest_event_to_state("player_state")
count = player.event_count()


def build_node(expression: tl.Timeline) -> dict[str, Any]:
    """The node of an expression alone."""
    document: dict[str, Any] = tl.plan(it=expression).document()["nodes"]["it"]
    return document


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (state == "buffer", 'latest_event_to_state(player.player_state) == "buffer"'),
        (state != "buffer", 'latest_event_to_state(player.player_state) != "buffer"'),
        (count < 3, "event_count(player) < 3"),
        (count <= 3, "event_count(player) <= 3"),
        (count > 3, "event_count(player) > 3"),
        (count >= 3, "event_count(player) >= 3"),
        (3 > count, "event_count(player) < 3"),  # noqa: SIM300
        (count + 1, "event_count(player) + 1"),
        (1 + count, "event_count(player) + 1"),
        (count - 1, "event_count(player) - 1"),
        (2 * count, "event_count(player) * 2"),
        (count / 2, "event_count(player) / 2"),
        (~(count > 3), "not event_count(player) > 3"),
        ((count > 3) | (state == "a"), 'event_count(player) > 3 or latest_event_to_state(player.player_state) == "a"'),
    ],
    ids=str,
)  # fmt: skip
def test_a_sign_means_what_it_means_in_the_text_language(expression: tl.Timeline, text: str) -> None:
    assert repr(expression) == text


def test_every_comparison_has_its_sign() -> None:
    for sign, op in COMPARISONS.items():
        assert build_node(eval(f"count {sign} 3", {"count": count}))["op"] == op


def test_a_chain_of_and_is_one_node() -> None:
    joined = (state == "a") & (state == "b") & (count > 1)
    assert len(build_node(joined)["inputs"]["of"]) == 3
    assert len(build_node(joined.named("both") & (count > 2))["inputs"]["of"]) == 2


def test_every_operator_is_a_method_and_a_function_with_help() -> None:
    for op in operators().values():
        name, owner = to_python_name(op.name), tl.Stream if op.needs_stream else tl.Timeline
        assert (name in dir(owner)) is not op.reads_streams
        assert name in dir(tl)
        assert op.summary in (inspect.getdoc(getattr(tl, name)) or "")
        items = {to_python_name(item.name) for item in list_slots(op)}
        assert items == {*inspect.signature(getattr(tl, name)).parameters} - {"stream"}


def test_a_timeline_goes_to_the_next_port_and_a_value_to_the_next_parameter() -> None:
    cdn = player.latest_event_to_state("cdn")
    assert build_node(count.aggregate("max", cdn, "3s")) == build_node(
        count.aggregate(every="3s", by=cdn, function="max")
    )
    isp = player.latest_event_to_state("isp")
    assert isinstance(build_node(count.aggregate("max", by=cdn))["inputs"]["by"], str)
    assert len(build_node(count.aggregate("max", by=[cdn, isp]))["inputs"]["by"]) == 2
    assert build_node(count.greater_than(count)) == {
        "op": "greater_than",
        "inputs": {"of": "event_count", "other": "event_count"},
    }
    chosen = tl.plan(it=tl.when(state == "a", count, otherwise=count * 2)).document()
    assert list(chosen["nodes"]["it"]["inputs"]) == ["if", "of", "otherwise"]
    assert build_node((state == "a").when(count)) == build_node(tl.when(of=count, if_=state == "a"))


def test_a_condition_is_text_or_made_of_fields() -> None:
    field = tl.field("player_state")
    assert build_node(player.has_existed(field == "play"))["params"] == {"where": 'player_state == "play"'}
    made = (field.is_in("a", "b") & ~(tl.field("n") >= 2)) | field.is_missing()
    assert str(made) == '(n < 2 and player_state in ("a", "b")) or player_state is missing'
    with pytest.raises(TypeError, match="neither true nor false"):
        assert field == "play"
    with pytest.raises(TypeError, match="text, a number, True or False"):
        field == None  # noqa: B015, E711


def test_a_duration_may_be_a_timedelta() -> None:
    assert build_node((state == "a").held_for(timedelta(minutes=2)))["params"] == {"duration": "2min"}


@pytest.mark.parametrize(
    "asked",
    [
        lambda: bool(state == "a"),
        lambda: 1 < count < 5,
        lambda: (state == "a") and (state == "b"),
        lambda: not count,
        lambda: count in [state],
    ],
)
def test_an_expression_has_no_truth_value(asked: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"a timeline is neither true nor false here.*write & \| ~"):
        asked()


def test_expressions_can_be_kept_in_sets_and_dictionaries() -> None:
    assert {state: 1, count: 2}[count] == 2
    assert len({state, count, state}) == 2


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda: player.event_cout, AttributeError, "did you mean event_count"),
        (lambda: player.held_for("5s"), AttributeError, "operator of a timeline, not of a stream"),
        (lambda: state.has_existed("a == 1"), AttributeError, "operator of a stream, not of a timeline"),
        (lambda: tl.nothing, AttributeError, "no attribute 'nothing'"),
        (lambda: state.held_for("5 sec"), ValueError, "not a duration"),
        (lambda: player.has_existed("a = 1"), ValueError, "write '=='"),
        (player.latest_event_to_state, TypeError, "needs 'field', for example"),
        (lambda: tl.has_existed("a == 1"), TypeError, "reads a stream"),
        (state.equal_to, TypeError, "exactly one of value, other"),
        (lambda: state == None, TypeError, "exactly one of value, other"),  # noqa: E711
        (lambda: state.equal_to(count, value=3), TypeError, "exactly one of value, other"),
        (lambda: state.shift("5s", "6s"), TypeError, "takes a timeline as 'of', 'duration'; '6s' is none"),
        (lambda: state.shift(count, "5s"), TypeError, "no port for so many timelines"),
        (lambda: state.shift(duration=count), TypeError, "takes a duration as 'duration', not a timeline"),
        (lambda: state.shift("5s", duration="5s"), TypeError, "'duration' twice"),
        (lambda: count.aggregate("sum", bye=state), TypeError, "did you mean by"),
        (lambda: tl.when([state, state], count), TypeError, "one timeline as 'if'"),
        (lambda: (state == "a") & True, TypeError, "takes timelines as 'of'; True is none"),
        (lambda: tl.when(player, count), TypeError, "takes a timeline as 'if'"),
        (lambda: 3 - count, TypeError, r"write x \* -1 \+ 3"),
        (lambda: 3 / count, TypeError, "only a timeline can be divided"),
        (lambda: count.named("a b"), ValueError, "cannot be the name of a node"),
    ],
)
def test_a_mistake_is_told_where_it_is_made(
    wrong: Callable[[], Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        wrong()
