"""Walks as deep as a plan is nested, without Python's own stack."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")
Walk = Generator["Walk[Any]", Any, T]
"""A function that yields the walks that it needs, and is sent what each returns."""


def run_walk(walk: Walk[T]) -> T:
    """Return what a walk returns."""
    stack: list[Walk[Any]] = [walk]
    result: Any = None
    while stack:
        try:
            stack.append(stack[-1].send(result))
            result = None
        except StopIteration as finished:
            stack.pop()
            result = finished.value
    return result  # type: ignore[no-any-return]
