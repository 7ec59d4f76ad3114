"""All questions, and the instants at which they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.questions.question import MONDAY, SECOND, Question, convert_to_seconds, format_time
from timeline_app.operators.parameters import parse_duration

ORIGIN = int(MONDAY.timestamp()) * SECOND
LATER = (1, 60, 3_600, 86_400)
"""So many seconds after the last event it is asked as well."""


@cache
def load_questions() -> tuple[Question, ...]:
    """Every question of the modules of this folder, in the order of their names."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("ask_*.py"))
    modules = [import_module(f"tests.questions.{name}") for name in names]
    return tuple(item for module in modules for item in vars(module).values() if isinstance(item, Question))


def list_instants(question: Question) -> list[int]:
    """Microseconds since the Monday: at every event, just before it, half-way to the next, and where windows end."""
    times = sorted({round(event.at * SECOND) for event in question.history()})
    edges = {time + length for time in times for length in iterate_durations(question.document)}
    instants = {*times, *edges, *(time - 1 for time in (*times, *edges))}
    instants |= {(left + right) // 2 for left, right in pairwise(times)}
    instants |= {times[-1] + later * SECOND for later in LATER}
    if question.ends:
        end = round(convert_to_seconds(format_time(question.ends)) * SECOND)
        instants = {time for time in instants if time < end}
    return sorted(instants)


def iterate_durations(document: Any) -> Iterator[int]:
    """The durations that the parameters of a plan's nodes name, in microseconds."""
    for node in document["nodes"].values():
        for name, value in node.get("params", {}).items():
            if name in ("duration", "within", "value") and str(value)[:1].isdigit():
                with suppress(ValueError):
                    yield parse_duration(value)


def compute_answers(question: Question) -> dict[str, list[tuple[int, Any]]]:
    """What the slow script says, by key or group: at instants since the key's birth, or of a group at all."""
    history, answers = list(question.history()), dict[str, list[tuple[int, Any]]]()
    for time in list_instants(question):
        at = time / SECOND
        past = [event for event in history if event.at <= at]
        if question.by_group:
            values = question.answer(past, at) if past else {}
        else:
            keys = dict.fromkeys(event.key for event in past)
            values = {key: question.answer([event for event in past if event.key == key], at) for key in keys}
        for key, value in values.items():
            answers.setdefault(key, []).append((ORIGIN + time, value))
    return answers
