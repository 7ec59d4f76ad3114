"""From keys to groups of keys."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from timeline_app.algebra.groups import Deltas, contributions, group_timelines, running
from timeline_app.algebra.kinds import SECOND, Kind, Scalar
from timeline_app.algebra.samples import Rank, sampled
from timeline_app.algebra.sums import totals
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import AcrossKeys, Facts, WrongInputs, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.membership import reason_of_group
from timeline_app.operators.parameters import ParameterType, parse_percentile
from timeline_app.operators.ports import Duration, LastEvent, Measure, Number, Since, Text
from timeline_app.operators.reasons import Question, Reason

_CHOICES = ("sum", "count", "avg", "min", "p50", "p90", "p99", "max")
Function = Annotated[str, ParameterType("choice", "sum", _CHOICES, percentiles=True)]


def _rank(function: str) -> Rank | None:
    """The rank that a function takes; None where it takes none."""
    if function in ("min", "max"):
        return Rank(Fraction(int(function == "max")))
    part = parse_percentile(function)
    return None if part is None else Rank(part / 100)


def _collect(deltas: Deltas, kind: Kind, function: str, **_: object) -> Timelines:
    """The groups' timelines from the exact sums of what their keys contribute."""
    sums, _first = running(deltas)
    known = sums[:, 1]
    if function == "count" and kind is not Kind.BOOL:
        value, slope = known.astype(np.float64), np.zeros(len(known))
    elif function == "avg":
        value, slope = totals(sums, deltas.time, np.maximum(known, 1))
        value = np.where(known > 0, value, np.nan)
    else:
        value, slope = totals(sums, deltas.time)
    return group_timelines(deltas, Kind.NUMBER, np.nan if function == "avg" else 0.0, value, slope)


def _facts(inputs: Mapping[str, Facts], params: Mapping[str, Any], _: object) -> Facts:
    of, function = inputs.get("of", Facts(Kind.NUMBER)), str(params.get("function"))
    if of.kind is Kind.BOOL and function not in ("count", "avg"):
        cure = "take count (how many are true) or avg (their share)"
        raise WrongInputs("function", f"the {function} of a bool is refused", cure)
    if of.kind is Kind.RATIO and function in ("sum", "avg"):
        cure = "divide the sums instead: aggregate numerator and denominator, then divide"
        raise WrongInputs("function", f"the {function} of a ratio is refused", cure)
    return Facts(Kind.NUMBER, of.steady or function not in ("sum", "avg"))


def _start(params: Mapping[str, Any]) -> Scalar:
    return 0.0 if params["function"] in ("count", "sum") else None


def _canonical(params: dict[str, Any]) -> dict[str, Any]:
    """`every` means nothing where the function is exact for all time; p100 is max."""
    if _rank(params["function"]) is None:
        return {name: value for name, value in params.items() if name != "every"}
    return params | {"function": "max"} if params["function"] == "p100" else params


def _why(question: Question) -> Reason:
    return reason_of_group(question, _rank(question.params["function"]))


_EXAMPLE = Example(
    """
    buffered = duration_where(latest_event_to_state(player.buffering))
    cdn = latest_event_to_state(player.cdn)
    by_cdn = aggregate(buffered, sum, by = cdn)
    """,
    "1 s1 cdn=A buffering=true; 2 s2 cdn=B; 3 s2 buffering=true; "
    "4 s1 buffering=false; 6 s2 cdn=A; 8 s2 buffering=false",
)


@operator(
    "Aggregate",
    category="keys",
    example=_EXAMPLE,
    why=_why,
    facts_of=_facts,
    across_keys=AcrossKeys(
        lambda of, by=None, **_: contributions(of, by),
        _collect,
        lambda params: _rank(params["function"]) is None,
        lambda params: None if _rank(params["function"]) is None else params["every"],
    ),
    start=_start,
    canonical=_canonical,
    synonyms=("group by", "percentile", "quantile", "across keys"),
)
def aggregate(
    of: Measure,
    last: LastEvent,
    since: Since,
    by: Text | None = None,
    function: Function = "sum",
    every: Duration = 10 * SECOND,
) -> Number:
    """At each instant, one number of the keys of each group: sum, count, avg, min, max or any percentile.

    A key counts from its birth, in the group that `by` names at that instant; keys whose group or value is unknown
    then are left out. Without `by` there is one group, `*`. Of a bool, count is the number of keys where it is
    true and avg the share of true among known; the others are refused. With no key, count and sum are 0, the others
    unknown.

    sum, count and avg are exact for all time. min, max and percentiles are exact at the multiples of `every` since the
    epoch, from the first birth to the first multiple after the last event, and hold in between. A percentile is p and
    a number above 0 and up to 100, such as p50, p95 or p99.9: of n values in order the one at the place p * n / 100,
    rounded up.
    """
    if (rank := _rank(function)) is not None:
        return sampled(of, by, rank, every, (since, last))
    return _collect(contributions(of, by), of.kind, function)
