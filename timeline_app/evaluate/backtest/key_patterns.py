"""Patterns of keys."""

from __future__ import annotations


def matches_key(pattern: str, key: str) -> bool:
    """Return whether a key matches a pattern with * for any text, in linear time; an empty one matches all keys."""
    first, *middle = pattern.split("*")
    if not middle:
        return pattern in ("", key)
    last = middle.pop()
    offset, end = len(first), len(key) - len(last)
    if not key.startswith(first) or not key.endswith(last) or end < offset:
        return False
    for part in middle:
        found_at = key.find(part, offset, end)
        if found_at < 0:
            return False
        offset = found_at + len(part)
    return True
