"""The laws of every operator: each looks at one made-up history and says in words what differs, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, SECOND, Kind
from timeline_app.algebra.timelines import Timelines, timelines
from timeline_app.evaluate.why import explain
from timeline_app.operators.words import said
from timeline_app.testing.cases import Case
from timeline_app.testing.hosts import Query, folded, tiny
from timeline_app.testing.points import JsonEvent, Shown, batches_of, held, shown

Broken = str
"""What differs; empty where nothing does."""
FOLDED = ", the older ones folded away"
Check = Callable[[Case, Sequence[JsonEvent], Random], Broken]


@dataclass(frozen=True, slots=True)
class Law:
    """A promise: its name, what it says, and what to do about an operator that breaks it."""

    name: str
    says: str
    cure: str
    check: Check


def _keys(case: Case, events: Sequence[JsonEvent], _noise: Random) -> Broken:
    case = case.as_of(events)
    together = case.answer(events)
    for key in sorted(together):
        alone = case.answer([event for event in events if event["key"] == key])
        if words := _differ("beside other keys", together, "alone", alone, key):
            return words
    return ""


def _order(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    mixed = [*events, *(event for event in events if noise.random() < 0.3)]
    noise.shuffle(mixed)
    one, other = case.answer(events), case.answer(mixed)
    how = f"as they came: {', '.join(event['id'] for event in mixed)}"
    return _any("in order of arrival", one, how, other)


def _batches(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    return _streamed(case, events, noise, "")


def _memory(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    """Copies that move an event make the host look at what it has folded; what counts above needs it right, too."""
    moved = [*events]
    for event in events:
        if noise.random() < 0.3:
            copy = case.moved(event, noise.choice([0.5, 2.0, 5.0]))
            moved.insert(noise.randint(moved.index(event) + 1, len(moved)), copy)
    with tiny():
        return _streamed(case, moved, noise, FOLDED) or _streamed(case.counted(), moved, noise, FOLDED)


def _streamed(case: Case, events: Sequence[JsonEvent], noise: Random, how: str) -> Broken:
    places = sorted({0, len(events), *(noise.randint(0, len(events)) for _ in range(4))})
    query = Query(case.program)
    for start, end in pairwise(places):
        query.run(batches_of(case.compiled, {case.stream: events[start:end]}), {})
    found = folded(case.program.kind, query.told(case.program.digest, ()))
    parts = " | ".join(
        " ".join(event["id"] for event in events[start:end]) for start, end in pairwise(places)
    )
    return _any("in one pass", case.answer(events), f"in batches {parts}{how}", found)


def _normal(case: Case, events: Sequence[JsonEvent], _noise: Random) -> Broken:
    found = case.timelines(events)[case.node]
    return next(iter(_abnormal(case, found, events)), "")


def _abnormal(case: Case, found: Timelines, events: Sequence[JsonEvent]) -> list[Broken]:
    """All that is not as the algebra wants it."""
    if found.kind is not case.program.kind:
        return [f"its timelines are of kind {found.kind}, declared is {case.program.kind}"]
    wrong = []
    if (found.time[found.offsets[:-1]] != BEGINNING).any():
        wrong.append("a timeline does not begin at BEGINNING")
    later = np.ones(len(found.time), dtype=bool)
    later[found.offsets[:-1]] = False
    if (found.time[1:] <= found.time[:-1])[later[1:]].any():
        wrong.append(f"change points do not increase: {_told(shown(found))}")
        return wrong
    again = timelines(
        found.kind, found.names, found.birth, found.key, found.time, found.value, found.slope, found.labels
    )
    if len(again.time) != len(found.time):
        wrong.append(f"neighbours say the same: {_told(shown(found))}")
    births = {
        key: min(round(e["t"] * SECOND) for e in events if e["key"] == key) for key in found.names.tolist()
    }
    if dict(zip(found.names.tolist(), found.birth.tolist(), strict=True)) != births:
        wrong.append("keys are born at other instants than their first events")
    if found.kind is Kind.BOOL and not np.isin(found.value, [0, 1, 2]).all():
        wrong.append("a bool is neither FALSE, UNKNOWN nor TRUE")
    if found.kind.is_line and np.isinf(found.value).any():
        wrong.append("a number is infinite; say unknown (NaN)")
    if case.compiled.table[case.program.digest].facts.steady and found.slope.any():
        wrong.append(f"it climbs, and is declared not to: {_told(shown(found))}")
    return wrong


def _past(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    now = noise.choice(sorted({event["t"] for event in events}))
    early = [event for event in events if event["t"] < now]
    if not early:
        return ""
    case, until = case.as_of(events), round(now * SECOND)
    then, after = case.answer(early), case.answer(events)
    return _any(
        f"without the events from {now:g} s on, before then",
        {key: _until(points, until) for key, points in then.items()},
        "with them",
        {key: _until(points, until) for key, points in after.items() if key in then},
    )


def _unknown(case: Case, events: Sequence[JsonEvent], _noise: Random) -> Broken:
    full = case.answer(events)
    for wire in case.wires():
        less = case.with_less(*wire).answer(events)
        for key, points in full.items():
            for time in sorted({at for item in (points, less[key]) for at, _, _ in item if at is not None}):
                some, whole = held(less[key], time), held(points, time)
                if some[0] is not None and some != whole:
                    where = f"of {key} at {time / SECOND:g} s"
                    less_known = f"where input {wire[0]!r} ({wire[2]}) is unknown for a while"
                    return (
                        f"{where} it says {_value(some)} {less_known}, and {_value(whole)} where it is known"
                    )
    return ""


def _why(case: Case, events: Sequence[JsonEvent], noise: Random) -> Broken:
    batches = batches_of(case.compiled, {case.stream: events})
    for key, points in sorted(case.answer(events).items()):
        time = noise.choice([point[0] for point in points])
        at = round(events[0]["t"] * SECOND) if time is None else time
        told = explain(case.compiled, batches, case.node, key, at)["chain"][0]
        if len(told["sentence"]) < 2:
            return f"why says nothing of {key} at {at / SECOND:g} s"
    return ""


LAWS = (
    Law("keys", "a key says the same alone as beside other keys",
        "keep the rows of each key apart: running sums and neighbours begin anew with each key", _keys),
    Law("order", "the order of arrival and copies change nothing",
        "use only the arguments: no state of the module, no clock, no chance", _order),
    Law("batches", "in whatever batches events come, the answer is that of one pass",
        "use only the arguments: no state of the module, no clock, no chance", _batches),
    Law("memory", "what is folded away is remembered: later answers stay exact",
        "keeps= must name every event that a later answer needs, memory= say what it has come to, lookback= how far "
        "back it looks; the function must go on from `carried`", _memory),
    Law("normal form", "timelines are of the declared kind and in normal form",
        "build results with the functions of timeline_app.algebra (`timelines` brings pieces to normal form)", _normal),
    Law("past", "what comes later changes nothing before it",
        "at an instant use only what is at that instant or before; declare what lies ahead as a change point", _past),
    Law("unknown", "who knows less of an input never hears something else, only less",
        "say unknown wherever the answer depends on an unknown input; an operator that is about what is known leaves "
        "this law out: without=('unknown',)", _unknown),
    Law("why", "it can say why at any instant",
        "why= must give a Reason for every value, unknown and the time before the first event included", _why),
)  # fmt: skip


def concern(case: Case, law: Law) -> bool:
    """Whether a law is one of the operator's: what counts or measures stands still while its input is unknown.

    The runs of a sequence are there or not, never unknown.
    """
    last = case.program.last.operator  # what the operator is made of may have a memory
    runs = any(case.compiled.checked.nodes[wire].facts.runs for _, _, wire in case.wires())
    ignores = case.op.category == "stream" or last.memory is not None or case.op.by_known or runs
    return law.name != "unknown" or not ignores


def _any(one: str, first: Mapping[str, Shown], other: str, second: Mapping[str, Shown]) -> Broken:
    if sorted(first) != sorted(second):
        return f"{one} it has the keys {', '.join(sorted(first))}; {other} {', '.join(sorted(second))}"
    return next((words for key in sorted(first) if (words := _differ(one, first, other, second, key))), "")


def _differ(
    one: str, first: Mapping[str, Shown], other: str, second: Mapping[str, Shown], key: str
) -> Broken:
    if key in second and first[key] == second[key]:
        return ""
    return f"of {key} it says {one}: {told(first[key])}; {other}: {told(second.get(key, []))}"


def _named(event: JsonEvent) -> str:
    return f"{event['id']}@{event['t']:g}"


def _until(points: Shown, until: int) -> Shown:
    return [point for point in points if point[0] is None or point[0] < until]


def _told(found: Mapping[str, Shown]) -> str:
    return "; ".join(f"{key}: {told(points)}" for key, points in sorted(found.items()))


def told(points: Shown) -> str:
    """A timeline in words."""
    return ", ".join(
        _value((value, slope)) + ("" if time is None else f" from {time / SECOND:g} s")
        for time, value, slope in points
    )


def _value(value: tuple[Any, float]) -> str:
    slope = f" {value[1]:+g}/s" if value[1] else ""
    spelled = "/".join(f"{part:g}" for part in value[0]) if isinstance(value[0], tuple) else said(value[0])
    return f"{spelled}{slope}"
