"""Custom sources: files in the folders of `TIMELINE_SOURCES`, and modules that installed packages name.

The files of all folders are the modules of one package, `timelines_sources` (`operators/imported.py`). A package
names its modules in the entry points of its group `timelines.sources`. Each source class is a kind, named after the
class in lower case.

One unusable class keeps everything from starting (`BadSources`).
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Collection, Iterator
from importlib.metadata import entry_points

from timeline_app.connectors.options import BadKind, OptionKind, describe
from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.operators.imported import Unusable, explain_import_error, iterate_modules

VARIABLE = "TIMELINE_SOURCES"
GROUP = "timelines.sources"
PACKAGE = "timelines_sources"


class BadSources(Unusable):
    """Custom sources that cannot be used."""


def own_sources(shipped: Collection[str]) -> dict[str, type[SplittableSource]]:
    """Return all custom sources by their kinds. Raises `BadSources`."""
    problems: list[str] = []
    sources: dict[str, type[SplittableSource]] = {}
    for location, module in _iterate_modules(problems):
        for source in _list_declared_sources(location, module, problems):
            kind = derive_kind(source)
            if kind in shipped or kind in sources:
                reason = "one of the product's" if kind in shipped else f"in {sources[kind].__module__}, too"
                problems.append(f"{location}: the source {kind} is {reason}; call its class something else")
            problems += [f"{location}: {words}" for words in _list_refusals(source)]
            sources[kind] = source
    if problems:
        raise BadSources(problems)
    return sources


def derive_kind(source: type) -> str:
    """Return the kind of a class: its name in lower case, with _ between words.

    >>> derive_kind(type("HTTPPages", (), {})), derive_kind(type("Numbers", (), {}))
    ('http_pages', 'numbers')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", source.__name__).lower()


def _iterate_modules(problems: list[str]) -> Iterator[tuple[str, str]]:
    """Yield a description of each module's origin, and its name."""
    yield from iterate_modules(PACKAGE, VARIABLE, problems)
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.value):
        yield f"the entry point {point.value}", point.value


def _list_declared_sources(location: str, module: str, problems: list[str]) -> list[type[SplittableSource]]:
    """Return the sources that a module itself declares."""
    try:
        members = vars(importlib.import_module(module))
    except (Exception, SystemExit) as error:
        problems.append(explain_import_error(location, error))
        return []
    declared = [
        member
        for member in members.values()
        if isinstance(member, type) and issubclass(member, SplittableSource) and member.__module__ == module
    ]
    if not declared:
        hint = "derive a class from SplittableSource, or let the name of a file that only helps begin with _"
        problems.append(f"{location}: declares no source; {hint}")
    return declared


def _list_refusals(source: type[SplittableSource]) -> Iterator[str]:
    """Yield what a class must declare and does not."""
    missing = sorted(getattr(source, "__abstractmethods__", ()))
    missing += [name for name in ("schema", "reader") if not hasattr(source, name)]
    if missing:
        yield f"{source.__name__} does not say its {' and its '.join(missing)}"
    if inspect.signature(source).parameters:
        try:
            names = {option.name: option.kind for option in describe(source)}
        except BadKind as error:
            yield str(error)
        else:
            if strange := [name for name in source.where or () if name not in names]:
                yield f"{source.__name__} reads where its option {strange[0]} says, which it has not"
            if source.paced and source.paced not in names:
                yield f"{source.__name__} asks as often as its option {source.paced} says, which it has not"
            elif source.paced and names[source.paced] not in (OptionKind.NUMBER, OptionKind.WHOLE):
                words = "says, which is no number: declare it as float, in seconds"
                yield f"{source.__name__} asks as often as its option {source.paced} {words}"
