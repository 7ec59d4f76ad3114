"""Keys are evaluated in blocks: how many are in one changes nothing."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given

from tests.evaluate.running import run
from tests.strategies import Drawn, Plan, cases
from timeline_app.algebra import blocks


@pytest.mark.deep
@given(cases())
def test_the_size_of_a_block_changes_nothing(case: tuple[Plan, Drawn]) -> None:
    plan, events = case
    with mock.patch.object(blocks, "EVENTS_PER_BLOCK", 1):
        one_by_one = run(plan, events)
    assert one_by_one == run(plan, events)
