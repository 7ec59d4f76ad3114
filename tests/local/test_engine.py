"""The local engine says what the referee says, whatever the plan, the events and their order."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.local.running import agree, judged, run
from tests.strategies import Drawn, Plan, cases


@given(cases())
def test_every_answer_is_the_referees(case: tuple[Plan, Drawn]) -> None:
    plan, events = case
    agree(plan, run(plan, events), judged(plan, events))


@given(cases(), st.randoms(use_true_random=False))
def test_any_order_of_delivery_gives_the_same_answer(case: tuple[Plan, Drawn], random: Random) -> None:
    plan, events = case
    mixed = {name: random.sample(items, len(items)) for name, items in events.items()}
    assert run(plan, mixed) == run(plan, events)
