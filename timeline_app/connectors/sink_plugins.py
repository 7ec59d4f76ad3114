"""Custom sinks: files in the folders of `TIMELINE_SINKS`, and classes that installed packages name.

A file holds one class, and its name is that of the kind; the files are the modules of the package
`timelines_own_sinks` (`operators/imported.py`). A package names its classes in the entry points of its group
`timelines.sinks`. One unusable class keeps everything from starting (`BadSinks`).
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Container, Iterator
from importlib.metadata import entry_points
from typing import Any

from timeline_app.connectors.options import BadKind, describe
from timeline_app.connectors.sink_contract import IdempotentSink, Once
from timeline_app.operators.imported import Unusable, explain_import_error, iterate_modules

VARIABLE = "TIMELINE_SINKS"
GROUP = "timelines.sinks"
PACKAGE = "timelines_own_sinks"
Sink = type[IdempotentSink]


class BadSinks(Unusable):
    """Custom sinks that cannot be used."""


def own_sinks(shipped: Container[str]) -> dict[str, Sink]:
    """Return all custom sinks by the names of their kinds. Raises `BadSinks`."""
    problems: list[str] = []
    sinks: dict[str, Sink] = {}
    for location, name, member in [*_iterate_file_classes(problems), *_iterate_package_classes(problems)]:
        if name in shipped or name in sinks:
            reason = "is one of the product's" if name in shipped else "is there twice"
            problems.append(f"{location}: the sink {name} {reason}; call it something else")
        else:
            problems += [f"{location}: {words}" for words in list_refusals(name, member)]
            sinks[name] = member
    if problems:
        raise BadSinks(problems)
    return sinks


def list_refusals(name: str, member: Any) -> Iterator[str]:
    """Yield what keeps a class from being a sink, and how to fix it."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name):
        yield f"{name!r} cannot be the name of a sink; use small letters, digits and _"
    if not (inspect.isclass(member) and issubclass(member, IdempotentSink)):
        yield "is no class of a sink; derive it from timeline_app.connectors.sink_contract.IdempotentSink"
        return
    if missing := sorted(member.__abstractmethods__):
        yield f"{member.__name__} lacks {', '.join(missing)}; write them"
    if not isinstance(getattr(member, "title", None), str):
        yield f"{member.__name__} does not say what people call it; give it title = a short text"
    if not isinstance(getattr(member, "once", None), Once):
        yield f"{member.__name__} does not say how often a row arrives; give it once = Once.EXACTLY or Once.AT_LEAST"
    try:
        option_names = {option.name for option in describe(member)}
    except BadKind as why:
        yield str(why)
    else:
        if strange := sorted(set(member.place) - option_names):
            yield f"{member.__name__}.place names {', '.join(strange)}, which are no options; take them out"


def _iterate_file_classes(problems: list[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield place, name and class of each file."""
    for location, name in iterate_modules(PACKAGE, VARIABLE, problems):
        try:
            module = importlib.import_module(name)
        except (Exception, SystemExit) as error:
            problems.append(explain_import_error(location, error))
            continue
        members = [member for member in vars(module).values() if _is_own(member, name)]
        if len(members) == 1:
            yield location, name.removeprefix(f"{PACKAGE}."), members[0]
        else:
            hint = "let it hold one class derived from IdempotentSink, or let its name begin with _"
            problems.append(f"{location}: holds {len(members)} sinks; {hint}")


def _is_own(member: object, module: str) -> bool:
    return inspect.isclass(member) and issubclass(member, IdempotentSink) and member.__module__ == module


def _iterate_package_classes(problems: list[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield place, name and class of each entry point."""
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        location = f"the entry point {point.name} = {point.value}"
        try:
            yield location, point.name, point.load()
        except (Exception, SystemExit) as error:
            problems.append(explain_import_error(location, error))
