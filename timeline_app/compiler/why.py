"""Why a node says what it says of a key at an instant: the chain of reasons, from the node down to the events.

It walks the plan as it was drawn, so that the sentences speak of its nodes. What timelines and events there are is
asked of a `Witness`, which is the local evaluator or the revision log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from timeline_app.algebra.events import Column
from timeline_app.algebra.fold import Point
from timeline_app.algebra.kinds import FALSE, NO_LABELS, TRUE, Kind
from timeline_app.compiler.compile import Compiled
from timeline_app.compiler.start import start_of
from timeline_app.operators import operators
from timeline_app.operators.reasons import Boundary, Member, Moment, Question, Reason, Seen
from timeline_app.plan.document import PlanNode
from timeline_app.plan.events import WHOLE_ID
from timeline_app.plan.stream import StreamDeclaration
from timeline_app.predicates import Expression, Predicate
from timeline_app.predicates.columns import LooseColumns
from timeline_app.predicates.expressions import select_column

Document = dict[str, Any]
Event = Mapping[str, Any]
"""An event's fields by name, as JSON; a missing one is None or not there."""
MOST = 200
"""So many links has a chain at most."""
_MOST_EVENTS = 20
_WHOLE = re.compile(WHOLE_ID)


@dataclass(frozen=True, slots=True)
class Found:
    """The events of an instant; `complete` says whether all places were looked into."""

    events: Sequence[Event]
    complete: bool = True


class Witness(Protocol):
    """Who knows the timelines of nodes, by digest, and the events of streams."""

    def look(self, digest: str, key: str) -> Seen | None:
        """A key's whole timeline at a node; None where it has none."""

    def everyone(self, digest: str, at: int) -> Mapping[str, Member] | int:
        """Every key's birth and value at an instant; only how many there are, where these are too many."""

    def events(self, stream: str, key: str, times: Sequence[int]) -> Mapping[int, Found]:
        """The events of a key at these instants."""


class UnknownKey(LookupError):
    """The node has no timeline of the key."""


def why(compiled: Compiled, witness: Witness, node: str, key: str, at: int) -> Document:
    """The chain of reasons, root first, as JSON: see `Link`. Raises `UnknownKey`."""
    walk = _Walk(compiled, witness)
    if witness.look(compiled.names[node], key) is None:
        raise UnknownKey(key)
    links = walk.down(walk.look(node, key, at))
    events = _Events(compiled, witness, links)
    return {
        "node": node,
        "key": key,
        "at": at,
        "complete": not walk.cut,
        "chain": [_document(link, events) for link in links],
    }


@dataclass(frozen=True, slots=True)
class Link:
    """What one node says at an instant, and why."""

    node: PlanNode
    moment: Moment
    reason: Reason
    because: tuple[Moment, ...]


@dataclass(slots=True)
class _Walk:
    """From a node down through the inputs concerned, each node, key and instant once."""

    compiled: Compiled
    witness: Witness
    cut: bool = False
    seen: dict[tuple[str, str], Seen] = field(default_factory=dict)

    def down(self, root: Moment) -> list[Link]:
        """Breadth first; a chain that is too long is cut, and still names only what it explains."""
        links: list[Link] = []
        queue, met = [root], {_place(root)}
        for moment in queue:
            reason = self.reason(moment)
            new = [item for item in _once(reason.because) if _place(item) not in met]
            room = MOST - len(queue)
            self.cut |= len(new) > room
            queue += new[:room]
            met |= {_place(item) for item in new[:room]}
            because = tuple(item for item in reason.because if _place(item) in met)
            links.append(Link(self.node(moment.node), moment, reason, because))
        return links

    def reason(self, moment: Moment) -> Reason:
        """What the operator says."""
        node = self.node(moment.node)
        return operators()[node.op].why(
            Question(
                node.op,
                moment,
                self.compiled.checked.params[node.name],
                node.stream or "",
                {port: wires for port, wires in node.inputs.items() if wires},
                self.look,
                lambda wire, at: self.witness.everyone(self.compiled.names[wire], at),
            )
        )

    def node(self, name: str) -> PlanNode:
        """A node as it was drawn."""
        return self.compiled.checked.graph.nodes[name]

    def look(self, node: str, key: str, at: int) -> Moment:
        """What a node says of a key at an instant."""
        if (node, key) not in self.seen:
            found = self.witness.look(self.compiled.names[node], key)
            self.seen[node, key] = self._never(node) if found is None else found
        return Moment.of(node, key, at, self.seen[node, key])

    def _never(self, node: str) -> Seen:
        """The timeline of a key without events."""
        digest, table = self.compiled.names[node], self.compiled.table
        start, kind = start_of(digest, table, self.compiled.streams, {}), table[digest].facts.kind
        point: Point
        if isinstance(start, complex):
            point = [None, start.real, 0.0, start.imag, 0.0]
        elif kind is Kind.RATIO:
            point = [None, None, 0.0, None, 0.0]
        else:
            point = [None, start, *([0.0] if kind is Kind.NUMBER else [])]
        return Seen(kind, [point], None, None)


def _once(moments: Sequence[Moment]) -> list[Moment]:
    return list({_place(item): item for item in moments}.values())


def _place(moment: Moment) -> tuple[str, str, int]:
    return moment.node, moment.key, moment.at


class _Events:
    """The raw events of all boundaries of a chain, read at once for each stream and key."""

    def __init__(self, compiled: Compiled, witness: Witness, links: Sequence[Link]) -> None:
        self.compiled = compiled
        wanted: dict[tuple[str, str], set[int]] = {}
        for link in links:
            if link.node.stream is not None and link.reason.events:
                times = wanted.setdefault((link.node.stream, link.moment.key), set())
                times |= {item.time for item in link.reason.events}
        self.found = {
            (stream, key): witness.events(stream, key, sorted(times))
            for (stream, key), times in wanted.items()
        }

    def of(self, link: Link, boundary: Boundary) -> Document:
        """The events of a boundary; `found` is false where some may lie where nobody looked."""
        stream = link.node.stream or ""
        found = self.found[stream, link.moment.key].get(boundary.time, Found((), complete=False))
        declared = self.compiled.streams[stream]
        meant = [
            event for event in found.events if matches(event, boundary.time, boundary.wants, declared.kind_of)
        ]
        return {
            "stream": stream,
            "t": boundary.time,
            "events": [dict(event) for event in meant[:_MOST_EVENTS]],
            "found": bool(meant) or found.complete,
            "rule": _describe_rule(meant, boundary, declared) if boundary.by_rank else "",
        }


def _describe_rule(events: Sequence[Event], boundary: Boundary, declared: StreamDeclaration) -> str:
    """Which rule chose between events of one instant that say different things; empty where there was no choice."""
    wants = boundary.wants
    if wants is None or isinstance(wants, Predicate):
        return ""
    if len({read_value(event, boundary.time, wants, declared.kind_of) for event in events}) < 2:
        return ""
    given = [event.get(declared.id or "") for event in events]
    ids = {str(item) for item in given if item is not None}
    if len(set(given)) < 2:
        order = "false before true, then numbers, then text"
        return (
            f"Several events at this instant, and no ids to order them: the greatest value counts ({order})."
        )
    whole = [_WHOLE.search(item) is not None for item in ids]
    if all(whole) or (declared.id and declared.kind_of(declared.id) is Kind.NUMBER):
        order = "ids are compared as numbers, so that 10 is greater than 9"
    elif any(whole):
        order = "whole numbers come before all other ids"
    else:
        order = "ids that are no whole numbers are compared as text, character by character"
    return f"Several events at this instant: the one with the greatest id counts; {order}."


def matches(event: Event, time: int, wants: Predicate | Expression | str | None, kind_of: Any) -> bool:
    """Whether an event is one of those that a reason means: a condition holds, a value is there; None: any."""
    if wants is None:
        return True
    if isinstance(wants, Predicate):
        return bool(wants.matches(_one_event(event, time, wants, kind_of))[0])
    return read_value(event, time, wants, kind_of) is not None


def read_value(event: Event, time: int, wants: Expression | str, kind_of: Any) -> Any:
    """What an event says in a field, or what is computed from its fields; None is missing."""
    if isinstance(wants, str):
        return event.get(wants)
    return select_column(_one_event(event, time, wants, kind_of), wants).scalar(0)


def _one_event(event: Event, time: int, wants: Predicate | Expression, kind_of: Any) -> LooseColumns:
    fields = {name: _column(kind_of(name), event.get(name)) for name in wants.field_names()}
    return LooseColumns(fields, 1, np.array([time], dtype=np.int64))


def _column(kind: Kind, value: Any) -> Column:
    """One value as a column."""
    if value is None:
        return Column(kind, np.array([kind.unknown], dtype=kind.dtype), NO_LABELS)
    if kind is Kind.TEXT:
        return Column(kind, np.zeros(1, dtype=kind.dtype), np.array([value], dtype=object))
    stored = (TRUE if value else FALSE) if kind is Kind.BOOL else value
    return Column(kind, np.array([stored], dtype=kind.dtype), NO_LABELS)


def _document(link: Link, events: _Events) -> Document:
    """A link as JSON; times in microseconds, null: since ever, open."""
    moment, final = link.moment, link.moment.seen.final_until
    return {
        "node": link.node.name,
        "op": link.node.op,
        "title": operators()[link.node.op].title,
        "key": moment.key,
        "at": moment.at,
        "kind": moment.seen.kind.printed,
        "value": moment.value,
        "from": moment.since,
        "to": moment.until,
        "sentence": f"{link.reason.sentence[:1].upper()}{link.reason.sentence[1:]}.",
        "ends": link.reason.ends,
        "because": list(dict.fromkeys(item.node for item in link.because)),
        "events": [events.of(link, item) for item in link.reason.events],
        "final": final is not None and moment.at < final,
    }
