"""What changed, for people: by node and other part of the plan, and all of it in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from timeline_app.plan.versions.difference import Change, Difference
from timeline_app.plan.versions.values import ABSENT

MAX_LISTED_NAMES = 3
PLACES = {
    "name": "the plan's name",
    "results": "the results",
    "groups": "groups",
    "comments": "comments",
    "streams": "its own streams",
}
DOING = ("added", "removed", "renamed", "changed", "rewired", "moved")
"""What can happen to a node, in the order of description."""


@dataclass(slots=True)
class Subject:
    """A node, or another part of the plan, and all that happened to it."""

    name: str
    is_node: bool
    was: str | None = None
    did: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    def to_document(self) -> dict[str, Any]:
        """Return the JSON form."""
        fields = [{**change.to_document(), "field": get_field(change)} for change in self.changes]
        return {"name": self.name, "node": self.is_node, "was": self.was, "did": self.did, "changes": fields}


def group_by_subject(difference: Difference) -> list[Subject]:
    """Return what changed, gathered by what it happened to: nodes first, in the order of the documents."""
    subjects: dict[tuple[bool, str], Subject] = {}

    def subject(name: str, *, node: bool) -> Subject:
        return subjects.setdefault((node, name), Subject(name, node))

    for old, new in difference.renames.items():
        renamed = subject(new, node=True)
        renamed.was, renamed.did = old, ["renamed"]
    for change in difference.changes:
        is_node = change.path[0] in ("nodes", "layout") and len(change.path) > 1
        changed = subject(change.path[1] if is_node else change.path[0], node=is_node)
        changed.changes.append(change)
        if (did := describe_action(change)) not in changed.did:
            changed.did.append(did)
    for changed in subjects.values():
        changed.did = order_actions(changed.did)
    return sorted(subjects.values(), key=lambda changed: not changed.is_node)


def describe_action(change: Change) -> str:
    """Return what a change does to its subject."""
    match change.path:
        case ("layout", *_):
            return "moved"
        case ("nodes", _):
            return "added" if change.before is ABSENT else "removed" if change.after is ABSENT else "changed"
        case ("nodes", _, "inputs", *_):
            return "rewired"
    return "changed"


def order_actions(did: Sequence[str]) -> list[str]:
    """Sort actions for description; an added or removed node was not moved as well."""
    outer = [action for action in ("added", "removed") if action in did]
    return outer or [action for action in DOING if action in did]


def get_field(change: Change) -> str:
    """Return what a change is about, as the page calls it."""
    path = change.path
    if path[0] == "layout":
        return "place"
    if path[0] != "nodes":
        return " ".join(path[1:]) or path[0]
    return " ".join(path[3:] or path[2:]) or "node"


def format_sentence(difference: Difference) -> str:
    """Return all of it in one sentence."""
    subjects = group_by_subject(difference)
    parts = [part for did in DOING if (part := format_nodes(did, subjects))]
    places = [PLACES.get(subject.name, subject.name) for subject in subjects if not subject.is_node]
    if places:
        parts.append(f"changed {format_names(places)}")
    words = "; ".join(parts)
    return f"{words[0].upper()}{words[1:]}." if words else "Nothing changed."


def format_nodes(did: str, subjects: Sequence[Subject]) -> str:
    """Return what was done to which nodes."""
    chosen = [subject for subject in subjects if subject.is_node and did in subject.did]
    if not chosen:
        return ""
    if did == "moved" and len(chosen) > 1:
        return f"moved {len(chosen)} nodes"
    return f"{did} {format_names([name_told(did, subject) for subject in chosen])}"


def name_told(did: str, subject: Subject) -> str:
    """Return a node with its noteworthy details."""
    if did == "renamed":
        return f"{subject.was} to {subject.name}"
    if did != "changed":
        return subject.name
    fields = dict.fromkeys(
        get_field(change) for change in subject.changes if describe_action(change) == "changed"
    )
    return f"{format_names(list(fields))} of {subject.name}"


def format_names(names: Sequence[str]) -> str:
    """`a, b and c`; of more than a few, how many more."""
    if len(names) > MAX_LISTED_NAMES:
        names = [*names[: MAX_LISTED_NAMES - 1], f"{len(names) - MAX_LISTED_NAMES + 1} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def describe_conflict(path: Sequence[str]) -> str:
    """Return what two people disagree about."""
    if path[0] == "names":
        return f"the name of {path[1]}"
    if path[0] == "nodes" and len(path) == 2:
        return f"whether {path[1]} stays"
    if path[0] == "layout":
        return f"the place of {path[1]}" if len(path) > 1 else "the layout"
    if path[0] == "nodes" and len(path) > 2:
        prefix = "the wires into " if path[2] == "inputs" else ""
        return f"{prefix}{' '.join(path[3:] or path[2:])} of {path[1]}"
    return " ".join([PLACES.get(path[0], path[0]), *path[1:]])
