"""Sources of one's own: files in the folders of `TIMELINE_SOURCES`, and modules that installed packages name.

The files of all folders are the modules of one package, `timelines_sources`; those whose name begins with `_` are there
to be imported by the others, those that begin with `test_` are tests. A package names its modules in the entry points
of its group `timelines.sources`. Each class that is a source is a kind, called as its class in small letters.

Either all of them can be used, or none and nothing starts (`BadSources`).
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
import traceback
from collections.abc import Collection, Iterable, Iterator
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from importlib.util import module_from_spec
from pathlib import Path

from timeline_app.operators.own import folders
from timeline_app.sources.contract import SplittableSource
from timeline_app.sources.options import BadKind, describe

VARIABLE = "TIMELINE_SOURCES"
GROUP = "timelines.sources"
PACKAGE = "timelines_sources"


class BadSources(ImportError):
    """Sources of one's own that cannot be used: `problems` are all that is wrong, each with its place and a cure."""

    def __init__(self, problems: Iterable[str]) -> None:
        """At least one."""
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


def own_sources(shipped: Collection[str]) -> dict[str, type[SplittableSource]]:
    """All that there are, by their kinds; raises `BadSources`."""
    problems: list[str] = []
    found: dict[str, type[SplittableSource]] = {}
    for place, module in _modules(problems):
        for one in _declared(place, module, problems):
            kind = kind_of(one)
            if kind in shipped or kind in found:
                of = "one of the product's" if kind in shipped else f"in {found[kind].__module__}, too"
                problems.append(f"{place}: the source {kind} is {of}; call its class something else")
            problems += [f"{place}: {words}" for words in _refusals(one)]
            found[kind] = one
    if problems:
        raise BadSources(problems)
    return found


def kind_of(source: type) -> str:
    """How a kind is called: its class in small letters, with _ between words.

    >>> kind_of(type("HTTPPages", (), {})), kind_of(type("Numbers", (), {}))
    ('http_pages', 'numbers')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", source.__name__).lower()


def _modules(problems: list[str]) -> Iterator[tuple[str, str]]:
    """Where each module is from in words, and its name."""
    try:
        named = folders(os.environ.get(VARIABLE, ""))
    except ValueError as wrong:
        problems.append(f"{VARIABLE}: {wrong}")
        named = ()
    if named and PACKAGE not in sys.modules:
        spec = ModuleSpec(PACKAGE, None, is_package=True)
        spec.submodule_search_locations = [str(folder) for folder in named]
        sys.modules[PACKAGE] = module_from_spec(spec)
    seen: dict[str, Path] = {}
    for path in (path for folder in named for path in sorted(folder.glob("*.py"))):
        if path.stem.startswith(("_", "test_")) or path.stem == "conftest":
            continue
        if not path.stem.isidentifier():
            problems.append(f"{path} is no name that Python can import; use letters, digits and _")
        elif path.stem in seen:
            problems.append(f"{path} is there twice, the other is {seen[path.stem]}; call one something else")
        else:
            seen[path.stem] = path
            yield path.name, f"{PACKAGE}.{path.stem}"
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.value):
        yield f"the entry point {point.value}", point.value


def _declared(place: str, module: str, problems: list[str]) -> list[type[SplittableSource]]:
    """The sources that a module declares itself."""
    try:
        held = vars(importlib.import_module(module))
    except (Exception, SystemExit) as wrong:
        last = traceback.extract_tb(wrong.__traceback__)[-1]
        words = f"{type(wrong).__name__}: {wrong} (line {last.lineno} of {last.filename})"
        problems.append(f"{place}: cannot be imported: {words}; mend it or take it out")
        return []
    found = [
        one
        for one in held.values()
        if isinstance(one, type) and issubclass(one, SplittableSource) and one.__module__ == module
    ]
    if not found:
        cure = "derive a class from SplittableSource, or let the name of a file that only helps begin with _"
        problems.append(f"{place}: declares no source; {cure}")
    return found


def _refusals(source: type[SplittableSource]) -> Iterator[str]:
    """What a class does not say, and must."""
    missing = sorted(getattr(source, "__abstractmethods__", ()))
    missing += [name for name in ("schema", "reader") if not hasattr(source, name)]
    if missing:
        yield f"{source.__name__} does not say its {' and its '.join(missing)}"
    if inspect.signature(source).parameters:
        try:
            names = {one.name for one in describe(source)}
        except BadKind as wrong:
            yield str(wrong)
        else:
            if strange := [name for name in source.where or () if name not in names]:
                yield f"{source.__name__} reads where its option {strange[0]} says, which it has not"
