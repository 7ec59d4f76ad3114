"""Sinks of one's own: files in the folders of `TIMELINE_SINKS`, and classes that installed packages name.

A file holds one class, and its name is that of the kind. Files whose name begins with `_` are there to be imported by
the others (as `timelines_own_sinks.…`), those that begin with `test_` are tests. A package names its classes in the
entry points of its group `timelines.sinks`. Either all of them can be used, or none and nothing starts (`BadSinks`).
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
import traceback
from collections.abc import Container, Iterable, Iterator
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

from timeline_app.operators.own import folders
from timeline_app.sinks.contract import IdempotentSink, Once
from timeline_app.sources.options import BadKind, describe

VARIABLE = "TIMELINE_SINKS"
GROUP = "timelines.sinks"
PACKAGE = "timelines_own_sinks"
Sink = type[IdempotentSink]


class BadSinks(ImportError):
    """Sinks of one's own that cannot be used: `problems` are all that is wrong, each with its place and a cure."""

    def __init__(self, problems: Iterable[str]) -> None:
        """At least one."""
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


def own_sinks(shipped: Container[str]) -> dict[str, Sink]:
    """All that there are, by the names of their kinds; raises `BadSinks`."""
    problems: list[str] = []
    found: dict[str, Sink] = {}
    for place, name, held in [*_of_files(problems), *_of_packages(problems)]:
        if name in shipped or name in found:
            of = "is one of the product's" if name in shipped else "is there twice"
            problems.append(f"{place}: the sink {name} {of}; call it something else")
        else:
            problems += [f"{place}: {words}" for words in refusals(name, held)]
            found[name] = held
    if problems:
        raise BadSinks(problems)
    return found


def refusals(name: str, held: Any) -> Iterator[str]:
    """What keeps a class from being a sink, and the cures."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name):
        yield f"{name!r} cannot be the name of a sink; use small letters, digits and _"
    if not (inspect.isclass(held) and issubclass(held, IdempotentSink)):
        yield "is no class of a sink; derive it from timeline_app.sinks.contract.IdempotentSink"
        return
    if missing := sorted(held.__abstractmethods__):
        yield f"{held.__name__} lacks {', '.join(missing)}; write them"
    if not isinstance(getattr(held, "title", None), str):
        yield f"{held.__name__} does not say what people call it; give it title = a short text"
    if not isinstance(getattr(held, "once", None), Once):
        yield f"{held.__name__} does not say how often a row arrives; give it once = Once.EXACTLY or Once.AT_LEAST"
    try:
        known = {one.name for one in describe(held)}
    except BadKind as why:
        yield str(why)
    else:
        if strange := sorted(set(held.place) - known):
            yield f"{held.__name__}.place names {', '.join(strange)}, which are no options; take them out"


def _of_files(problems: list[str]) -> Iterator[tuple[str, str, Any]]:
    """Place, name and class of each file."""
    try:
        named = folders(os.environ.get(VARIABLE, ""))
    except ValueError as wrong:
        problems.append(f"{VARIABLE}: {wrong}")
        return
    if named and PACKAGE not in sys.modules:
        spec = ModuleSpec(PACKAGE, None, is_package=True)
        spec.submodule_search_locations = [str(folder) for folder in named]
        sys.modules[PACKAGE] = module_from_spec(spec)
    for path in (path for folder in named for path in sorted(folder.glob("*.py"))):
        if path.stem.startswith(("_", "test_")) or path.stem == "conftest":
            continue
        try:
            module = importlib.import_module(f"{PACKAGE}.{path.stem}")
        except (Exception, SystemExit) as wrong:
            problems.append(_raised(path.name, wrong))
            continue
        held = [one for one in vars(module).values() if _is_own(one, module.__name__)]
        if len(held) == 1:
            yield path.name, path.stem, held[0]
        else:
            cure = "let it hold one class derived from IdempotentSink, or let its name begin with _"
            problems.append(f"{path.name}: holds {len(held)} sinks; {cure}")


def _is_own(one: object, module: str) -> bool:
    return inspect.isclass(one) and issubclass(one, IdempotentSink) and one.__module__ == module


def _of_packages(problems: list[str]) -> Iterator[tuple[str, str, Any]]:
    """The same of each entry point."""
    for point in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        place = f"the entry point {point.name} = {point.value}"
        try:
            yield place, point.name, point.load()
        except (Exception, SystemExit) as wrong:
            problems.append(_raised(place, wrong))


def _raised(place: str, wrong: BaseException) -> str:
    """What went wrong while something was imported, and where in it."""
    last = traceback.extract_tb(wrong.__traceback__)[-1]
    line, file = last.lineno, Path(last.filename).name
    if isinstance(wrong, SyntaxError):
        line, file = wrong.lineno, Path(str(wrong.filename)).name
    words = f"{type(wrong).__name__}: {wrong} (line {line} of {file})"
    return f"{place}: cannot be imported: {words}; mend it or take it out"
