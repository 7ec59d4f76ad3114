"""Merges lists of items without identity: an addition or removal by either side is applied."""

from __future__ import annotations

from collections.abc import Sequence


def merge_items(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Merge both sides' additions and removals, and the order of the side that reordered.

    An addition stays after the item that it was put after. The result does not depend on which side is called ours.
    """
    common = [name for name in base if name in ours and name in theirs]
    spine = _order_kept(common, ours, theirs)
    runs = [_group_additions(side, set(spine), set(base)) for side in (ours, theirs)]
    merged: list[str] = []
    for anchor in (None, *spine):
        if anchor is not None:
            merged.append(anchor)
        for run in sorted(side[anchor] for side in runs if anchor in side):
            merged += [name for name in run if name not in merged]
    return merged


def _order_kept(common: list[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return what all have, in the one order that differs from the base's; of two such orders in that of the base."""
    orders = [[name for name in side if name in common] for side in (ours, theirs)]
    new = [order for order in orders if order != common]
    return new[0] if new and all(order == new[0] for order in new) else common


def _group_additions(side: Sequence[str], spine: set[str], base: set[str]) -> dict[str | None, list[str]]:
    """Return a side's additions, by the item that they follow."""
    additions: dict[str | None, list[str]] = {}
    anchor: str | None = None
    for name in side:
        if name in spine:
            anchor = name
        elif name not in base:
            additions.setdefault(anchor, []).append(name)
    return additions
