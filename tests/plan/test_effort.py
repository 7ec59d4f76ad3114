"""Reading and checking takes steps in proportion to the text, also where a text or a document is all wrong.

Steps are the calls that the interpreter makes: they do not depend on how busy the machine is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from timeline_app.compiler import compile_plan
from timeline_app.compiler.identity import build_computations
from timeline_app.plan import Refused, check
from timeline_app.plan.text import read_text
from timeline_app.predicates import PredicateError
from timeline_app.predicates import parse as parse_predicate
from timeline_app.problems.problem import MAX_PROBLEMS_PER_DOCUMENT

SMALL, FACTOR = 60, 8
MAX_GROWTH = 2.0 * FACTOR
HEAD = "stream s(key = k, time = t, unit = ms)\n"
LEAF = 'latest_event_to_state(s.a) == "x"'

TEXTS: dict[str, Callable[[int], str]] = {
    "calls in calls": lambda n: f"{HEAD}c = {LEAF}\nr = {'when(c, ' * n}{LEAF}{', c)' * n}\n",
    "when on when": lambda n: (
        f"{HEAD}c0 = {LEAF}\nd = {LEAF}\n" + "".join(f"c{i + 1} = when(c{i}, d, c0)\n" for i in range(n))
    ),
    "and, or": lambda n: (
        f"{HEAD}c = {LEAF}\nr = {'(c and ' * n}c{''.join(f') or (c == {i})' for i in range(n))}\n"
    ),
    "not": lambda n: f"{HEAD}r = {'not (' * n}{LEAF}{')' * n}\n",
    "unknown names": lambda n: HEAD + "".join(f"{'a' * 90}{i} = not {'a' * 90}b{i}\n" for i in range(n)),
    "unknown names in one": lambda n: f"{HEAD}c = {LEAF}\nr = {' and '.join(f'c{i}' for i in range(n))}\n",
    "unknown parameters": lambda n: f"{HEAD}r = when({', '.join(f'a{i} = 1' for i in range(n))})\n",
    "unknown results": lambda n: f"{HEAD}results {', '.join(f'a{i}' for i in range(n))}\n",
    "streams": lambda n: HEAD + "".join(f"stream x{i}\n" for i in range(n)),
    "notes": lambda n: HEAD + 'note "x" 1 2\n' * n,
    "brackets": lambda n: f"{HEAD}r = {'(' * n}\n",
    "quotes": lambda n: HEAD + 'r = "' + '\\"' * n + "\n",
    "comments": lambda n: f"{HEAD}r = f(\n" + "# x\n" * n,
    "blanks": lambda n: f"{HEAD}r = has_existed(s.a{' ' * n}\n{' ' * n}== 3)\n",
    "a condition": lambda n: f"{HEAD}r = has_existed({' and '.join(f's.a{i} == 1' for i in range(n))})\n",
}


def build_node(of: Any, **more: Any) -> dict[str, Any]:
    return {"op": "not", "inputs": {"of": of}, **more}


DOCUMENTS: dict[str, Callable[[int], Any]] = {
    "unknown wires": lambda n: {
        "nodes": {f"{'ab' * 45}{i}": build_node(f"{'ba' * 45}{i}") for i in range(n)}
    },
    "unknown results": lambda n: {
        "nodes": {f"n{i}": build_node("n0") for i in range(n)},
        "results": ["x" * 9] * n * 50,
    },
    "unknown members": lambda n: {
        "nodes": {f"n{i}": build_node("n0") for i in range(n)},
        "groups": [{"title": "t", "nodes": [f"x{i}" for i in range(n * 50)]}],
    },
    "unknown keys": lambda n: {f"nodez{i}": 1 for i in range(n * 50)},
    "unknown keys of a node": lambda n: {
        "nodes": {"a": build_node("b", **{f"param{i}": 1 for i in range(n * 50)})}
    },
    "unknown parameters": lambda n: {
        "nodes": {"a": {"op": "shift", "params": {f"durations{i}": 1 for i in range(n * 50)}}}
    },
    "unknown ports": lambda n: {
        "nodes": {"a": {"op": "not", "inputs": {f"off{i}": "a" for i in range(n * 50)}}}
    },
    "too many nodes in pairs": lambda n: {
        "nodes": {f"n{i}": build_node(f"n{i + 1 if i % 2 == 0 else i - 1}") for i in range(n * 50)}
    },
    "cycles": lambda n: {
        "nodes": {f"n{i}": build_node(f"n{i + 1 if i % 2 == 0 else i - 1}") for i in range(n * 2)}
    },
}


def count_steps(work: Callable[[], object]) -> int:
    """How many functions are called and how many lines of ours are passed; what is refused counts as well."""
    count = 0

    def note(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        count += 1
        return note if "timeline_app" in frame.f_code.co_filename else None

    def note_builtin(_frame: Any, event: str, _: Any) -> None:
        nonlocal count
        count += event == "c_call"

    before = sys.gettrace(), sys.getprofile()
    sys.settrace(note)
    sys.setprofile(note_builtin)
    try:
        with suppress(Refused, PredicateError):
            work()
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    return count


def measure_growth(work: Callable[[int], object]) -> float:
    work(2)  # what is done once a process does not count
    return count_steps(lambda: work(SMALL * FACTOR)) / count_steps(lambda: work(SMALL))


def read_and_name(text: str) -> None:
    checked = check(read_text(text), {})
    if checked.ok:
        build_computations(checked)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_is_read_in_proportion_to_its_length(kind: str) -> None:
    def work(size: int) -> None:
        with suppress(Refused):
            read_and_name(TEXTS[kind](size))

    assert measure_growth(work) <= MAX_GROWTH


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_is_checked_in_proportion_to_its_length(kind: str) -> None:
    assert measure_growth(lambda size: check({"version": 1, **DOCUMENTS[kind](size)}, {})) <= MAX_GROWTH


@pytest.mark.parametrize("opening", ["not (a == 1 and ", "(a == 1 or b == 2 and "])
def test_a_condition_is_read_in_proportion_to_its_length(opening: str) -> None:
    def work(size: int) -> None:
        with suppress(PredicateError):
            parse_predicate(f"{opening * size}c == 3{')' * size}")

    assert measure_growth(work) <= MAX_GROWTH


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_no_more_problems_are_told_than_the_limit(kind: str) -> None:
    problems = check({"version": 1, **DOCUMENTS[kind](200)}, {}).problems
    assert len(problems) <= 2 * MAX_PROBLEMS_PER_DOCUMENT + 1


def test_steps_of_a_plan_are_made_once() -> None:
    compiled = compile_plan(read_text(TEXTS["when on when"](50)), {})
    steps_by_digest = {
        step.digest: {id(step)} for program in compiled.programs.values() for step in program.steps
    }
    for program in compiled.programs.values():
        for step in program.steps:
            steps_by_digest[step.digest].add(id(step))
    assert {len(same) for same in steps_by_digest.values()} == {1}
