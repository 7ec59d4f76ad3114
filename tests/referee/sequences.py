"""What a sequence means: the events of one key in turn, and the runs that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from tests.predicates.conditions import UNKNOWN, judge
from tests.referee.collection import Event, parse_duration
from tests.referee.points import FLAT, SECOND, Points, normalize_points

Params: TypeAlias = Mapping[str, Any]
OVER = ("completed", "expired", "broken")
SEQUENCES = ("sequence", "sequence_duration", "sequence_count")


@dataclass
class Run:
    """When each step was reached, and how and when the run ended; `outcome` is "" while it is active."""

    reached: list[int]
    outcome: str = ""
    end: int | None = None


@dataclass
class Machine:
    """One sequence of one key."""

    steps: Sequence[Params]
    breaks: Sequence[Params]
    within: int | None
    again: str
    runs: list[Run] = field(default_factory=list)
    said: list[tuple[int, str]] = field(default_factory=list)
    """The texts and their times, in the order in which they arose; of one instant the last counts."""

    @property
    def run(self) -> Run | None:
        """The active run."""
        return self.runs[-1] if self.runs and not self.runs[-1].outcome else None

    def take(self, stream: str, event: Event) -> None:
        """Process one event."""
        self.expire(event.time)
        run = self.run
        if run is None:
            if self.matches(self.steps[0], stream, event):
                self.begin(event.time)
            return
        if any(self.is_broken(item, run, stream, event) for item in self.breaks):
            self.finish(run, "broken", event.time)
        elif self.matches(self.steps[len(run.reached)], stream, event):
            self.advance(run, event.time)
        elif self.again == "latest" and self.matches(self.steps[0], stream, event):
            self.runs.pop()
            self.begin(event.time)

    def expire(self, now: int) -> None:
        """End the run at the first limit that has passed."""
        run = self.run
        limit = None if run is None else self.limit(run)
        if run is not None and limit is not None and limit <= now:
            self.finish(run, "expired", limit)

    def limit(self, run: Run) -> int | None:
        """Return the instant from which an event is too late."""
        following = self.steps[len(run.reached)].get("within")
        limits = [] if self.within is None else [run.reached[0] + self.within]
        limits += [] if following is None else [run.reached[-1] + parse_duration(following)]
        return min(limits, default=None)

    def begin(self, now: int) -> None:
        self.runs.append(Run([now]))
        self.said.append((now, self.steps[0]["name"]))

    def advance(self, run: Run, now: int) -> None:
        run.reached.append(now)
        if len(run.reached) == len(self.steps):
            self.finish(run, "completed", now)
        else:
            self.said.append((now, self.steps[len(run.reached) - 1]["name"]))

    def finish(self, run: Run, outcome: str, now: int) -> None:
        run.outcome, run.end = outcome, now
        self.said.append((now, outcome))

    def is_broken(self, item: Params, run: Run, stream: str, event: Event) -> bool:
        """Return whether the event breaks the run, by the conditions between two steps or anywhere."""
        names = [step["name"] for step in self.steps]
        first, second = item.get("between", (names[0], names[-1]))
        on = names.index(first) < len(run.reached) <= names.index(second)
        return on and self.matches(item, stream, event)

    @staticmethod
    def matches(item: Params, stream: str, event: Event) -> bool:
        if item["stream"] != stream:
            return False
        return item.get("where") is None or judge(item["where"].tree, event.fields) is True


def list_streams(params: Params) -> set[str]:
    """The streams that a sequence reads."""
    return {item["stream"] for item in (*params["steps"], *params.get("not", ()))}


def play_events(events: Mapping[str, Sequence[Event]], params: Params) -> Machine:
    """Return the sequence after all events of a key, by stream, and all limits that follow."""
    within = params.get("within")
    machine = Machine(
        params["steps"],
        params.get("not", ()),
        None if within is None else parse_duration(within),
        params.get("again", "first"),
    )
    everything = [
        (event.time, event.rank, event.text, name, event) for name in events for event in events[name]
    ]
    for *_, name, event in sorted(everything, key=lambda item: item[:4]):
        machine.take(name, event)
    run = machine.run
    if run is not None and (limit := machine.limit(run)) is not None:
        machine.expire(limit)
    return machine


def sequence(birth: int | None, machine: Machine) -> Points:
    changes = {} if birth is None else {birth: "none"}
    changes |= dict(machine.said)
    return normalize_points(
        [(None, UNKNOWN, FLAT), *((time, value, FLAT) for time, value in sorted(changes.items()))]
    )


def sequence_duration(machine: Machine) -> Points:
    whole = [run.reached for run in machine.runs if run.outcome == "completed"]
    lasted = {reached[-1]: Fraction(reached[-1] - reached[0], SECOND) for reached in whole}
    return normalize_points(
        [(None, UNKNOWN, FLAT), *((time, value, FLAT) for time, value in sorted(lasted.items()))]
    )


def sequence_count(machine: Machine, outcome: str) -> Points:
    ends = [run.end for run in machine.runs if run.outcome == outcome and run.end is not None]
    counts = [(now, Fraction(sum(end <= now for end in ends)), FLAT) for now in sorted(set(ends))]
    return normalize_points([(None, FLAT, FLAT), *counts])
