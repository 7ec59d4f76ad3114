"""Groups and comments carry no ids: which of a changed list is which of the list before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from timeline_app.plan.versions.values import canonical

Sign = Callable[[Any], str | None]


def _part(*names: str) -> Sign:
    """What an item says in these parts, if it has all of them."""

    def sign(item: Any) -> str | None:
        has = isinstance(item, Mapping) and all(name in item for name in names)
        return canonical([item[name] for name in names]) if has else None

    return sign


SIGNS: tuple[Sign, ...] = (
    canonical,
    _part("id"),
    _part("title", "nodes"),
    _part("title"),
    _part("text", "at"),
    _part("text", "before"),
    _part("text"),
    _part("at"),
    _part("nodes"),
)
"""By what an item is known again, the surest first."""


def keyed(base: Sequence[Any], *sides: Sequence[Any]) -> list[dict[str, Any]]:
    """Each list by keys that stand for the same item in all of them; those of new items are what they say."""
    old = _labelled(base, set())
    return [old, *(_against(old, side) for side in sides)]


def _against(old: Mapping[str, Any], side: Sequence[Any]) -> dict[str, Any]:
    found: dict[int, str] = {}
    for sign in SIGNS:
        signs = _signs({key: item for key, item in old.items() if key not in found.values()}, sign)
        new = _signs({place: item for place, item in enumerate(side) if place not in found}, sign)
        found |= {new[same]: signs[same] for same in new if same in signs}
    fresh = _labelled([item for place, item in enumerate(side) if place not in found], set(old), whole=True)
    names = iter(fresh)
    return {found[place] if place in found else next(names): item for place, item in enumerate(side)}


def _signs(items: Mapping[Any, Any], sign: Sign) -> dict[str, Any]:
    """Keys by sign, without those that share one; of equal ones each has its own."""
    found: dict[str, list[Any]] = {}
    for key, item in items.items():
        if (value := sign(item)) is not None:
            found.setdefault(value, []).append(key)
    if sign is canonical:
        return {f"{value} {n}": key for value, keys in found.items() for n, key in enumerate(keys)}
    return {value: keys[0] for value, keys in found.items() if len(keys) == 1}


def _labelled(items: Sequence[Any], taken: set[str], *, whole: bool = False) -> dict[str, Any]:
    """Items by what a person would call them, or by all that they say."""
    found: dict[str, Any] = {}
    for item in items:
        label = canonical(item) if whole else _label(item)
        key, number = label, 1
        while key in found or key in taken:
            number += 1
            key = f"{label} {number}"
        found[key] = item
    return found


def _label(item: Any) -> str:
    said = item.get("title", item.get("text")) if isinstance(item, Mapping) else item
    return said[:60] if isinstance(said, str) else canonical(item)[:60]
