"""Fields inside the objects and lists that a log keeps as JSON text, as columns of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Kind
from timeline_app.plan.events import MAX_SAMPLED_OBJECTS, spell
from timeline_app.plan.paths import NESTED, Step, list_paths, root_of, split_path, value_below


def read_paths(
    fields: pa.ChunkedArray, names: Iterable[str], kind_of: Callable[[str], Kind]
) -> dict[str, pa.Array]:
    """The values at some paths in canonical text, by path; each different object is parsed once."""
    roots: dict[str, list[str]] = {}
    for name in names:
        roots.setdefault(root_of(name), []).append(name)
    found: dict[str, pa.Array] = {}
    for root, paths in roots.items():
        encoded = _nested_texts(fields, root).dictionary_encode()
        wanted = [(split_path(path)[1:], kind_of(path)) for path in paths]
        leaves = [_leaves(text, wanted) for text in encoded.dictionary.to_pylist()]
        for place, path in enumerate(paths):
            texts = pa.array([row[place] for row in leaves], pa.string())
            found[path] = texts.take(encoded.indices)
    return found


def list_fields(fields: pa.ChunkedArray, *, every_place: bool = False) -> set[str]:
    """The names of the fields that events of a log have, and the paths inside their objects and lists."""
    names = {name for part in fields.chunks for name in pc.unique(part.keys).to_pylist()}
    inside = {name for name in names if name.endswith(NESTED)}
    paths = (
        path
        for name in inside
        for text in pc.unique(_nested_texts(fields, name.removesuffix(NESTED)).drop_null())[
            :MAX_SAMPLED_OBJECTS
        ].to_pylist()
        for path in list_paths(name.removesuffix(NESTED), orjson.loads(text), every_place=every_place)
    )
    return (names - inside).union(paths)


def _nested_texts(fields: pa.ChunkedArray, root: str) -> pa.Array:
    return pc.map_lookup(fields, pa.scalar(root + NESTED), "last").combine_chunks()


def _leaves(text: str, wanted: list[tuple[tuple[Step, ...], Kind]]) -> list[str | None]:
    value = orjson.loads(text)
    return [spell(value_below(value, steps), kind) for steps, kind in wanted]
