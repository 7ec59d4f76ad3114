"""Merges two changes of one document: a three-way merge that knows the parts of a plan.

Changes of different parts (fields of nodes, positions, results, groups, comments) are combined. Where both sides
changed one part, or one changed what the other removed, there is a conflict, which a choice decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from timeline_app.plan.versions import wires
from timeline_app.plan.versions.items import assign_keys
from timeline_app.plan.versions.lists import merge_items
from timeline_app.plan.versions.names import detect_renames, find_free_name, place_of, rename_nodes
from timeline_app.plan.versions.values import (
    ABSENT,
    Document,
    Path,
    fill_container,
    get_section,
    is_equal,
    is_set,
)

Side = Literal["ours", "theirs"]
Choices = Mapping[Path, Side]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides changed this path differently; `ABSENT` where a side removed it."""

    path: Path
    base: Any
    ours: Any
    theirs: Any


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged document, and the undecided conflicts, where it has the value of `theirs`."""

    document: dict[str, Any]
    conflicts: tuple[Conflict, ...]


def merge(base: Document, ours: Document, theirs: Document, choices: Choices | None = None) -> Merged:
    """Return what became of `base` by both changes; nothing of either is lost but what a choice decides against."""
    for left, right in ((ours, theirs), (theirs, ours)):
        if is_equal(left, base) or is_equal(left, right):
            return Merged(dict(right), ())
    merger = _Merger(choices or {})
    ours = _separate_namesakes(base, ours, theirs)
    own_renames, right = _track_renames(base, ours, theirs)
    called = merger.names(own_renames, right)
    sides = [
        rename_nodes(side, {new: old for old, new in names.items()})
        for side, names in ((ours, own_renames), (theirs, right))
    ]
    merged = merger.value((), dict(base), *sides)
    merged = merger.references(merged, dict(base), *sides)
    return Merged(rename_nodes(merged, called), tuple(merger.conflicts))


def _track_renames(base: Document, ours: Document, theirs: Document) -> tuple[dict[str, str], dict[str, str]]:
    """Return the renamed nodes of each side, except those that the other side removed or whose new name it used."""
    own_renames, other = detect_renames(base, ours), detect_renames(base, theirs)
    return _select_kept_renames(own_renames, other, theirs), _select_kept_renames(other, own_renames, ours)


def _select_kept_renames(
    names: Mapping[str, str], other_names: Mapping[str, str], document: Document
) -> dict[str, str]:
    nodes = get_section(document, "nodes")
    return {
        old: new
        for old, new in names.items()
        if other_names.get(old) == new or ((old in nodes or old in other_names) and new not in nodes)
    }


def _separate_namesakes(base: Document, ours: Document, theirs: Document) -> Document:
    """Ours, with other names for what both sides added under one name, and are two things."""
    nodes = [get_section(version, "nodes") for version in (base, ours, theirs)]
    names_used = {name for node in nodes for name in node}
    names: dict[str, str] = {}
    alike = set(detect_renames(base, ours).items()) & set(detect_renames(base, theirs).items())
    for name in sorted(nodes[1].keys() & nodes[2].keys() - nodes[0].keys() - {new for _, new in alike}):
        if not _is_same_node(name, ours, theirs):
            names[name] = find_free_name(name, names_used)
            names_used.add(names[name])
    return _separate_in_section(
        "groups", base, _separate_in_section("comments", base, rename_nodes(ours, names), theirs), theirs
    )


def _is_same_node(name: str, ours: Document, theirs: Document) -> bool:
    """Return whether two added nodes are one: the same operator at the same place."""
    left, right = (get_section(side, "nodes")[name] for side in (ours, theirs))
    ops = [node.get("op") if isinstance(node, Mapping) else None for node in (left, right)]
    return ops[0] == ops[1] and is_equal(place_of(ours, name), place_of(theirs, name))


def _separate_in_section(section: str, base: Document, ours: Document, theirs: Document) -> Document:
    """Do the same for a section of things by key."""
    own_section, old, new = (
        get_section(ours, section),
        get_section(base, section),
        get_section(theirs, section),
    )
    clash = [
        key
        for key in own_section
        if key not in old and key in new and not is_equal(own_section[key], new[key])
    ]
    if not clash:
        return ours
    names_used = {*own_section, *old, *new}
    keys = {key: find_free_name(key, names_used) for key in clash}
    return {**ours, section: {keys.get(key, key): value for key, value in own_section.items()}}


@dataclass(slots=True)
class _Merger:
    """Walks the three documents together, and collects undecided conflicts."""

    choices: Choices
    conflicts: list[Conflict] = field(default_factory=list)

    def names(self, own_renames: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
        """Return what each renamed node is called in the end."""
        olds = [*own_renames, *(old for old in other if old not in own_renames)]
        renames = {
            old: self.scalar(("names", old), old, own_renames.get(old, old), other.get(old, old))
            for old in olds
        }
        return {old: new for old, new in renames.items() if old != new}

    def value(self, path: Path, base: Any, ours: Any, theirs: Any) -> Any:
        """Return the value of both at a path."""
        base, ours, theirs = (fill_container(path, version) for version in (base, ours, theirs))
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            return self.object(path, base if isinstance(base, Mapping) else {}, ours, theirs)
        if (
            path[:1] == ("layout",)
            or is_equal(base, ours)
            or is_equal(base, theirs)
            or is_equal(ours, theirs)
        ):
            return self.scalar(path, base, ours, theirs)
        three = [[] if version is ABSENT else version for version in (base, ours, theirs)]
        if all(is_set(version) for version in three):
            items = merge_items(three[0], three[1], three[2])
            return items or (ABSENT if ABSENT in (ours, theirs) else items)
        return self.items(path, base, ours, theirs)

    def object(self, path: Path, *three: Mapping[str, Any]) -> dict[str, Any]:
        """Key by key, in an order that both sides can find themselves in."""
        base, ours, theirs = three
        keys = merge_items(list(base), list(ours), list(theirs))
        # What one side took away may have been changed by the other.
        keys += [key for key in base if key not in keys]
        merged = {
            key: self.value((*path, key), *(version.get(key, ABSENT) for version in three)) for key in keys
        }
        return {key: value for key, value in merged.items() if self.is_written((*path, key), value, three)}

    def is_written(self, path: Path, value: Any, three: tuple[Mapping[str, Any], ...]) -> bool:
        """Return whether the value is in the document: an implied container is not."""
        return value is not ABSENT and (
            value != {} or any(version.get(path[-1]) == {} for version in three[1:])
        )

    def items(self, path: Path, *three: Any) -> Any:
        """Groups and comments one by one; all else as a whole."""
        lists = [[] if version is ABSENT else version for version in three]
        if path in (("groups",), ("comments",)) and all(isinstance(version, list) for version in lists):
            return list(self.object(path, *assign_keys(lists[0], lists[1], lists[2])).values())
        return self.scalar(path, *three)

    def scalar(self, path: Path, base: Any, ours: Any, theirs: Any) -> Any:
        """Return the side that changed it; of two that did, the chosen one."""
        if is_equal(ours, theirs) or is_equal(base, ours):
            return theirs
        if is_equal(base, theirs):
            return ours
        if path[0] == "layout" and ABSENT in (ours, theirs):
            return theirs if ours is ABSENT else ours
        return self.decide(Conflict(path, base, ours, theirs))

    def decide(self, conflict: Conflict) -> Any:
        """Return what was chosen; else theirs, and a conflict is left."""
        chosen = self.choices.get(conflict.path)
        if chosen is None:
            self.conflicts.append(conflict)
        return conflict.ours if chosen == "ours" else conflict.theirs

    def references(
        self, document: dict[str, Any], base: Document, ours: Document, theirs: Document
    ) -> dict[str, Any]:
        """Resolve nodes that one side removed while the other wired them, and remaining positions and results."""
        three = [get_section(version, "nodes") for version in (base, ours, theirs)]
        nodes = get_section(document, "nodes")
        for name in wires.find_wanted(nodes, *three):
            old, own, other = (version.get(name, ABSENT) for version in three)
            # Where the other side changed the node itself, both have been heard already.
            if is_equal(old, own) or is_equal(old, other):
                decided = self.decide(Conflict(("nodes", name), old, own, other))
                nodes |= {} if decided is ABSENT else {name: decided}
        document |= {"nodes": nodes} if "nodes" in document else {}
        return wires.tidy_document(document, base, ours, theirs)
