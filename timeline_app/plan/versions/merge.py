"""Two changes of one document become one: a three-way merge that knows what a plan is made of.

Changes of different parts (fields of nodes, places, results, groups, comments) come together, whoever was first. Where
both sides changed one part, or one changed what the other took away, it is a conflict, which a choice decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from timeline_app.plan.versions import wires
from timeline_app.plan.versions.items import keyed
from timeline_app.plan.versions.lists import merged_items
from timeline_app.plan.versions.names import free, place_of, renamed, renames
from timeline_app.plan.versions.values import ABSENT, Document, Path, equal, is_set, opened, section

Side = Literal["ours", "theirs"]
Choices = Mapping[Path, Side]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides say something of this path, and it is not the same; `ABSENT` where a side took it away."""

    path: Path
    base: Any
    ours: Any
    theirs: Any


@dataclass(frozen=True, slots=True)
class Merged:
    """The document of both, and the conflicts that nobody decided: there it says what `theirs` says."""

    document: dict[str, Any]
    conflicts: tuple[Conflict, ...]


def merge(base: Document, ours: Document, theirs: Document, choices: Choices | None = None) -> Merged:
    """What became of `base` by both changes; nothing of either is lost but what a choice decides against."""
    for one, other in ((ours, theirs), (theirs, ours)):
        if equal(one, base) or equal(one, other):
            return Merged(dict(other), ())
    merger = _Merger(choices or {})
    ours = _apart(base, ours, theirs)
    mine, other = _tracked(base, ours, theirs)
    called = merger.names(mine, other)
    sides = [
        renamed(side, {new: old for old, new in names.items()})
        for side, names in ((ours, mine), (theirs, other))
    ]
    found = merger.value((), dict(base), *sides)
    found = merger.references(found, dict(base), *sides)
    return Merged(renamed(found, called), tuple(merger.conflicts))


def _tracked(base: Document, ours: Document, theirs: Document) -> tuple[dict[str, str], dict[str, str]]:
    """The renamed nodes of each side, without those that the other side took away or whose new name it gave away."""
    mine, other = renames(base, ours), renames(base, theirs)
    return _kept(mine, other, theirs), _kept(other, mine, ours)


def _kept(names: Mapping[str, str], others: Mapping[str, str], document: Document) -> dict[str, str]:
    nodes = section(document, "nodes")
    return {
        old: new
        for old, new in names.items()
        if others.get(old) == new or ((old in nodes or old in others) and new not in nodes)
    }


def _apart(base: Document, ours: Document, theirs: Document) -> Document:
    """Ours, with other names for what both sides added under one name, and are two things."""
    nodes = [section(one, "nodes") for one in (base, ours, theirs)]
    taken = {name for one in nodes for name in one}
    names: dict[str, str] = {}
    alike = set(renames(base, ours).items()) & set(renames(base, theirs).items())
    for name in sorted(nodes[1].keys() & nodes[2].keys() - nodes[0].keys() - {new for _, new in alike}):
        if not _same_node(name, ours, theirs):
            names[name] = free(name, taken)
            taken.add(names[name])
    return _apart_in("groups", base, _apart_in("comments", base, renamed(ours, names), theirs), theirs)


def _same_node(name: str, ours: Document, theirs: Document) -> bool:
    """Whether the two that were added are one: the same operator at the same place."""
    one, other = (section(side, "nodes")[name] for side in (ours, theirs))
    ops = [node.get("op") if isinstance(node, Mapping) else None for node in (one, other)]
    return ops[0] == ops[1] and equal(place_of(ours, name), place_of(theirs, name))


def _apart_in(part: str, base: Document, ours: Document, theirs: Document) -> Document:
    """The same for a section of things by key."""
    held, old, new = section(ours, part), section(base, part), section(theirs, part)
    clash = [key for key in held if key not in old and key in new and not equal(held[key], new[key])]
    if not clash:
        return ours
    taken = {*held, *old, *new}
    keys = {key: free(key, taken) for key in clash}
    return {**ours, part: {keys.get(key, key): value for key, value in held.items()}}


@dataclass(slots=True)
class _Merger:
    """Walks the three documents together, and keeps what nobody decided."""

    choices: Choices
    conflicts: list[Conflict] = field(default_factory=list)

    def names(self, mine: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
        """What each renamed node is called in the end."""
        olds = [*mine, *(old for old in other if old not in mine)]
        found = {
            old: self.scalar(("names", old), old, mine.get(old, old), other.get(old, old)) for old in olds
        }
        return {old: new for old, new in found.items() if old != new}

    def value(self, path: Path, base: Any, ours: Any, theirs: Any) -> Any:
        """The value of both at a path."""
        base, ours, theirs = (opened(path, one) for one in (base, ours, theirs))
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            return self.object(path, base if isinstance(base, Mapping) else {}, ours, theirs)
        if path[:1] == ("layout",) or equal(base, ours) or equal(base, theirs) or equal(ours, theirs):
            return self.scalar(path, base, ours, theirs)
        three = [[] if one is ABSENT else one for one in (base, ours, theirs)]
        if all(is_set(one) for one in three):
            items = merged_items(three[0], three[1], three[2])
            return items or (ABSENT if ABSENT in (ours, theirs) else items)
        return self.items(path, base, ours, theirs)

    def object(self, path: Path, *three: Mapping[str, Any]) -> dict[str, Any]:
        """Key by key, in an order that both sides can find themselves in."""
        base, ours, theirs = three
        keys = merged_items(list(base), list(ours), list(theirs))
        # What one side took away may have been changed by the other.
        keys += [key for key in base if key not in keys]
        found = {key: self.value((*path, key), *(one.get(key, ABSENT) for one in three)) for key in keys}
        return {key: value for key, value in found.items() if self.is_written((*path, key), value, three)}

    def is_written(self, path: Path, value: Any, three: tuple[Mapping[str, Any], ...]) -> bool:
        """Whether it stands in the document: a container that nobody wrote does not."""
        return value is not ABSENT and (value != {} or any(one.get(path[-1]) == {} for one in three[1:]))

    def items(self, path: Path, *three: Any) -> Any:
        """Groups and comments one by one; all else as a whole."""
        lists = [[] if one is ABSENT else one for one in three]
        if path in (("groups",), ("comments",)) and all(isinstance(one, list) for one in lists):
            return list(self.object(path, *keyed(lists[0], lists[1], lists[2])).values())
        return self.scalar(path, *three)

    def scalar(self, path: Path, base: Any, ours: Any, theirs: Any) -> Any:
        """The side that changed it; of two that did, the chosen one."""
        if equal(ours, theirs) or equal(base, ours):
            return theirs
        if equal(base, theirs):
            return ours
        if path[0] == "layout" and ABSENT in (ours, theirs):
            return theirs if ours is ABSENT else ours
        return self.decide(Conflict(path, base, ours, theirs))

    def decide(self, conflict: Conflict) -> Any:
        """What was chosen; else theirs, and a conflict is left."""
        chosen = self.choices.get(conflict.path)
        if chosen is None:
            self.conflicts.append(conflict)
        return conflict.ours if chosen == "ours" else conflict.theirs

    def references(
        self, found: dict[str, Any], base: Document, ours: Document, theirs: Document
    ) -> dict[str, Any]:
        """Nodes that one side took away while the other wired something to them; places and results of what is gone."""
        three = [section(one, "nodes") for one in (base, ours, theirs)]
        nodes = section(found, "nodes")
        for name in wires.wanted(nodes, *three):
            old, mine, other = (one.get(name, ABSENT) for one in three)
            # Where the other side changed the node itself, both have been heard already.
            if equal(old, mine) or equal(old, other):
                kept = self.decide(Conflict(("nodes", name), old, mine, other))
                nodes |= {} if kept is ABSENT else {name: kept}
        found |= {"nodes": nodes} if "nodes" in found else {}
        return wires.tidied(found, base, ours, theirs)
