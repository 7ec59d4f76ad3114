"""From keys to groups of keys."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from timeline_app.algebra.groups import Deltas, contributions, group_timelines, running
from timeline_app.algebra.kinds import Kind, Scalar
from timeline_app.algebra.sums import totals
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import AcrossKeys, Facts, Measure, Number, Text, operator
from timeline_app.operators.parameters import ParameterType

Function = Annotated[str, ParameterType("choice", "sum", ("sum", "count", "avg"))]


def _collect(deltas: Deltas, kind: Kind, function: str) -> Timelines:
    """The groups' timelines from the exact sums of what their keys contribute."""
    sums, _ = running(deltas)
    known = sums[:, 1]
    if function == "count" and kind is Kind.NUMBER:
        value, slope = known.astype(np.float64), np.zeros(len(known))
    elif function == "avg":
        value, slope = totals(sums, deltas.time, np.maximum(known, 1))
        value = np.where(known > 0, value, np.nan)
    else:
        value, slope = totals(sums, deltas.time)
    return group_timelines(deltas, Kind.NUMBER, np.nan if function == "avg" else 0.0, value, slope)


def _facts(inputs: Mapping[str, Facts], params: Mapping[str, Any], _: object) -> Facts:
    of = inputs.get("of", Facts(Kind.NUMBER))
    if of.kind is Kind.BOOL and params.get("function") == "sum":
        raise ValueError("the sum of a bool is refused; take count (how many are true) or avg (their share)")
    return Facts(Kind.NUMBER, of.steady or params.get("function") == "count")


def _start(params: Mapping[str, Any]) -> Scalar:
    return None if params["function"] == "avg" else 0.0


@operator(
    "Aggregate",
    category="keys",
    facts=_facts,
    across_keys=AcrossKeys(lambda of, by=None, **_: contributions(of, by), _collect),
    start=_start,
)
def aggregate(of: Measure, by: Text | None = None, function: Function = "sum") -> Number:
    """At each instant, the sum, count or average over the keys of each group.

    A key counts from its birth, in the group that `by` names at that instant; keys whose group or value is unknown
    then are left out. Without `by` there is one group, `*`. Of a bool, count is the number of keys where it is
    true and avg the share of true among known. With no key, count and sum are 0 and avg is unknown. Exact for
    all time.
    """
    return _collect(contributions(of, by), of.kind, function)
