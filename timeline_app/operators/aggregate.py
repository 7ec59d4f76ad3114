"""From keys to groups of keys."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from timeline_app.algebra.groups import Deltas, compute_contributions, compute_running_sums, group_timelines
from timeline_app.algebra.joined import join_texts
from timeline_app.algebra.kinds import SECOND, Kind, Scalar
from timeline_app.algebra.occurrences import count_distinct, find_most_frequent
from timeline_app.algebra.samples import MakeGrid, Multiples, Rank, Spread, sample_groups
from timeline_app.algebra.spread import compute_deviation, compute_variance
from timeline_app.algebra.sums import compute_totals
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import AcrossKeys, Facts, Make, WrongInputs, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.membership import explain_group
from timeline_app.operators.parameters import ParameterType, parse_percentile, spell_duration
from timeline_app.operators.ports import Anything, LastEvent, Many, Number, Since, Text, Zone
from timeline_app.operators.reasons import Question, Reason
from timeline_app.times.calendar import DAY
from timeline_app.times.periods import CLOCK_PERIODS, PERIODS, get_shortest_period

_ACCEPTS: Mapping[str, tuple[Kind, ...]] = {
    "sum": (Kind.NUMBER,),
    "count": (Kind.BOOL, Kind.TEXT, Kind.NUMBER, Kind.RATIO),
    "avg": (Kind.BOOL, Kind.NUMBER),
    "share": (Kind.BOOL,),
    **dict.fromkeys(("min", "p50", "p90", "p99", "max"), (Kind.NUMBER, Kind.RATIO)),
    **dict.fromkeys(("stddev", "variance"), (Kind.NUMBER,)),
    "distinct": (Kind.TEXT,),
    "mode": (Kind.BOOL, Kind.TEXT, Kind.NUMBER),
}
"""The kinds of inputs of each function."""
_HINTS = {
    Kind.BOOL: "take count (how many are true), share (how many of the known) or mode (the most frequent)",
    Kind.TEXT: "take distinct (how many different values), mode (the most frequent) or count (how many are known)",
    Kind.NUMBER: "take avg, or compare the number: the share of a bool is how many of the known are true",
    Kind.RATIO: "divide the sums instead: aggregate numerator and denominator, then divide",
}
Every = Annotated[int | str, ParameterType("duration", "10s", ("1w", "1month"))]
Function = Annotated[str, ParameterType("choice", "sum", tuple(_ACCEPTS), percentiles=True)]


_SAME = {"p100": "max", "share": "avg"}
_SPREADS = {"stddev": compute_deviation, "variance": compute_variance}
_OF_NONE = ("count", "distinct", "sum")
"""These are 0 of no key; the others are unknown."""
_NEED_ALL_KEYS = ("distinct", "mode")
"""These need all keys at once; the other functions that are exact for all time use sums."""
_DEFAULT_EVERY_MICROS = 10 * SECOND
_DURATIONS = {**CLOCK_PERIODS, "1d": DAY}
"""Periods of the calendar that are durations as well, in microseconds."""


def _rank(function: str) -> Rank | None:
    """Return the rank that a function takes; None where it takes none."""
    if function in ("min", "max"):
        return Rank(Fraction(int(function == "max")))
    percentile = parse_percentile(function)
    return None if percentile is None else Rank(percentile / 100)


def _group(by: Sequence[Timelines] | None) -> Timelines | None:
    """Return the one text that says in which group a key is."""
    return by[0] if by and len(by) == 1 else join_texts(by) if by else None


def _contribute(
    of: Timelines, by: Sequence[Timelines] | None = None, *, function: str, **_: object
) -> Deltas:
    """Return what each key adds to the exact sums of its group."""
    return compute_contributions(of, _group(by), squares=function in _SPREADS)


def _expand(make: Make, inputs: Mapping[str, tuple[str, ...]], params: Mapping[str, Any]) -> str | None:
    """Replace several `by` by their group key, and a zone by the calendar's."""
    op = "aggregate_by_calendar" if "zone" in params else "aggregate"
    if len(inputs.get("by", ())) >= 2:
        return make(op, {**inputs, "by": (make("group_key", {"of": inputs["by"]}),)}, **params)
    return make(op, inputs, **params) if "zone" in params else None


def _collect(deltas: Deltas, kind: Kind, function: str, **_: object) -> Timelines:
    """Return the groups' timelines from the exact sums of what their keys contribute."""
    sums, _first = compute_running_sums(deltas)
    counts = sums[:, 1]
    if function in _SPREADS:
        value, slope = _SPREADS[function](sums), np.zeros(len(counts))
    elif function == "count" and kind is not Kind.BOOL:
        value, slope = counts.astype(np.float64), np.zeros(len(counts))
    elif function == "avg":
        value, slope = compute_totals(sums, deltas.time, np.maximum(counts, 1))
        value = np.where(counts > 0, value, np.nan)
    else:
        value, slope = compute_totals(sums, deltas.time)
    start = 0.0 if function in _OF_NONE else np.nan
    return group_timelines(deltas, Kind.NUMBER, start, value, slope)


def _derive_facts(inputs: Mapping[str, Facts], params: Mapping[str, Any], _: object) -> Facts:
    _check_period(params)
    of, function = inputs.get("of", Facts(Kind.NUMBER)), str(params.get("function"))
    if of.kind not in _ACCEPTS.get(function, _ACCEPTS["max"]):
        raise WrongInputs(
            "function",
            f"the {function} of a {of.kind.value} is refused",
            _suggest_function(function, of.kind),
        )
    if function == "mode" and not of.steady:
        hint = "take the mode of a field, a count or a state, or p50, the median"
        raise WrongInputs("function", "the mode of a number that climbs is refused", hint)
    return Facts(of.kind if function == "mode" else Kind.NUMBER, of.steady or function not in ("sum", "avg"))


def _check_period(params: Mapping[str, Any]) -> None:
    every = params.get("every")
    if "zone" in params and (every is None or _name_period(every) not in PERIODS):
        reason = "there is none" if every is None else f"{_name_period(every)} is none"
        raise WrongInputs(
            "every",
            f"with a zone, `every` is a period of the calendar, and {reason}",
            f"choose one of {', '.join(PERIODS)}, or take the zone away",
        )


def _name_period(every: int | str) -> str:
    """Return a period of the calendar; of microseconds the duration, in minutes, hours or days."""
    if isinstance(every, str):
        return every
    return next((name for name, micros in _DURATIONS.items() if micros == every), spell_duration(every))


def _suggest_function(function: str, kind: Kind) -> str:
    if function == "distinct" and kind is not Kind.TEXT:
        return (
            "distinct is how many different known values a text has; take count, or mode, the most frequent"
        )
    return _HINTS[kind]


def _start(params: Mapping[str, Any]) -> Scalar:
    return 0.0 if params["function"] in _OF_NONE else None


def _normalize(params: dict[str, Any], inputs: Mapping[str, Facts]) -> dict[str, Any]:
    """Normalise parameters: explicit `every` where it is used; p100 as max, the share of a bool as its avg."""
    function = _SAME.get(params["function"], params["function"])
    climbs = function in _SPREADS and not inputs["of"].steady
    if _rank(function) is None and not climbs:
        return {"function": function}
    every, zone = params.get("every", _DEFAULT_EVERY_MICROS), params.get("zone", "UTC")
    if isinstance(every, str) or zone != "UTC":
        return {"function": function, "every": _name_period(every), "zone": zone}
    return {"function": function, "every": every}


def _measure(every: int | str | None) -> int | None:
    """Return how long the shortest period is, in microseconds."""
    return get_shortest_period(every) if isinstance(every, str) else every


def summarize(
    of: Timelines, by: Timelines | None, function: str, make_grid: MakeGrid, span: tuple[int, int]
) -> Timelines:
    """Return a function that is found on a grid."""
    return sample_groups(of, by, _rank(function) or Spread(_SPREADS[function]), make_grid, span)


def _explain(question: Question) -> Reason:
    return explain_group(question, _rank(question.params["function"]))


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
    "Aggregate across keys",
    category="keys",
    example=_EXAMPLE,
    why=_explain,
    facts_of=_derive_facts,
    across_keys=AcrossKeys(
        _contribute,
        _collect,
        lambda params: "every" not in params and params["function"] not in _NEED_ALL_KEYS,
        lambda params: _measure(params.get("every")),
    ),
    start=_start,
    canonical=_normalize,
    made_of=_expand,
    keeps_kind=("mode",),
    synonyms=(
        "group by",
        "percentile",
        "quantile",
        "across keys",
        "most frequent",
        "most common",
        "majority",
        "cardinality",
        "distinct count",
        "proportion",
        "rate of true",
        "standard deviation",
        "dispersion",
        "spread",
        "average by group",
        "mean",
        "sum by group",
        "top",
        "total",
        "join keys",
        "count keys",
        "rank",
        "daily",
        "per day",
        "each month",
    ),
)
def aggregate(
    of: Anything,
    last: LastEvent,
    since: Since,
    by: Many[Text] | None = None,
    function: Function = "sum",
    every: Every | None = None,
    zone: Zone | None = None,  # noqa: ARG001 (with one, it is `aggregate_by_calendar`)
) -> Number:
    """At each instant, one value of the keys of each group: a sum, count, average, percentile, most frequent value.

    A key counts from its birth, in the group that `by` names at that instant; keys whose group or value is unknown
    then are left out. Without `by` there is one group, `*`; the group of several texts is the JSON list of their
    values, such as `["A","x"]`. A key for which any of them is unknown is left out. Without keys, count, sum and
    distinct are 0, the others unknown.

    For a bool, count is the number of keys where it is true, and share (or avg) the share of true among known
    values.

    For a text, distinct is the number of different known values. For a text, a bool or a steady number, mode is the
    most frequent value. Of equally frequent values it is the least in the order false, true, numbers, text.

    variance and stddev, its root, are those of the population: 0 of one key. They are exact sums, rounded once.

    min, max and percentiles, and variance and stddev of a climbing number, are exact at the multiples of `every`
    (default 10 s) since the epoch. They go from the first birth to the first multiple after the last event, and
    hold in between. With a `zone`, and for `1w` and `1month`, they are exact where a minute, hour, day, week (from
    Monday on) or month begins by the clocks of the zone instead. All other functions are exact for all time. A
    percentile is p and a number above 0 and up to 100, such as p50, p95 or p99.9. Of n ordered values it is the one
    at the place p * n / 100, rounded up.
    """
    function, group = _SAME.get(function, function), _group(by)
    if function == "distinct":
        return count_distinct(of, group, since)
    if function == "mode":
        return find_most_frequent(of, group, since)
    if every is not None:
        assert isinstance(every, int), "periods are for aggregate_by_calendar"
        grid = Multiples(every)
        return summarize(of, group, function, lambda *_: grid, (since, last))
    return _collect(_contribute(of, by, function=function), of.kind, function)
