"""JSON values as versions see them: equality, absence, and containers that exist without being written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

Document = Mapping[str, Any]
Path = tuple[str, ...]


class Absent(Enum):
    """No value, which differs from null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
SECTIONS = ("nodes", "layout", "streams", "groups", "comments")
PARTS = ("inputs", "params")


def format_canonical(value: Any) -> str:
    """Return one spelling for equal values: the order of names does not matter, 1 and true differ."""
    return "" if value is ABSENT else json.dumps(value, sort_keys=True)


def is_equal(left: Any, right: Any) -> bool:
    """Return whether two values are the same JSON."""
    if left is right:
        return True
    return type(left) is type(right) and left == right and format_canonical(left) == format_canonical(right)


def is_container(path: Path) -> bool:
    """Return whether an unwritten object is implied here: a section, or a node's inputs and parameters."""
    if len(path) == 1:
        return path[0] in SECTIONS
    return len(path) == 3 and path[0] == "nodes" and path[2] in PARTS


def fill_container(path: Path, value: Any) -> Any:
    """Return the value; of a container that is not written, an empty one."""
    return {} if value is ABSENT and is_container(path) else value


def get_section(document: Document, name: str) -> dict[str, Any]:
    """Return a section of a document as an object, empty where missing."""
    section = document.get(name)
    return dict(section) if isinstance(section, Mapping) else {}


def is_set(value: Any) -> bool:
    """Return whether it is a list of distinct texts."""
    return (
        isinstance(value, list)
        and all(isinstance(entry, str) for entry in value)
        and len(set(value)) == len(value)
    )
