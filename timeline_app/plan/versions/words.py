"""What changed, for people: by node and other part of the plan, and all of it in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from timeline_app.plan.versions.difference import Change, Difference
from timeline_app.plan.versions.values import ABSENT

MOST_NAMES = 3
PLACES = {
    "name": "the plan's name",
    "results": "the results",
    "groups": "groups",
    "comments": "comments",
    "streams": "its own streams",
}
DOING = ("added", "removed", "renamed", "changed", "rewired", "moved")
"""What can happen to a node, in the order in which it is told."""


@dataclass(slots=True)
class Subject:
    """A node, or another part of the plan, and all that happened to it."""

    name: str
    is_node: bool
    was: str | None = None
    did: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    def to_document(self) -> dict[str, Any]:
        """As it goes over the wire."""
        fields = [{**one.to_document(), "field": field_of(one)} for one in self.changes]
        return {"name": self.name, "node": self.is_node, "was": self.was, "did": self.did, "changes": fields}


def subjects(difference: Difference) -> list[Subject]:
    """What changed, gathered by what it happened to: nodes first, in the order of the documents."""
    found: dict[tuple[bool, str], Subject] = {}

    def subject(name: str, *, node: bool) -> Subject:
        return found.setdefault((node, name), Subject(name, node))

    for old, new in difference.renames.items():
        renamed = subject(new, node=True)
        renamed.was, renamed.did = old, ["renamed"]
    for change in difference.changes:
        is_node = change.path[0] in ("nodes", "layout") and len(change.path) > 1
        one = subject(change.path[1] if is_node else change.path[0], node=is_node)
        one.changes.append(change)
        if (did := doing(change)) not in one.did:
            one.did.append(did)
    for one in found.values():
        one.did = settled(one.did)
    return sorted(found.values(), key=lambda one: not one.is_node)


def doing(change: Change) -> str:
    """What a change does to its subject."""
    match change.path:
        case ("layout", *_):
            return "moved"
        case ("nodes", _):
            return "added" if change.before is ABSENT else "removed" if change.after is ABSENT else "changed"
        case ("nodes", _, "inputs", *_):
            return "rewired"
    return "changed"


def settled(did: Sequence[str]) -> list[str]:
    """In the order of telling; what came or went was not moved as well."""
    whole = [one for one in ("added", "removed") if one in did]
    return whole or [one for one in DOING if one in did]


def field_of(change: Change) -> str:
    """What a change is about, as the page calls it."""
    path = change.path
    if path[0] == "layout":
        return "place"
    if path[0] != "nodes":
        return " ".join(path[1:]) or path[0]
    return " ".join(path[3:] or path[2:]) or "node"


def sentence(difference: Difference) -> str:
    """All of it in one sentence."""
    told = subjects(difference)
    parts = [part for did in DOING if (part := nodes_told(did, told))]
    others = [PLACES.get(one.name, one.name) for one in told if not one.is_node]
    if others:
        parts.append(f"changed {listed(others)}")
    words = "; ".join(parts)
    return f"{words[0].upper()}{words[1:]}." if words else "Nothing changed."


def nodes_told(did: str, told: Sequence[Subject]) -> str:
    """What was done to which nodes."""
    chosen = [one for one in told if one.is_node and did in one.did]
    if not chosen:
        return ""
    if did == "moved" and len(chosen) > 1:
        return f"moved {len(chosen)} nodes"
    return f"{did} {listed([name_told(did, one) for one in chosen])}"


def name_told(did: str, one: Subject) -> str:
    """A node, and what is worth saying with it."""
    if did == "renamed":
        return f"{one.was} to {one.name}"
    if did != "changed":
        return one.name
    fields = dict.fromkeys(field_of(change) for change in one.changes if doing(change) == "changed")
    return f"{listed(list(fields))} of {one.name}"


def listed(names: Sequence[str]) -> str:
    """`a, b and c`; of more than a few, how many more."""
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def conflict_told(path: Sequence[str]) -> str:
    """What two people disagree about."""
    if path[0] == "names":
        return f"the name of {path[1]}"
    if path[0] == "nodes" and len(path) == 2:
        return f"whether {path[1]} stays"
    if path[0] == "layout":
        return f"the place of {path[1]}" if len(path) > 1 else "the layout"
    if path[0] == "nodes" and len(path) > 2:
        what = "the wires into " if path[2] == "inputs" else ""
        return f"{what}{' '.join(path[3:] or path[2:])} of {path[1]}"
    return " ".join([PLACES.get(path[0], path[0]), *path[1:]])
