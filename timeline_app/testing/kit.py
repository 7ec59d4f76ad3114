"""`keeps_its_laws` tests every law on many random histories, and reports the smallest failing one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from timeline_app.algebra.kinds import SECOND
from timeline_app.testing.cases import KNOWN, Case, build_cases
from timeline_app.testing.laws import LAWS, Law, format_timeline, is_concerned
from timeline_app.testing.points import JsonEvent
from timeline_app.testing.referees import Referee, ask_referee, find_differences

HISTORIES_PER_LAW = 40
"""For each plan and law."""


class BrokenLaws(AssertionError):
    """An operator that breaks laws: which, on which events, and what to do."""


@dataclass(frozen=True, slots=True)
class _Finding:
    law: Law
    case: Case
    events: Sequence[JsonEvent]
    words: str

    def text(self) -> str:
        """Return a paragraph."""
        events = "; ".join(_format_event(event) for event in self.events)
        return (
            f"{self.law.name}: {self.law.says}.\n  But {self.words}.\n  Events in order of arrival: {events}\n"
            f"  Plan: {self.case.document['nodes'][self.case.node]}\n  Hint: {self.law.hint}."
        )


def keeps_its_laws(
    name: str,
    referee: Referee | None = None,
    *,
    plans: Iterable[str] = (),
    fields: Mapping[str, Sequence[Any]] | None = None,
    without: Collection[str] = (),
    histories: int = HISTORIES_PER_LAW,
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
        laws.append(_build_meaning_law(referee))
    tried = build_cases(name, plans, fields or {})
    findings = [finding for law in laws if (finding := _find_first(law, tried, histories)) is not None]
    if findings:
        head = (
            f"{name} breaks {len(findings)} of its laws."
            if len(findings) > 1
            else f"{name} breaks one of its laws."
        )
        raise BrokenLaws("\n\n".join([head, *(finding.text() for finding in findings)]))


def _build_meaning_law(referee: Referee) -> Law:
    def check(case: Case, events: Sequence[JsonEvent], _noise: Random) -> str:
        answers, truth = case.answer(events), ask_referee(case, referee, events)
        for key, points in truth.items():
            for time in find_differences(answers[key], points)[:1]:
                when = "before all events" if time is None else f"at {time / SECOND:g} s"
                actual, true = format_timeline(answers[key]), format_timeline(points)
                return f"of {key} they differ {when}: it says {actual}; the referee {true}"
        return ""

    return Law("meaning", "it says what its slow referee says", "one of the two is wrong: mend it", check)


def _find_first(law: Law, tried: Iterable[Case], histories: int) -> _Finding | None:
    for case in tried:
        for seed in range(histories if is_concerned(case, law) else 0):
            events = case.history(Random(seed))  # noqa: S311  (nothing secret)  # nosec B311
            if words := _explain_breach(law, case, events, seed):
                return _shrink_finding(_Finding(law, case, events, words), seed)
    return None


def _explain_breach(law: Law, case: Case, events: Sequence[JsonEvent], seed: int) -> str:
    try:
        return law.check(case, events, Random(seed))  # noqa: S311  (nothing secret)  # nosec B311
    except Exception as error:  # an operator may raise anything
        return f"it raises {type(error).__name__}: {error}"


def _shrink_finding(finding: _Finding, seed: int) -> _Finding:
    """Leave out events as long as the law stays broken."""
    index = 0
    while index < len(finding.events):
        fewer = [*finding.events[:index], *finding.events[index + 1 :]]
        words = _explain_breach(finding.law, finding.case, fewer, seed) if fewer else ""
        if words:
            finding, index = _Finding(finding.law, finding.case, fewer, words), 0
        else:
            index += 1
    return finding


def _format_event(event: JsonEvent) -> str:
    fields = " ".join(
        f"{name}={value}" for name, value in event.items() if name not in ("key", "t", "id", KNOWN)
    )
    return f"{event['id']} {event['t']:g} s {event['key']} {fields}".rstrip()
