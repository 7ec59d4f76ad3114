"""The laws of every operator: each checks one random history and describes what differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, SECOND, Kind
from timeline_app.algebra.timelines import Timelines, build_timelines
from timeline_app.evaluate.why import explain
from timeline_app.operators.words import format_value
from timeline_app.testing.cases import Case
from timeline_app.testing.hosts import Query, fold_log, shrink_limits
from timeline_app.testing.points import JsonEvent, Shown, build_batches, find_value, group_points

Broken = str
"""What differs; empty where nothing does."""
FOLDED = ", the older ones folded away"
Check = Callable[[Case, Sequence[JsonEvent], Random], Broken]


@dataclass(frozen=True, slots=True)
class Law:
    """A promise: its name, what it says, and what to do about an operator that breaks it."""

    name: str
    says: str
    hint: str
    check: Check


def _check_keys(case: Case, events: Sequence[JsonEvent], _noise: Random) -> Broken:
    case = case.as_of(events)
    together = case.answer(events)
    for key in sorted(together):
        alone = case.answer([event for event in events if event["key"] == key])
        if words := _describe_difference("beside other keys", together, "alone", alone, key):
            return words
    return ""


def _check_order(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    mixed = [*events, *(event for event in events if noise.random() < 0.3)]
    noise.shuffle(mixed)
    left, right = case.answer(events), case.answer(mixed)
    how = f"as they came: {', '.join(event['id'] for event in mixed)}"
    return _find_any_difference("in order of arrival", left, how, right)


def _check_batches(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    return _check_streamed(case, events, noise, "")


def _check_memory(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    """Check that duplicates that move an event make the host read summarized keys again."""
    moved = [*events]
    for event in events:
        if noise.random() < 0.3:
            copy = case.moved(event, noise.choice([0.5, 2.0, 5.0]))
            moved.insert(noise.randint(moved.index(event) + 1, len(moved)), copy)
    with shrink_limits():
        return _check_streamed(case, moved, noise, FOLDED) or _check_streamed(
            case.counted(), moved, noise, FOLDED
        )


def _check_streamed(case: Case, events: Sequence[JsonEvent], noise: Random, how: str) -> Broken:
    places = sorted({0, len(events), *(noise.randint(0, len(events)) for _ in range(4))})
    query = Query(case.program)
    for start, end in pairwise(places):
        query.run(build_batches(case.compiled, {case.stream: events[start:end]}), {})
    folded = fold_log(case.program.kind, query.select_revisions(case.program.digest, ()))
    pieces = " | ".join(
        " ".join(event["id"] for event in events[start:end]) for start, end in pairwise(places)
    )
    return _find_any_difference("in one pass", case.answer(events), f"in batches {pieces}{how}", folded)


def _check_normal(case: Case, events: Sequence[JsonEvent], _noise: Random) -> Broken:
    timelines = case.timelines(events)[case.node]
    return next(iter(_find_abnormal(case, timelines, events)), "")


def _find_abnormal(case: Case, timelines: Timelines, events: Sequence[JsonEvent]) -> list[Broken]:
    """Return all that is not as the algebra wants it."""
    if timelines.kind is not case.program.kind:
        return [f"its timelines are of kind {timelines.kind}, declared is {case.program.kind}"]
    faults = []
    if (timelines.time[timelines.offsets[:-1]] != BEGINNING).any():
        faults.append("a timeline does not begin at BEGINNING")
    later = np.ones(len(timelines.time), dtype=bool)
    later[timelines.offsets[:-1]] = False
    if (timelines.time[1:] <= timelines.time[:-1])[later[1:]].any():
        faults.append(f"change points do not increase: {_format_timelines(group_points(timelines))}")
        return faults
    normal = build_timelines(
        timelines.kind,
        timelines.names,
        timelines.birth,
        timelines.key,
        timelines.time,
        timelines.value,
        timelines.slope,
        timelines.labels,
    )
    if len(normal.time) != len(timelines.time):
        faults.append(f"neighbours say the same: {_format_timelines(group_points(timelines))}")
    births = {
        key: min(round(e["t"] * SECOND) for e in events if e["key"] == key)
        for key in timelines.names.tolist()
    }
    if dict(zip(timelines.names.tolist(), timelines.birth.tolist(), strict=True)) != births:
        faults.append("keys are born at other instants than their first events")
    if timelines.kind is Kind.BOOL and not np.isin(timelines.value, [0, 1, 2]).all():
        faults.append("a bool is neither FALSE, UNKNOWN nor TRUE")
    if timelines.kind.is_line and np.isinf(timelines.value).any():
        faults.append("a number is infinite; say unknown (NaN)")
    if case.compiled.table[case.program.digest].facts.steady and timelines.slope.any():
        faults.append(f"it climbs, and is declared not to: {_format_timelines(group_points(timelines))}")
    return faults


def _check_past(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    now = noise.choice(sorted({event["t"] for event in events}))
    early = [event for event in events if event["t"] < now]
    if not early:
        return ""
    case, until = case.as_of(events), round(now * SECOND)
    then, after = case.answer(early), case.answer(events)
    return _find_any_difference(
        f"without the events from {now:g} s on, before then",
        {key: _cut_at(points, until) for key, points in then.items()},
        "with them",
        {key: _cut_at(points, until) for key, points in after.items() if key in then},
    )


def _check_unknown(case: Case, events: Sequence[JsonEvent], _noise: Random) -> Broken:
    full = case.answer(events)
    for wire in case.wires():
        less = case.with_less(*wire).answer(events)
        for key, points in full.items():
            for time in sorted({at for item in (points, less[key]) for at, _, _ in item if at is not None}):
                original, actual = find_value(less[key], time), find_value(points, time)
                if original[0] is not None and original != actual:
                    where = f"of {key} at {time / SECOND:g} s"
                    less_known = f"where input {wire[0]!r} ({wire[2]}) is unknown for a while"
                    answers = f"{_format_value(original)} {less_known}, and {_format_value(actual)} where it is known"
                    return f"{where} it says {answers}"
    return ""


def _check_why(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    batches = build_batches(case.compiled, {case.stream: events})
    for key, points in sorted(case.answer(events).items()):
        time = noise.choice([point[0] for point in points])
        at = round(events[0]["t"] * SECOND) if time is None else time
        reason = explain(case.compiled, batches, case.node, key, at)["chain"][0]
        if len(reason["sentence"]) < 2:
            return f"why says nothing of {key} at {at / SECOND:g} s"
    return ""


LAWS = (
    Law("keys", "a key says the same alone as beside other keys",
        "keep the rows of each key apart: running sums and neighbours begin anew with each key", _check_keys),
    Law("order", "the order of arrival and copies change nothing",
        "use only the arguments: no state of the module, no clock, no chance", _check_order),
    Law("batches", "in whatever batches events come, the answer is that of one pass",
        "use only the arguments: no state of the module, no clock, no chance", _check_batches),
    Law("memory", "what is folded away is remembered: later answers stay exact",
        "keeps= must name every event that a later answer needs, memory= say what it has come to, lookback= how far "
        "back it looks; the function must go on from `carried`", _check_memory),
    Law("normal form", "timelines are of the declared kind and in normal form",
        "build results with the functions of timeline_app.algebra (`build_timelines` brings pieces to normal form)",
        _check_normal),
    Law("past", "what comes later changes nothing before it",
        "at an instant use only what is at that instant or before; declare what lies ahead as a change point",
        _check_past),
    Law("unknown", "who knows less of an input never hears something else, only less",
        "say unknown wherever the answer depends on an unknown input; an operator that is about what is known leaves "
        "this law out: without=('unknown',)",
        _check_unknown),
    Law("why", "it can say why at any instant",
        "why= must give a Reason for every value, unknown and the time before the first event included", _check_why),
)  # fmt: skip


def is_concerned(case: Case, law: Law) -> bool:
    """Return whether a law applies to the operator: counts and measures pause while their input is unknown.

    The runs of a sequence are never unknown.
    """
    last = case.program.last.operator  # what the operator is made of may have a memory
    runs = any(case.compiled.checked.nodes[wire].facts.runs for _, _, wire in case.wires())
    ignores = case.op.category == "stream" or last.memory is not None or case.op.by_known or runs
    return law.name != "unknown" or not ignores


def _find_any_difference(
    first_name: str, first: Mapping[str, Shown], second_name: str, second: Mapping[str, Shown]
) -> Broken:
    if sorted(first) != sorted(second):
        return f"{first_name} it has the keys {', '.join(sorted(first))}; {second_name} {', '.join(sorted(second))}"
    return next(
        (
            words
            for key in sorted(first)
            if (words := _describe_difference(first_name, first, second_name, second, key))
        ),
        "",
    )


def _describe_difference(
    first_name: str, first: Mapping[str, Shown], second_name: str, second: Mapping[str, Shown], key: str
) -> Broken:
    if key in second and first[key] == second[key]:
        return ""
    first_text, other = format_timeline(first[key]), format_timeline(second.get(key, []))
    return f"of {key} it says {first_name}: {first_text}; {second_name}: {other}"


def _format_event(event: JsonEvent) -> str:
    return f"{event['id']}@{event['t']:g}"


def _cut_at(points: Shown, until: int) -> Shown:
    return [point for point in points if point[0] is None or point[0] < until]


def _format_timelines(timelines: Mapping[str, Shown]) -> str:
    return "; ".join(f"{key}: {format_timeline(points)}" for key, points in sorted(timelines.items()))


def format_timeline(points: Shown) -> str:
    """Return a timeline in words."""
    return ", ".join(
        _format_value((value, slope)) + ("" if time is None else f" from {time / SECOND:g} s")
        for time, value, slope in points
    )


def _format_value(value: tuple[Any, float]) -> str:
    slope = f" {value[1]:+g}/s" if value[1] else ""
    spelled = (
        "/".join(f"{number:g}" for number in value[0])
        if isinstance(value[0], tuple)
        else format_value(value[0])
    )
    return f"{spelled}{slope}"
