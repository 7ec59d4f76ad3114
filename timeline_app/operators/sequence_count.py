"""How many runs of a sequence ended in one way."""

from dataclasses import replace
from typing import Annotated

from timeline_app.algebra.runs import count_of_runs
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_run_facts
from timeline_app.operators.parameters import ParameterType
from timeline_app.operators.ports import Number, Text
from timeline_app.operators.reasons_of_runs import explain_count
from timeline_app.operators.steps import OUTCOMES

_EXAMPLE = Example(
    """
    bought = sequence(steps = {search: shop.page == "search", paid: shop.page == "paid"}, within = 3s)
    lost = sequence_count(bought, expired)
    """,
    "1 page=search; 2 page=paid; 3 page=search; 7 page=search; 8.5 page=paid",
)

Outcome = Annotated[str, ParameterType("choice", "completed", OUTCOMES)]


@operator(
    "Sequence count",
    category="timelines",
    example=_EXAMPLE,
    facts_of=lambda inputs, *_: replace(derive_run_facts(inputs), accumulates=True),
    why=explain_count,
    synonyms=("conversions", "drop-outs", "completed funnels", "timeouts"),
)
def sequence_count(of: Text, outcome: Outcome) -> Number:
    """How many runs have ended so: `completed`, `expired` or `broken`; 0 before the first.

    Takes a `sequence`. Every run counts, also one that lasted no time.
    """
    return count_of_runs(of, OUTCOMES.index(outcome))
