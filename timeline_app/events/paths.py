"""Fields inside the objects and lists of an event, by path: `ctx.device.os`, `items[0].sku`.

At every level a name that is spelled like the whole rest of the path goes before the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

NESTED = "\0"
"""Ends the name under which a log keeps an object or a list as canonical JSON text: no name of a field holds it."""
MAX_PATHS = 200
"""The limit of listed paths for one object or list."""
_MAX_DEPTH = 20
_PATH = re.compile(r"[^.\[\]]++(?:\[[0-9]{1,6}\])*+(?:\.[^.\[\]]++(?:\[[0-9]{1,6}\])*+)*+")
_STEP = re.compile(r"\[([0-9]+)\]|([^.\[\]]+)")


class Step(NamedTuple):
    """A name in an object or a place in a list; `rest` is the path from here on."""

    key: str | int
    rest: str


@lru_cache(maxsize=4_096)
def split_path(name: str) -> tuple[Step, ...]:
    """Return the steps of a path; one for a plain name, and for what is no path.

    >>> [step.key for step in split_path("items[0].sku")]
    ['items', 0, 'sku']
    """
    if not _PATH.fullmatch(name):
        return (Step(name, name),)
    steps = _STEP.finditer(name)
    return tuple(Step(match[2] or int(match[1]), name[match.start() :]) for match in steps)


def is_path(name: str) -> bool:
    """Return whether a name leads into an object or a list."""
    return len(split_path(name)) > 1


def get_root(name: str) -> str:
    """Return the top-level field that a path begins with."""
    return str(split_path(name)[0].key)


def get_value_below(value: Any, steps: tuple[Step, ...]) -> Any:
    """Return the value at the end of the steps; None where there is none."""
    for key, name in steps:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        elif isinstance(value, dict):
            if name != key and value.get(name) is not None:
                return value[name]
            value = value.get(key)
        else:
            return None
    return value


def read_field(event: Mapping[str, Any], name: str) -> Any:
    """Return a field of an event, by its name or its path; None where there is none."""
    value = event.get(name)
    return value if value is not None or not is_path(name) else get_value_below(event, split_path(name))


def list_paths(name: str, value: Any, *, every_place: bool = False) -> list[str]:
    """Return the paths inside an object or a list, at most `MAX_PATHS`; of lists the first element, or all.

    >>> list_paths("a", {"b": 1, "c": [{"d": 2}, {"d": 3}]})
    ['a.b', 'a.c[0].d']
    """
    return [path for path, _ in islice(_walk(name, value, every_place, _MAX_DEPTH), MAX_PATHS)]


def flatten_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event with the values inside its objects and lists by path; of lists only the first element."""
    flat: dict[str, Any] = {}
    for name, value in event.items():
        if isinstance(value, dict | list):
            flat |= dict(islice(_walk(name, value, False, _MAX_DEPTH), MAX_PATHS))
        else:
            flat[name] = value
    return flat


def _walk(name: str, value: Any, every_place: bool, depth: int) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict | list):
        if value is not None and is_path(name):
            yield name, value
        return
    items: Any = value.items() if isinstance(value, dict) else enumerate(value if every_place else value[:1])
    for key, item in items if depth else ():
        path = f"{name}.{key}" if isinstance(value, dict) else f"{name}[{key}]"
        yield from _walk(path, item, every_place, depth - 1)
