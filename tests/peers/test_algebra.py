"""Every operator has a plan in `bench-algebra`, and every group is one query."""

from __future__ import annotations

import pytest

from benchmarks.algebra.plans import GROUPS, PLANS, list_left_out, make_plan
from timeline_app.compiler import compile_plan
from timeline_app.compiler.placement import merge_programs
from timeline_app.operators import operators


def test_every_operator_has_a_plan_but_those_by_arrival() -> None:
    assert list_left_out() == sorted(name for name, op in operators().items() if op.by_arrival)
    assert set(PLANS) <= set(operators())


@pytest.mark.parametrize("op", PLANS)
def test_the_plan_of_an_operator_computes_it(op: str) -> None:
    document = make_plan(op)
    assert document["results"] == [f"{op}_"]
    assert document["nodes"][f"{op}_"]["op"] == op
    compile_plan(document, {})


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_is_one_program(group: str) -> None:
    compiled = compile_plan(make_plan(*GROUPS[group]), {})
    assert len(merge_programs(list(compiled.programs.values())).nodes) == len(compiled.programs)
