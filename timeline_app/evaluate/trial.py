"""A plan on a sample of events, within bounds of size and time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from timeline_app.algebra.limits import TooFine
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled
from timeline_app.evaluate.engine import (
    Answer,
    compute_finality,
    evaluate,
    iterate_timeline_answers,
    list_required_nodes,
)
from timeline_app.evaluate.tables import EventTable
from timeline_app.operators import all_operators
from timeline_app.problems.problem import suggest_nearest

MAX_POINTS = 200_000
"""For an answer."""
MAX_EVENTS_TIMES_NODES = 10_000_000
MAX_TRIAL_S = 10.0
MAX_KEYS_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What one trial may take: points of the answer, events times nodes, seconds of wall clock."""

    points: int = MAX_POINTS
    work: int = MAX_EVENTS_TIMES_NODES
    seconds: float = MAX_TRIAL_S


class TooMuch(ValueError):
    """What was asked is too large or takes too long; says what to do."""


@dataclass(frozen=True)
class Trial:
    """The timelines of some nodes on some events."""

    compiled: Compiled
    results: Mapping[str, Timelines]
    final: Mapping[str, int | None]
    nodes: list[str] = field(default_factory=list)
    budget: Budget = field(default_factory=Budget)

    @classmethod
    def prepare(
        cls,
        compiled: Compiled,
        tables: Mapping[str, EventTable],
        nodes: Sequence[str],
        budget: Budget,
        until: int | None = None,
    ) -> Trial:
        """Compute the named nodes, or all; raises `TooMuch`, `ValueError` where events or a node are missing.

        Time has come as far as `until`, where that is later than the last event.
        """
        chosen = sorted(set(nodes)) or sorted(compiled.names)
        digests = {compiled.names[name] for name in chosen}
        work = sum(table.size for table in tables.values()) * len(list_required_nodes(compiled, digests))
        if work > budget.work:
            words = f"{work:,} events times nodes, and at most {budget.work:,} are computed"
            raise TooMuch(f"{words}. Name fewer nodes or send fewer events")
        results = _compute(compiled, tables, digests, budget.seconds, until)
        return cls(compiled, results, compute_finality(compiled, tables, until), chosen, budget)

    def keys(self) -> tuple[list[str], list[str]]:
        """Return the keys of the nodes, and the groups of those at or above an aggregate; sorted."""
        names: tuple[set[str], set[str]] = (set(), set())
        for name in self.nodes:
            digest = self.compiled.names[name]
            names[self._grouped(digest)].update(self.results[digest].names.tolist())
        return sorted(names[0]), sorted(names[1])

    def _grouped(self, digest: str) -> bool:
        table, todo, visited = self.compiled.table, [digest], set[str]()
        while todo:
            current = todo.pop()
            if all_operators()[table[current].op].across_keys is not None:
                return True
            visited.add(current)
            todo += [
                wire for wires in table[current].inputs.values() for wire in wires if wire not in visited
            ]
        return False

    def answers(self, keys: Sequence[str] = (), at: int | None = None) -> list[Answer]:
        """Return the answers that `evaluate` prints. Raises `TooMuch` beyond the budget's points."""
        answers = iterate_timeline_answers(
            self.compiled, self.results, self.final, self.nodes, list(keys), at
        )
        return list(_limit_answers(answers, self.budget.points))

    def timeline(self, node: str, key: str) -> list[dict[str, Any]] | None:
        """Return the points of one key at a node; None where there is no such key."""
        answers = iterate_timeline_answers(self.compiled, self.results, self.final, [node], [key], None)
        return next((answer["points"] for answer in answers), None)


def _compute(
    compiled: Compiled,
    tables: Mapping[str, EventTable],
    digests: set[str],
    seconds: float,
    until: int | None,
) -> Mapping[str, Timelines]:
    """Return the timelines of the wanted nodes. Raises `TooMuch`, which names the node that was being computed."""
    deadline, current = time.monotonic() + seconds, ""

    def check_time(digest: str) -> None:
        nonlocal current
        current = digest
        if time.monotonic() > deadline:
            raise TooMuch(f"it takes longer than {seconds:g} s. Name fewer nodes or send fewer events")

    try:
        return evaluate(compiled, tables, digests, check_time, until)
    except TooFine as why:
        names = sorted(name for name, digest in compiled.names.items() if digest == current)
        raise TooMuch(f"node {names[0]}: {why}" if names else str(why)) from None


def _limit_answers(answers: Iterable[Answer], most: int) -> Iterator[Answer]:
    points = 0
    for answer in answers:
        points += len(answer.get("points", ("value",)))
        if points > most:
            raise TooMuch(f"the answer has more than {most:,} points. Name some nodes or some keys")
        yield answer


def check_streams(compiled: Compiled, streams: Iterable[str]) -> list[str]:
    """Return the problems of given streams that the plan does not read."""
    known_streams = set(streams)
    read = sorted({stream for program in compiled.programs.values() for stream in program.streams})
    return [
        *(
            f"there are no events of {name!r}, which the plan reads; give it an empty list if that is meant"
            for name in read
            if name not in known_streams
        ),
        *(
            f"{name!r} is declared nowhere; {suggest_nearest(name, compiled.streams)}"
            for name in sorted(known_streams - set(compiled.streams))
        ),
    ]
