"""Groups and comments carry no ids: which of a changed list is which of the list before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from timeline_app.plan.versions.values import format_canonical

Sign = Callable[[Any], str | None]


def _part(*names: str) -> Sign:
    """Return what an item says in these parts, if it has all of them."""

    def sign(item: Any) -> str | None:
        has = isinstance(item, Mapping) and all(name in item for name in names)
        return format_canonical([item[name] for name in names]) if has else None

    return sign


SIGNS: tuple[Sign, ...] = (
    format_canonical,
    _part("id"),
    _part("title", "nodes"),
    _part("title"),
    _part("text", "at"),
    _part("text", "before"),
    _part("text"),
    _part("at"),
    _part("nodes"),
)
"""What identifies an item across versions, the surest first."""


def assign_keys(base: Sequence[Any], *sides: Sequence[Any]) -> list[dict[str, Any]]:
    """Return each list by keys that denote the same item in all of them; new items are their own keys."""
    old = _label_items(base, set())
    return [old, *(_match_items(old, side) for side in sides)]


def _match_items(old: Mapping[str, Any], side: Sequence[Any]) -> dict[str, Any]:
    keys_by_place: dict[int, str] = {}
    for sign in SIGNS:
        signs = _index_by_sign(
            {key: item for key, item in old.items() if key not in keys_by_place.values()}, sign
        )
        new = _index_by_sign(
            {index: item for index, item in enumerate(side) if index not in keys_by_place}, sign
        )
        keys_by_place |= {new[shared_sign]: signs[shared_sign] for shared_sign in new if shared_sign in signs}
    fresh = _label_items(
        [item for index, item in enumerate(side) if index not in keys_by_place], set(old), uses_content=True
    )
    names = iter(fresh)
    return {
        keys_by_place[index] if index in keys_by_place else next(names): item
        for index, item in enumerate(side)
    }


def _index_by_sign(items: Mapping[Any, Any], sign: Sign) -> dict[str, Any]:
    """Return keys by sign, without ambiguous signs; equal items get distinct keys."""
    keys_by_sign: dict[str, list[Any]] = {}
    for key, item in items.items():
        if (value := sign(item)) is not None:
            keys_by_sign.setdefault(value, []).append(key)
    if sign is format_canonical:
        return {f"{value} {n}": key for value, keys in keys_by_sign.items() for n, key in enumerate(keys)}
    return {value: keys[0] for value, keys in keys_by_sign.items() if len(keys) == 1}


def _label_items(
    items: Sequence[Any], labels_used: set[str], *, uses_content: bool = False
) -> dict[str, Any]:
    """Items by what a person would call them, or by all that they say."""
    items_by_label: dict[str, Any] = {}
    for item in items:
        label = format_canonical(item) if uses_content else _get_label(item)
        key, number = label, 1
        while key in items_by_label or key in labels_used:
            number += 1
            key = f"{label} {number}"
        items_by_label[key] = item
    return items_by_label


def _get_label(item: Any) -> str:
    label = item.get("title", item.get("text")) if isinstance(item, Mapping) else item
    return label[:60] if isinstance(label, str) else format_canonical(item)[:60]
