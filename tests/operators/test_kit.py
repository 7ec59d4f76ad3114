"""The kit holds the product's own operators to their laws, and finds each law that an operator breaks, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.operators.owned import use_own_folders, write
from timeline_app.operators import operators
from timeline_app.testing import BrokenLaws, Event, Line, keeps_its_laws

ALL = [name for name, op in operators().items() if op.category != "keys"]
HEAD = """
import numpy as np
from dataclasses import replace
from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, FALSE, TRUE, UNKNOWN, Kind
from timeline_app.algebra.retention import select_last
from timeline_app.algebra.states import shift_timelines
from timeline_app.algebra.steps import build_steps, compute_total, count, cover_durations, make_ones, turn_true
from timeline_app.algebra.timelines import Timelines, build_timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Before, Bool, Duration, Number, Where
from timeline_app.operators.reasons import Question, Reason

def _why(question):
    return Reason("because")

LEAF = Example('x = broken(player.on == true)', "1 on=true; 3 on=false")
OVER = Example("on = latest_event_to_state(player.on)\\nx = broken(on)", "1 on=true; 3 on=false")
PROPERTIES = {"why": _why, "example": OVER}
LEAVES = {"why": _why, "example": LEAF, "keeps": lambda events, at, where: np.ones(events.size, dtype=bool)}
"""
ASKED_AGAIN = '''
_seen = []

@operator("Broken", category="stream", **LEAVES)
def broken(events: Events, where: Where) -> Number:
    """Remembers how often it was asked."""
    _seen.append(1)
    rows = np.flatnonzero(np.diff(events.key, prepend=-1))
    return build_steps(events, Kind.NUMBER, 0.0, events.key[rows], events.time[rows], np.full(len(rows), len(_seen)))
'''
BROKEN = {
    "keys": '''
@operator("Broken", category="stream", **LEAVES)
def broken(events: Events, where: Where) -> Number:
    """Counts on from key to key."""
    rows = np.flatnonzero(where.matches(events))
    last = np.flatnonzero(np.diff(events.time[rows], append=-1) != 0) if len(rows) else rows
    sums = np.arange(1.0, len(rows) + 1)
    return build_steps(events, Kind.NUMBER, 0.0, events.key[rows][last], events.time[rows][last], sums[last])
''',
    "order": ASKED_AGAIN,
    "batches": ASKED_AGAIN,
    "memory": '''
def _keeps(events, at, where):
    return np.zeros(events.size, bool)

@operator("Broken", category="stream", why=_why, example=LEAF, keeps=_keeps)
def broken(events: Events, where: Where) -> Bool:
    """Keeps nothing of what it needs."""
    return turn_true(events, where.matches(events))
''',
    "normal form": '''
@operator("Broken", category="timelines", **PROPERTIES)
def broken(of: Bool) -> Bool:
    """Says everything twice."""
    twice = np.repeat(np.arange(len(of.time)), 2)
    time = of.time[twice] + np.where((np.arange(len(twice)) % 2 == 1) & (of.time[twice] != BEGINNING), 1, 0)
    time = np.where((np.arange(len(twice)) % 2 == 1) & (of.time[twice] == BEGINNING), BEGINNING + 1, time)
    return replace(of, offsets=of.offsets * 2, time=time, value=of.value[twice], slope=of.slope[twice])
''',
    "past": '''
@operator("Broken", category="timelines", **PROPERTIES)
def broken(of: Bool) -> Bool:
    """Knows a second before."""
    return shift_timelines(of, -1_000_000)
''',
    "unknown": '''
@operator("Broken", category="timelines", **PROPERTIES)
def broken(of: Bool) -> Bool:
    """Takes what is unknown for false."""
    value = np.where(of.value == TRUE, TRUE, FALSE)
    return build_timelines(Kind.BOOL, of.names, of.birth, of.key, of.time, value)
''',
    "why": '''
def _silent(question):
    return Reason(question.result.value.lower())

@operator("Broken", category="timelines", why=_silent, example=OVER)
def broken(of: Bool) -> Bool:
    """Cannot say why."""
    return of
''',
    "counts": '''
def _read(events, at, carried, where):
    return compute_total(events, where.matches(events), make_ones(events), at, None)

@operator("Broken", category="stream", why=_why, example=LEAF, memory=Memory(_read))
def broken(events: Events, where: Where, carried: Before = None) -> Number:
    """Forgets at each fold what it had remembered before."""
    return count(events, where.matches(events), carried)
''',
    "looks": '''
@operator("Broken", category="timelines", **PROPERTIES)
def broken(of: Bool) -> Bool:
    """Looks back five seconds, and does not say so."""
    return shift_timelines(of, 5_000_000)
''',
    "climbs": '''
@operator("Broken", category="timelines", **PROPERTIES)
def broken(of: Bool) -> Number:
    """Climbs, and is declared not to."""
    value = np.where(of.value == UNKNOWN, np.nan, 0.0)
    return build_timelines(Kind.NUMBER, of.names, of.birth, of.key, of.time, value, np.ones(len(value)))
''',
}  # fmt: skip
LAW_OF = {"counts": "memory", "looks": "memory", "climbs": "normal form"}


def list_broken_laws(tmp_path: Path, text: str, *arguments: Any, **options: Any) -> str:
    """What is said of an operator `broken`."""
    with use_own_folders(write(tmp_path, broken=HEAD + text)), pytest.raises(BrokenLaws) as answer:
        keeps_its_laws("broken", *arguments, **options)
    return str(answer.value)


@pytest.mark.deep
@pytest.mark.parametrize("name", ALL)
def test_the_product_s_own_operators_keep_their_laws(name: str) -> None:
    keeps_its_laws(name, histories=4)


OWN_NAMES = """
known = latest_event_to_state(s.x)
less = known > 1
above = when(less, known)
counted = integral(above)
"""
"""A plan whose nodes have the names that the kit likes for its own."""


def test_nodes_may_have_the_names_that_the_kit_would_choose() -> None:
    keeps_its_laws("integral", plans=[OWN_NAMES], fields={"x": [1, 2, 3.5]}, histories=2)


@pytest.mark.deep
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_law_is_found_and_named(tmp_path: Path, name: str) -> None:
    words = list_broken_laws(tmp_path, BROKEN[name])
    law = LAW_OF.get(name, name)
    paragraph = next(part for part in words.split("\n\n") if part.startswith(f"{law}: "))
    assert words.startswith("broken breaks ")
    assert "Events in order of arrival: e" in paragraph
    assert "Hint: " in paragraph


@pytest.mark.deep
def test_only_the_broken_law_is_named_on_few_events(tmp_path: Path) -> None:
    words = list_broken_laws(tmp_path, BROKEN["unknown"])
    assert words.startswith("broken breaks one of its laws.")
    assert words.split("Events in order of arrival: ")[1].splitlines()[0].count(";") <= 1


def test_a_law_that_is_not_the_operators_own_is_left_out(tmp_path: Path) -> None:
    with use_own_folders(write(tmp_path, broken=HEAD + BROKEN["unknown"])):
        keeps_its_laws("broken", without=("unknown",), histories=6)
        with pytest.raises(ValueError, match="there is no law 'unknwn'; there are keys, order"):
            keeps_its_laws("broken", without=("unknwn",))


def find_happened_within(events: list[Event], where: Any, duration: int) -> list[tuple[Any, ...]]:
    """A slow `has_existed_within`."""
    hits = [event.time for event in events if where(event) is True]
    times = sorted({*hits, *(time + duration for time in hits)})
    return [(None, False), *((time, any(hit <= time < hit + duration for hit in hits)) for time in times)]


def measure_duration(of: Line, birth: int) -> list[tuple[Any, ...]]:
    """A slow `duration_where`."""
    points: list[tuple[Any, ...]] = [(None, 0.0)]
    total, since = 0.0, birth
    for time in sorted({birth, *of.times}):
        if time < birth:
            continue
        total += (time - since) / 1e6 if of.at(since) is True else 0.0
        since = time
        points.append((time, total, 1.0 if of.at(time) is True else 0.0))
    return points


@pytest.mark.deep
def test_a_slow_version_for_one_key_agrees_with_the_vectorised_one() -> None:
    keeps_its_laws("has_existed_within", find_happened_within, histories=15)
    keeps_its_laws("duration_where", measure_duration, histories=15)


@pytest.mark.deep
def test_where_the_slow_version_says_something_else_that_is_told() -> None:
    with pytest.raises(BrokenLaws, match="meaning: it says what its slow referee says") as answer:
        keeps_its_laws("has_existed_within", lambda events, where, duration: [(None, False)])
    assert "the referee false" in str(answer.value)
    with pytest.raises(BrokenLaws, match="begin with"):
        keeps_its_laws("has_existed_within", lambda events, where, duration: [(0, False)], histories=1)


@pytest.mark.parametrize(
    ("name", "plans", "words"),
    [
        ("nowhere", (), "there is no operator nowhere; start the tests with TIMELINE_OPERATORS"),
        ("aggregate", (), "aggregate goes across keys"),
        ("not", ("x = has_existed(player.a == 1)",), "must read one stream and end with not"),
        ("not", ("x = not has_existed(player.a == )",), "the plan cannot be used"),
    ],
)
def test_what_cannot_be_tried_is_refused(name: str, plans: tuple[str, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        keeps_its_laws(name, plans=plans)
