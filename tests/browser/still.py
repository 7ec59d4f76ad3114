"""What is seen once it stands still, and how long that is waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import FloatRect, Locator, Page

PATIENCE_MS = 60_000
"""How long a page may take to become what is expected of it: the machine has other things to do as well."""
Place = tuple[float, float]
Seen = TypeVar("Seen")


def read_box(item: Locator) -> FloatRect:
    box = item.bounding_box()
    assert box, f"{item} is not seen"
    return box


def read_steady(page: Page, read: Callable[[], Seen], milliseconds: int = 60) -> Seen:
    """What is seen once it is twice the same."""
    read_values = read()
    while True:
        page.wait_for_timeout(milliseconds)
        before, read_values = read_values, read()
        if read_values == before:
            return read_values


def read_steady_box(item: Locator) -> FloatRect:
    """Where something is once it stands still: what is above it may still be growing."""
    return read_steady(item.page, lambda: read_box(item))


def find_middles(*items: Locator) -> list[Place]:
    """Where to press on each, once all stand still: the canvas glides when it fits its view."""
    boxes = read_steady(items[0].page, lambda: [read_box(item) for item in items])
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]


def find_middle(item: Locator) -> Place:
    """Where to press, once it stands still."""
    return find_middles(item)[0]
