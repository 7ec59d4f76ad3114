"""Explains the value of a node for a key at an instant: the chain of reasons, from the node to the events.

It walks the plan as it was drawn, so that its sentences name the plan's nodes. A `Witness`, the local evaluator or
the revision log, provides timelines and events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from timeline_app.algebra.fold import Point
from timeline_app.algebra.kinds import Kind
from timeline_app.compiler.boundary_events import Event, describe_rule, is_wanted_event
from timeline_app.compiler.compile import Compiled
from timeline_app.compiler.start import start_of
from timeline_app.operators import operators
from timeline_app.operators.reasons import Boundary, Member, Moment, Question, Reason, Seen
from timeline_app.operators.words import format_length, split_at_instants
from timeline_app.plan.document import PlanNode

Document = dict[str, Any]
MAX_LINKS = 200
"""For a chain."""
_MAX_EVENTS_PER_LINK = 20
_MAX_INSTANTS_PER_STRETCH = 20
"""Of the events of a stretch, those of the latest instants are shown."""


@dataclass(frozen=True, slots=True)
class FoundEvents:
    """The events of an instant; `complete` says whether every file was searched."""

    events: Sequence[Event]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class FoundBetween:
    """The events of a stretch of time, each with its time; `complete` as in `Found`."""

    events: Sequence[tuple[int, Event]]
    complete: bool = True


Stretch = tuple[int, int]
"""The first and the last instant of a stretch of time."""


class Witness(Protocol):
    """Provides the timelines of nodes, by digest, and the events of streams."""

    def read_timeline(self, digest: str, key: str) -> Seen | None:
        """Return a key's whole timeline at a node; None where it has none."""

    def everyone(self, digest: str, at: int) -> Mapping[str, Member] | int:
        """Return every key's birth and value at an instant; only how many there are, where these are too many."""

    def events(self, stream: str, key: str, times: Sequence[int]) -> Mapping[int, FoundEvents]:
        """Return the events of a key at these instants."""

    def events_between(
        self, stream: str, key: str, stretches: Sequence[Stretch]
    ) -> Mapping[Stretch, FoundBetween]:
        """Return the events of a key in these stretches of time."""


class UnknownKey(LookupError):
    """The node has no timeline of the key."""


def trace_reasons(compiled: Compiled, witness: Witness, node: str, key: str, at: int) -> Document:
    """Return the chain of reasons, root first, as JSON: see `Link`. Raises `UnknownKey`."""
    walk = _Walk(compiled, witness)
    if witness.read_timeline(compiled.names[node], key) is None:
        raise UnknownKey(key)
    links = walk.down(walk.find_moment(node, key, at))
    events = _Events(compiled, witness, links)
    return {
        "node": node,
        "key": key,
        "at": at,
        "complete": not walk.cut,
        "chain": [_describe_link(link, events) for link in links],
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
            new = [item for item in _remove_duplicates(reason.because) if _place(item) not in met]
            room = MAX_LINKS - len(queue)
            self.cut |= len(new) > room
            queue += new[:room]
            met |= {_place(item) for item in new[:room]}
            because = tuple(item for item in reason.because if _place(item) in met)
            links.append(Link(self.node(moment.node), moment, reason, because))
        return links

    def reason(self, moment: Moment) -> Reason:
        """Return what the operator says."""
        node = self.node(moment.node)
        return operators()[node.op].why(
            Question(
                node.op,
                moment,
                self.compiled.checked.params[node.name],
                self.compiled.checked.canonical_params(node),
                node.stream or "",
                {port: wires for port, wires in node.inputs.items() if wires},
                self.find_moment,
                lambda wire, at: self.witness.everyone(self.compiled.names[wire], at),
            )
        )

    def node(self, name: str) -> PlanNode:
        """Return a node as it was drawn."""
        return self.compiled.checked.graph.nodes[name]

    def find_moment(self, node: str, key: str, at: int) -> Moment:
        """Return the value of a node for a key at an instant."""
        if (node, key) not in self.seen:
            timeline = self.witness.read_timeline(self.compiled.names[node], key)
            self.seen[node, key] = self._never(node) if timeline is None else timeline
        return Moment.build(node, key, at, self.seen[node, key])

    def _never(self, node: str) -> Seen:
        """Return the timeline of a key without events."""
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


def _remove_duplicates(moments: Sequence[Moment]) -> list[Moment]:
    return list({_place(item): item for item in moments}.values())


def _place(moment: Moment) -> tuple[str, str, int]:
    return moment.node, moment.key, moment.at


def _place_of(link: Link, boundary: Boundary) -> tuple[str, str]:
    """Return the stream and the key of an event of a reason."""
    return boundary.stream or link.node.stream or "", link.moment.key


class _Events:
    """The raw events of all boundaries of a chain, read at once for each stream and key."""

    def __init__(self, compiled: Compiled, witness: Witness, links: Sequence[Link]) -> None:
        self.compiled = compiled
        times: dict[tuple[str, str], set[int]] = {}
        stretches: dict[tuple[str, str], set[Stretch]] = {}
        for link in links:
            for item in link.reason.events:
                link_and_item = _place_of(link, item)
                if item.after is None:
                    times.setdefault(link_and_item, set()).add(item.time)
                else:
                    stretches.setdefault(link_and_item, set()).add((item.after + 1, item.time))
        self.events_by_place = {
            link_and_item: witness.events(*link_and_item, sorted(instants))
            for link_and_item, instants in times.items()
        }
        self.between = {
            link_and_item: witness.events_between(*link_and_item, sorted(instants))
            for link_and_item, instants in stretches.items()
        }

    def list_events(self, link: Link) -> Iterator[Document]:
        """Yield the events of its boundaries."""
        for boundary in link.reason.events:
            link_and_item = _place_of(link, boundary)
            if boundary.after is None:
                found_events = self.events_by_place[link_and_item].get(
                    boundary.time, FoundEvents((), complete=False)
                )
                yield self._at(link_and_item[0], boundary, found_events)
            else:
                stretch = (boundary.after + 1, boundary.time)
                unseen = FoundBetween((), complete=False)
                yield from self._between(
                    link_and_item[0], boundary, self.between[link_and_item].get(stretch, unseen)
                )

    def _between(self, stream: str, boundary: Boundary, found_events: FoundBetween) -> Iterator[Document]:
        """Yield the events of a stretch that are meant, instant by instant."""
        kind_of = self.compiled.streams[stream].kind_of
        meant: dict[int, list[Event]] = {}
        for time, event in found_events.events:
            if is_wanted_event(event, time, boundary.wants, kind_of):
                meant.setdefault(time, []).append(event)
        if not meant and not found_events.complete:
            yield self._at(stream, boundary, FoundEvents((), complete=False))
        times = sorted(meant)
        for time in times[-_MAX_INSTANTS_PER_STRETCH:] if boundary.missed is None else times[:1]:
            at = self._at(
                stream, replace(boundary, time=time), FoundEvents(meant[time], found_events.complete)
            )
            yield at if boundary.missed is None else at | {"rule": _describe_lateness(boundary.missed, time)}

    def _at(self, stream: str, boundary: Boundary, found_events: FoundEvents) -> Document:
        """Return the events of an instant; `found` is False where some may be in files that were not searched."""
        declared = self.compiled.streams[stream]
        meant = [
            event
            for event in found_events.events
            if is_wanted_event(event, boundary.time, boundary.wants, declared.kind_of)
        ]
        return {
            "stream": stream,
            "t": boundary.time,
            "events": [dict(event) for event in meant[:_MAX_EVENTS_PER_LINK]],
            "found": bool(meant) or found_events.complete,
            "rule": describe_rule(meant, boundary, declared) if boundary.by_rank else "",
        }


def _describe_lateness(limit: int, time: int) -> str:
    """Say by how much an event missed a limit."""
    if time == limit:
        return "Too late: it came at the very instant of the limit."
    return f"Late by {format_length(time - limit)}."


def _sentence(name: str, marked: str, near: int) -> Document:
    """Return a sentence, its instants in UTC; and its parts, so that they can be shown in any zone."""
    parts = split_at_instants(marked, near)
    return {
        name: "".join(text for text, _ in parts),
        f"{name}_parts": [{"text": text, "at": at} for text, at in parts],
    }


def _describe_link(link: Link, events: _Events) -> Document:
    """Return a link as JSON; times in microseconds, null is unbounded."""
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
        **_sentence("sentence", f"{link.reason.sentence[:1].upper()}{link.reason.sentence[1:]}.", moment.at),
        **_sentence("ends", link.reason.ends, moment.at),
        "because": list(dict.fromkeys(item.node for item in link.because)),
        "events": [*events.list_events(link)],
        "final": final is not None and moment.at < final,
    }
