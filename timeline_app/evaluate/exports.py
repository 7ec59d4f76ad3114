"""Tests that were exported with their plan and samples, run without a database: for checks of changes elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timeline_app.compiler.partial import Part, compile_part
from timeline_app.evaluate.engine import list_fields
from timeline_app.evaluate.expectations import read_expected
from timeline_app.evaluate.plan_tests import Outcome, run_test
from timeline_app.evaluate.request import BadRequest
from timeline_app.evaluate.tables import EventTable
from timeline_app.evaluate.trial import Budget
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.uploads import add
from timeline_app.events.validate import BadEvents, EventBatch, LineProblem
from timeline_app.plan.text import read_text
from timeline_app.problems.problem import suggest_nearest

VERSION = 1


@dataclass(frozen=True, slots=True)
class Export:
    """A plan document that declares its streams, samples by name, and tests."""

    plan: Mapping[str, Any]
    samples: Mapping[str, Mapping[str, Sequence[Any]]]
    tests: Sequence[Mapping[str, Any]]

    @classmethod
    def read(cls, name: str) -> Export:
        """Read the file of an export; raises `BadRequest`."""
        document = _read_json(name)
        if not isinstance(document, dict) or document.get("export") != VERSION:
            raise BadRequest(f"{name}: not exported tests; get them from /api/plans/NUMBER/tests/export/")
        plan, samples, tests = (document.get(part) for part in ("plan", "samples", "tests"))
        if not isinstance(plan, dict) or not isinstance(samples, dict) or not isinstance(tests, list):
            raise BadRequest(f'{name}: it must have "plan", "samples" and "tests"')
        for test in tests:
            if not isinstance(test, dict) or not isinstance(test.get("name"), str):
                raise BadRequest(f"{name}: a test has no name")
            if not isinstance(samples.get(test.get("sample")), dict):
                raise BadRequest(f"{name}: the test {test['name']!r} names no sample of the file")
        return cls(plan, samples, tests)

    def against(self, name: str) -> Export:
        """Return the same tests for the plan in another file; it may take its streams from the export."""
        plan = _plan(name)
        streams = {**(self.plan.get("streams") or {}), **(plan.get("streams") or {})}
        return Export({**plan, "streams": streams}, self.samples, self.tests)

    def run(self, names: Sequence[str] = ()) -> Iterator[tuple[str, Outcome]]:
        """Yield what becomes of the named tests, or of all.

        Raises `Refused` where nothing of the plan can be computed.
        """
        test_names = [test["name"] for test in self.tests]
        for name in names:
            if name not in test_names:
                raise BadRequest(f"there is no test {name!r}; {suggest_nearest(name, test_names)}")
        part = compile_part(self.plan, {})
        for test in self.tests:
            if not names or test["name"] in names:
                tables = _build_tables(part, self.samples[test["sample"]])
                yield test["name"], run_test(part, tables, read_expected(test.get("expected")), Budget())


def _build_tables(part: Part, sample: Mapping[str, Sequence[Any]]) -> dict[str, EventTable]:
    compiled = part.compiled
    fields = list_fields(compiled, compiled.programs)
    return {
        name: EventTable.from_batch(_build_batch(events, compiled.streams[name]), fields.get(name, ()))
        for name, events in sample.items()
        if name in compiled.streams
    }


def _build_batch(events: Sequence[Any], declaration: StreamDeclaration) -> EventBatch:
    batch, problems = EventBatch(declaration), list[LineProblem]()
    for line, event in enumerate(events, 1):
        add(batch, event, line, problems)
    if problems:
        raise BadEvents(problems)
    return batch


def _plan(name: str) -> dict[str, Any]:
    text = _read(name)
    document = _read_json(name) if text.lstrip()[:1] == "{" else read_text(text)
    if not isinstance(document, dict):
        raise BadRequest(f"{name}: a plan document is an object")
    return document


def _read_json(name: str) -> Any:
    try:
        return json.loads(_read(name))
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"{name}: not JSON: {error}") from None


def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadRequest(f"{name}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BadRequest(f"{name}: not in UTF-8: {error}") from None
