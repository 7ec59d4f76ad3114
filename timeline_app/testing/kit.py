"""`keeps_its_laws`: every law on many made-up histories; what is broken is told on a history as small as can be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from timeline_app.algebra.kinds import SECOND
from timeline_app.testing.cases import KNOWN, Case, cases
from timeline_app.testing.laws import LAWS, Law, concern, told
from timeline_app.testing.points import JsonEvent
from timeline_app.testing.referees import Referee, asked, differing

HISTORIES = 40
"""So many histories of each plan for each law."""


class BrokenLaws(AssertionError):
    """An operator that breaks laws: which, on which events, and what to do."""


@dataclass(frozen=True, slots=True)
class _Finding:
    law: Law
    case: Case
    events: Sequence[JsonEvent]
    words: str

    def text(self) -> str:
        """A paragraph."""
        events = "; ".join(_event(event) for event in self.events)
        return (
            f"{self.law.name}: {self.law.says}.\n  But {self.words}.\n  Events in order of arrival: {events}\n"
            f"  Plan: {self.case.document['nodes'][self.case.node]}\n  Cure: {self.law.cure}."
        )


def keeps_its_laws(
    name: str,
    referee: Referee | None = None,
    *,
    plans: Iterable[str] = (),
    fields: Mapping[str, Sequence[Any]] | None = None,
    without: Collection[str] = (),
    histories: int = HISTORIES,
) -> None:
    """Hold an operator against its laws; raises `BrokenLaws` with all that it breaks.

    It is tried on the plan of its example, and on `plans` in the text language that end with it too; events have the
    fields of the example, with its values and those of `fields`. `referee` is a slow version of it for one key: of
    `events` (a list of `Event`) or of its inputs by port (each a `Line`), and of its parameters, all by name. It gets
    parameters that the plan leaves out, and `birth`, only if it takes them. It gives points: (None or microseconds,
    value) or (…, value, slope), the value before all events among them. `without` names laws that are not its own. The
    same histories are made each time.
    """
    unknown = sorted(set(without) - {law.name for law in LAWS})
    if unknown:
        raise ValueError(f"there is no law {unknown[0]!r}; there are {', '.join(law.name for law in LAWS)}")
    laws = [law for law in LAWS if law.name not in without]
    if referee is not None:
        laws.append(_meaning(referee))
    tried = cases(name, plans, fields or {})
    found = [finding for law in laws if (finding := _first(law, tried, histories)) is not None]
    if found:
        head = (
            f"{name} breaks {len(found)} of its laws."
            if len(found) > 1
            else f"{name} breaks one of its laws."
        )
        raise BrokenLaws("\n\n".join([head, *(finding.text() for finding in found)]))


def _meaning(referee: Referee) -> Law:
    def check(case: Case, events: Sequence[JsonEvent], _noise: Random) -> str:
        found, truth = case.answer(events), asked(case, referee, events)
        for key, points in truth.items():
            for time in differing(found[key], points)[:1]:
                when = "before all events" if time is None else f"at {time / SECOND:g} s"
                return f"of {key} they differ {when}: it says {told(found[key])}; the referee {told(points)}"
        return ""

    return Law("meaning", "it says what its slow referee says", "one of the two is wrong: mend it", check)


def _first(law: Law, tried: Iterable[Case], histories: int) -> _Finding | None:
    for case in tried:
        for seed in range(histories if concern(case, law) else 0):
            events = case.history(Random(seed))  # noqa: S311  (nothing secret)  # nosec B311
            if words := _words(law, case, events, seed):
                return _smallest(_Finding(law, case, events, words), seed)
    return None


def _words(law: Law, case: Case, events: Sequence[JsonEvent], seed: int) -> str:
    try:
        return law.check(case, events, Random(seed))  # noqa: S311  (nothing secret)  # nosec B311
    except Exception as wrong:  # an operator may raise anything
        return f"it raises {type(wrong).__name__}: {wrong}"


def _smallest(found: _Finding, seed: int) -> _Finding:
    """Leave out events as long as the law stays broken."""
    place = 0
    while place < len(found.events):
        fewer = [*found.events[:place], *found.events[place + 1 :]]
        words = _words(found.law, found.case, fewer, seed) if fewer else ""
        if words:
            found, place = _Finding(found.law, found.case, fewer, words), 0
        else:
            place += 1
    return found


def _event(event: JsonEvent) -> str:
    fields = " ".join(
        f"{name}={value}" for name, value in event.items() if name not in ("key", "t", "id", KNOWN)
    )
    return f"{event['id']} {event['t']:g} s {event['key']} {fields}".rstrip()
