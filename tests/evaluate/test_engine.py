"""The local engine says what the referee says, whatever the plan, the events and their order."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.running import compute_timelines, judge_plan, list_disagreements, run
from tests.referee import Referee
from tests.strategies import Drawn, Plan, cases
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import compute_finality
from timeline_app.testing.points import build_batches


@given(cases())
def test_every_answer_is_the_referees(case: tuple[Plan, Drawn]) -> None:
    plan, events = case
    assert list_disagreements(plan, run(plan, events), judge_plan(plan, events)) == []


@pytest.mark.deep
@given(cases(), st.randoms(use_true_random=False))
def test_any_order_of_delivery_gives_the_same_answer(case: tuple[Plan, Drawn], random: Random) -> None:
    plan, events = case
    mixed = {name: random.sample(items, len(items)) for name, items in events.items()}
    assert run(plan, mixed) == run(plan, events)


@pytest.mark.deep
@given(cases())
def test_births_and_what_is_final_are_the_referees(case: tuple[Plan, Drawn]) -> None:
    plan, events = case
    referee, compiled = Referee(plan, events), compile_plan(plan, {})
    final = compute_finality(compiled, build_batches(compiled, events))
    for name, item in compute_timelines(plan, events).items():
        births = dict(zip(map(str, item.names), item.birth.tolist(), strict=True))
        assert births == {key: referee.state(name, key)[0] for key in referee.answer(name)}
        assert final[compiled.names[name]] == referee.final_until(name)
