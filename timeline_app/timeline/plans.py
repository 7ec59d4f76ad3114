"""A plan: named results, and the document, text, problems and answers that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from timeline_app.compiler import Compiled, compile_plan
from timeline_app.evaluate.engine import Answer, iterate_answers, list_fields, list_required_nodes
from timeline_app.evaluate.files import read_file
from timeline_app.evaluate.request import read_instant
from timeline_app.evaluate.tables import NO_ARRIVAL_HINT, EventTable, find_missing_arrivals
from timeline_app.evaluate.warnings import list_warnings
from timeline_app.evaluate.why import list_nodes_below
from timeline_app.events.mapped_columns import map_row
from timeline_app.events.mapping import FieldMapping, parse_mapping
from timeline_app.events.validate import WrongEvent
from timeline_app.plan import BadEvents, EventBatch, LineProblem, Problem, Refused, StreamDeclaration, check
from timeline_app.plan.text import write_text
from timeline_app.problems.problem import suggest_nearest
from timeline_app.timeline.expressions import Timeline
from timeline_app.timeline.naming import Named, name_nodes

Events: TypeAlias = str | Path | Iterable[Mapping[str, Any]]
"""A file (JSON lines, CSV, Parquet), or the events themselves."""


Rules: TypeAlias = Sequence[Mapping[str, Any]]
"""How fields are mapped: rules such as `{"to": "level", "from": "Pegel", "cast": "decimal_comma"}`."""


class Plan:
    """A plan with these results; what they share is one node."""

    def __init__(self, name: str, results: Sequence[Timeline]) -> None:
        """Results without a name get one. Raises `Refused` where two timelines have one name."""
        self.name, self._named = name, name_nodes(results)

    def document(self) -> dict[str, Any]:
        """The plan document, version 1."""
        named = self._named
        head = {"version": 1, **({"name": self.name} if self.name else {})}
        declared = _collect_declarations(named)
        return {
            **head,
            "nodes": named.nodes(),
            "results": list(named.results),
            **({"streams": declared} if declared else {}),
        }

    def text(self) -> str:
        """The plan in the text language."""
        return write_text(self.document())

    def expression(self) -> str:
        """The statements alone; of a plan of one statement, what it says."""
        text = write_text({"version": 1, "nodes": self._named.nodes()}).strip()
        return text if len(self._named.statements) > 1 else text.partition(" = ")[2]

    def check(self, streams: Mapping[str, StreamDeclaration] | None = None) -> tuple[Problem, ...]:
        """Return all problems; `streams` are those declared elsewhere."""
        return check(self.document(), streams or {}).problems

    def evaluate(
        self,
        events: Events | Mapping[str, Events],
        *,
        at: int | str | None = None,
        nodes: Sequence[str] = (),
        keys: Sequence[str] = (),
        mapping: Rules | Mapping[str, Rules] = (),
    ) -> list[Answer]:
        """The answers of the local engine, ordered by node then key; of all results where no nodes are named.

        `events` are those of the one stream, or a mapping by stream; so are the rules of `mapping`, which rename
        fields, cast their values or add constants before the events are read. With `at` (microseconds or ISO 8601)
        each answer has one `value` instead of `points`. Raises `Refused`, `BadEvents`, or `ValueError` with the hint.
        """
        compiled, digests = self._choose(nodes)
        instant = None if at is None else read_instant(str(at))
        tables = _build_tables(compiled, events, digests, mapping)
        return list(iterate_answers(compiled, tables, digests, list(keys), instant))

    def list_warnings(
        self,
        events: Events | Mapping[str, Events],
        *,
        nodes: Sequence[str] = (),
        mapping: Rules | Mapping[str, Rules] = (),
    ) -> list[Problem]:
        """What the nodes ask for and no event has, as `manage.py evaluate` says it; raises as `evaluate`."""
        compiled, digests = self._choose(nodes)
        below = {name for node in digests for name in list_nodes_below(compiled, node)}
        return list_warnings(compiled, _build_tables(compiled, events, digests, mapping), below)

    def _choose(self, nodes: Sequence[str]) -> tuple[Compiled, list[str]]:
        """The compiled plan, and the named nodes or its results."""
        compiled = compile_plan(self.document(), {})
        for name in nodes:
            if name not in compiled.names:
                raise ValueError(f"the plan has no node {name!r}; {suggest_nearest(name, compiled.names)}")
        return compiled, list(nodes or compiled.results)

    def __repr__(self) -> str:
        return f"<Plan {self.name!r}: {', '.join(self._named.results)}>"


def plan(name: str = "", /, *results: Timeline, **named: Timeline) -> Plan:
    """A plan; its results are given by position, or by keyword with their names."""
    for item in (*results, *named.values()):
        if not isinstance(item, Timeline):
            raise TypeError(f"a result of a plan is a timeline, not {item!r}")
    return Plan(name, [*results, *(item.named(key) for key, item in named.items())])


def _collect_declarations(named: Named) -> dict[str, Any]:
    """The streams that the plan declares itself; raises `Refused` where one is declared in two ways."""
    declarations: dict[str, Any] = {}
    for stream in named.streams():
        declared = dict(stream.declaration)
        if declared and declarations.setdefault(stream.name, declared) != declared:
            message, hint = f"the stream {stream.name!r} is declared in two ways", "declare it once"
            raise Refused([Problem(None, f"streams.{stream.name}", "two_declarations", message, hint)])
    return declarations


def _build_tables(
    compiled: Compiled,
    events: Events | Mapping[str, Events],
    nodes: list[str],
    mapping: Rules | Mapping[str, Rules],
) -> dict[str, EventTable]:
    streams = sorted({stream for program in compiled.programs.values() for stream in program.streams})
    if not isinstance(events, Mapping):
        if len(streams) != 1:
            raise ValueError(f"the plan reads {', '.join(streams)}; give a mapping with the events of each")
        events = {streams[0]: events}
    fields = list_fields(compiled, list_required_nodes(compiled, {compiled.names[name] for name in nodes}))
    missing = [name for name in streams if name not in events]
    if missing:
        raise ValueError(f"no events of {', '.join(missing)}; the plan reads {', '.join(streams)}")
    rules = _parse_rules(compiled, streams, mapping)
    tables = {
        name: _build_table(compiled.streams[name], events[name], fields.get(name, ()), rules[name])
        for name in streams
    }
    if missing_fields := find_missing_arrivals(tables, fields):
        raise ValueError("; ".join([*missing_fields.values(), NO_ARRIVAL_HINT]))
    return tables


def _parse_rules(
    compiled: Compiled, streams: Sequence[str], mapping: Rules | Mapping[str, Rules]
) -> dict[str, FieldMapping]:
    """The mapping of each stream; raises `BadMapping`, or `ValueError` where it is not clear whose the rules are."""
    if not isinstance(mapping, Mapping):
        if mapping and len(streams) != 1:
            raise ValueError(f"the plan reads {', '.join(streams)}; give the rules of mapping by stream")
        mapping = dict.fromkeys(streams, mapping)
    for name in mapping:
        if name not in streams:
            raise ValueError(f"the plan reads no stream {name!r}; {suggest_nearest(name, streams)}")
    return {name: parse_mapping(list(mapping.get(name, ())), compiled.streams[name]) for name in streams}


def _build_table(
    declaration: StreamDeclaration, events: Events, fields: tuple[str, ...], mapping: FieldMapping
) -> EventTable:
    if isinstance(events, (str, Path)):
        return read_file(str(events), declaration, fields, mapping)
    batch, problems = EventBatch(declaration), list[LineProblem]()
    lenient = mapping.select_lenient(declaration)
    for number, event in enumerate(events, 1):
        line, mapped = map_row((number, dict(event)), mapping, lenient)
        try:
            if isinstance(mapped, LineProblem):
                problems.append(mapped)
            else:
                batch.add(mapped, strict=False)
        except WrongEvent as error:
            problems.append(LineProblem(line, error.name, error.code, str(error)))
    if problems:
        raise BadEvents(problems)
    return EventTable.from_batch(batch, fields)
