"""Merging lists whose items stand for themselves: what either side added or took away is added or taken away."""

from __future__ import annotations

from collections.abc import Sequence


def merged_items(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Both sides' additions and removals, and the order of the side that ordered anew.

    What was added stays behind the item that it was put behind. Which side is called ours makes no difference.
    """
    kept = [one for one in base if one in ours and one in theirs]
    spine = _ordered(kept, ours, theirs)
    runs = [_runs(side, set(spine), set(base)) for side in (ours, theirs)]
    found: list[str] = []
    for anchor in (None, *spine):
        if anchor is not None:
            found.append(anchor)
        for run in sorted(side[anchor] for side in runs if anchor in side):
            found += [one for one in run if one not in found]
    return found


def _ordered(kept: list[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """What all have, in the one order that differs from the base's; of two such orders in that of the base."""
    orders = [[one for one in side if one in kept] for side in (ours, theirs)]
    new = [order for order in orders if order != kept]
    return new[0] if new and all(order == new[0] for order in new) else kept


def _runs(side: Sequence[str], spine: set[str], base: set[str]) -> dict[str | None, list[str]]:
    """What a side added, by the item that it stands behind."""
    found: dict[str | None, list[str]] = {}
    anchor: str | None = None
    for one in side:
        if one in spine:
            anchor = one
        elif one not in base:
            found.setdefault(anchor, []).append(one)
    return found
