"""What differs between two documents, down to the least part of it that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from timeline_app.plan.versions.names import detect_renames, rename_nodes
from timeline_app.plan.versions.values import ABSENT, Document, Path, fill_container, is_equal


@dataclass(frozen=True, slots=True)
class Change:
    """A new value at a path; `ABSENT` removes it."""

    path: Path
    before: Any
    after: Any

    def to_document(self) -> dict[str, Any]:
        """Return the JSON form; absent values are left out."""
        sides = {"before": self.before, "after": self.after}
        return {"path": list(self.path)} | {name: side for name, side in sides.items() if side is not ABSENT}


@dataclass(frozen=True, slots=True)
class Difference:
    """Nodes that are called otherwise now, and then what changed, under the names of today."""

    renames: Mapping[str, str]
    changes: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.renames or self.changes)

    def to_document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"renames": dict(self.renames), "changes": [change.to_document() for change in self.changes]}


def compute_difference(before: Document, after: Document) -> Difference:
    """Return all that is another in `after`."""
    names = detect_renames(before, after)
    return Difference(names, tuple(_walk((), rename_nodes(before, names), after)))


def _walk(path: Path, before: Any, after: Any) -> Iterator[Change]:
    before, after = fill_container(path, before), fill_container(path, after)
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _walk((*path, key), before.get(key, ABSENT), after.get(key, ABSENT))
    elif not is_equal(before, after):
        yield Change(path, before, after)
