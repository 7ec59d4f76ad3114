"""A class name means one thing on its floor: whoever searches for it, or reads it in a traceback, finds one class."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = [
    *sorted(path for path in (ROOT / "timeline_app").iterdir() if (path / "__init__.py").exists()),
    ROOT / "workers",
]
OF_DJANGO = ("migrations", "commands")
"""Folders in which Django wants all classes to be called alike."""


def list_classes(floor: Path) -> Iterator[tuple[str, str]]:
    """Name and place of each class of a module; those within other classes are of those."""
    for path in floor.rglob("*.py"):
        if path.parent.name not in OF_DJANGO:
            for item in ast.parse(path.read_text()).body:
                if isinstance(item, ast.ClassDef):
                    yield item.name, f"{path.relative_to(ROOT)}:{item.lineno}"


@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: floor.name)
def test_no_two_classes_of_a_floor_have_one_name(floor: Path) -> None:
    places = defaultdict(list)
    for name, place in list_classes(floor):
        places[name].append(place)
    assert {name: result for name, result in places.items() if len(result) > 1} == {}
