"""Operators of one's own: files in the folders of `TIMELINE_OPERATORS`, and modules that installed packages name.

The files of all folders are the modules of one package, `timelines_own` (`imported.py`). A package says in the entry
points of its group `timelines.operators` which of its modules (or operators) they are. Where code was shipped to a
Spark that is not ours, `timelines_own` is a real package with the same files.

Either all of them can be used, or none and nothing starts (`BadOperators`).
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from timeline_app.operators.base import INTERNAL, Operator
from timeline_app.operators.imported import Unusable, explain_import_error, import_package, list_files
from timeline_app.operators.parameters import TYPES

VARIABLE = "TIMELINE_OPERATORS"
GROUP = "timelines.operators"
PACKAGE = "timelines_own"
INSTALLED = "installed.txt"
"""The file of the shipped package that lists the entry points, one per line."""
TAKEN = frozenset(
    {"and", "or", "not", "in", "is", "missing", "true", "false", "null", "plan", "stream", "results", "layout", "order",
     "without", "group", "note", "field", "declaration", "name", "named", "node", "value"}
)  # fmt: skip
"""What the text language and Python mean something else by."""


class BadOperators(Unusable):
    """Custom operators that cannot be used."""


@dataclass(frozen=True, slots=True)
class Source:
    """A module of operators: where it is from in words, and the files whose content says which operators they are."""

    module: str
    place: str
    files: tuple[Path, ...]
    attribute: str = ""

    @property
    def version(self) -> str:
        """Changes with any of its files."""
        content = hashlib.sha256()
        for path in self.files:
            content.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
        return f"code {content.hexdigest()[:16]}"


def own_operators(shipped: Mapping[str, Operator]) -> list[Operator]:
    """Return all that there are. Raises `BadOperators`."""
    problems: list[str] = []
    operators: dict[str, Operator] = dict(shipped)
    for source in _iterate_sources(problems):
        for item in _list_declared(source, problems):
            other = operators.get(item.name)
            if other is not None:
                of = f"is declared in {other.source}, too" if other.source else "is one of the product's"
                problems.append(
                    f"{source.place}: the operator {item.name} {of}; call one of them something else"
                )
            elif refusals := tuple(_list_refusals(item)):
                problems += [f"{source.place}: {item.name} {words}" for words in refusals]
            else:
                operators[item.name] = replace(
                    item, version=item.version or source.version, source=source.place
                )
    own_items = [item for name, item in operators.items() if name not in shipped]
    problems += [words for item in own_items for words in _find_unknown_operators(item, operators)]
    if problems:
        raise BadOperators(problems)
    return own_items


def build_archives() -> dict[str, dict[str, bytes]]:
    """Return what a Spark that is not ours needs to have them, too: by the name of a package, its files."""
    package, points = import_package(PACKAGE, VARIABLE), _list_entry_points()
    files = list_files(package, []) if package is not None else {}
    named = "".join(f"{point}\n" for point in points).encode()
    packages = {PACKAGE: {"__init__.py": b"", INSTALLED: named}}
    packages[PACKAGE] |= {path.name: path.read_bytes() for path in files.values()}
    for point in points:
        top = point.partition(":")[0].partition(".")[0]
        root, paths = _list_files(importlib.import_module(top))
        packages[top] = {str(path.relative_to(root)): path.read_bytes() for path in paths}
    return packages


def _iterate_sources(problems: list[str]) -> Iterator[Source]:
    """Yield the modules to import."""
    try:
        package = import_package(PACKAGE, VARIABLE)
    except ValueError as error:
        problems.append(f"{VARIABLE}: {error}")
        package = None
    files = list_files(package, problems) if package is not None else {}
    helpers = tuple(path for name, path in files.items() if name.startswith("_"))
    for name, path in files.items():
        if not name.startswith("_"):
            yield Source(f"{PACKAGE}.{name}", path.name, (path, *helpers))
    for point in _list_entry_points():
        module, _, attribute = point.partition(":")
        location = f"the entry point {point}"
        try:
            paths = _list_files(importlib.import_module(module.partition(".")[0]))[1]
        except Exception as error:
            problems.append(explain_import_error(location, error))
        else:
            yield Source(module, location, paths, attribute)


def _list_entry_points() -> list[str]:
    """Return the values of the entry points, sorted; for shipped code, those that came with it."""
    package = sys.modules.get(PACKAGE)
    shipped = [Path(folder) / INSTALLED for folder in package.__path__] if package is not None else []
    for listed in shipped:
        if listed.is_file():
            return listed.read_text().split()
    return sorted({point.value.replace(" ", "") for point in entry_points(group=GROUP)})


def _list_files(top: ModuleType) -> tuple[Path, tuple[Path, ...]]:
    """Return the folder of an installed package, or of a module that is a file, and its files of Python."""
    if hasattr(top, "__path__"):
        root = Path(next(iter(top.__path__)))
        return root, tuple(sorted(root.rglob("*.py")))
    path = Path(str(top.__file__))
    return path.parent, (path,)


def _list_declared(source: Source, problems: list[str]) -> list[Operator]:
    """Return the operators that a module declares itself."""
    try:
        module = importlib.import_module(source.module)
        value = getattr(module, source.attribute) if source.attribute else module
    except (Exception, SystemExit) as error:
        problems.append(explain_import_error(source.place, error))
        return []
    items = [value] if source.attribute else list(vars(value).values())
    home = source.module.partition(".")[0] if source.attribute else source.module
    declared = [
        item for item in items if isinstance(item, Operator) and item.apply.__module__.startswith(home)
    ]
    if not declared:
        hint = "decorate its function with @operator, or let the name of a file that only helps begin with _"
        problems.append(f"{source.place}: declares no operator; {hint}")
    return declared


def _list_refusals(item: Operator) -> Iterator[str]:
    """Yield what a declaration of a custom operator must not do."""
    name = item.name
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name) or name in TAKEN:
        yield "cannot be its name: use small letters, digits and _, and no word of the language; call it something else"
    if item.category in ("keys", INTERNAL) or item.across_keys is not None:
        yield "goes across keys, which only the product's own can; use category 'stream' or 'timelines', and aggregate"
    if item.output is None and item.facts_of is None:
        hint = "annotate it as Bool, Text or Number, or give @operator facts_of="
        yield f"does not say of which kind its result is; {hint}"
    for parameter in item.parameters:
        if parameter.type.name not in TYPES:
            yield f"has a parameter {parameter.name} of no known type; use one of operators.ports"
    version: object = item.version
    if not isinstance(version, str) or len(version) > 50 or not version.isprintable():
        yield "has a version that cannot be used; give @operator version= a short text"


def _find_unknown_operators(item: Operator, known_operators: Mapping[str, Operator]) -> Iterator[str]:
    """Operators that it names and that are not there."""
    properties: tuple[tuple[str, Callable[[Operator], str]], ...] = (
        ("opposite", lambda declared: declared.opposite),
        ("mirror", lambda declared: declared.mirror),
        ("dual", lambda declared: declared.dual),
    )  # fmt: skip
    for word, named in properties:
        if named(item) and named(item) not in known_operators:
            yield f"{item.source}: {item.name} names {named(item)} as its {word}, which there is not; take it out"
