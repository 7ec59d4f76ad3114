"""How long the latest completed run of a sequence took."""

from timeline_app.algebra.runs import compute_durations
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.facts import derive_run_facts
from timeline_app.operators.ports import Number, Text
from timeline_app.operators.reasons_of_runs import explain_duration

_EXAMPLE = Example(
    """
    bought = sequence(steps = {search: shop.page == "search", paid: shop.page == "paid"}, within = 4s)
    took = sequence_duration(bought)
    """,
    "1 page=search; 3.5 page=paid; 5 page=search; 6 page=paid; 8 page=search",
)


@operator(
    "Sequence duration",
    category="timelines",
    example=_EXAMPLE,
    facts_of=derive_run_facts,
    why=explain_duration,
    synonyms=("time to convert", "lead time", "how long from A to B", "time between steps"),
)
def sequence_duration(of: Text) -> Number:
    """The seconds from the first to the last step of the latest completed run; unknown before the first.

    Takes a `sequence`. A run that completes at the instant at which it began takes 0 seconds.
    """
    return compute_durations(of)
