"""Every regular expression of the product, found by walking its syntax trees.

A pattern is a literal in the call, or it is made at the top of a module and read from the imported module. All else
raises `UnreadablePattern`: such a pattern could not be tried.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.regex_growth import Pattern

ROOT = Path(__file__).parent.parent
MATCHING = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_CALLS = ("compile", *MATCHING)
_PLACES = ("timeline_app", "workers", "clients/python/src", "bootstrap.py", "manage.py")


class UnreadablePattern(Exception):
    """A pattern that cannot be read without running the function in which it is made."""


def list_product_files() -> list[Path]:
    """The Python files of the product."""
    paths: list[Path] = []
    for place in _PLACES:
        path = ROOT / place
        paths += [path] if path.is_file() else sorted(path.rglob("*.py"))
    return paths


def find_patterns() -> list[Pattern]:
    """All patterns, those of the text grammars included."""
    trees = {path: ast.parse(path.read_text()) for path in list_product_files()}
    methods = _collect_methods(trees.values())
    result = [item for path, tree in trees.items() for item in iterate_patterns(path, tree, methods)]
    return [*result, *_iterate_terminals(), *_iterate_validators()]


def iterate_patterns(path: Path, tree: ast.Module, methods: dict[str, set[str]]) -> Iterator[Pattern]:
    """The patterns of one file; raises `UnreadablePattern`."""
    place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    _refuse_hidden(place, tree)
    outside = {call for function in _list_functions(tree) for call in ast.walk(function)}
    for call in _list_calls(tree):
        if call in outside:
            yield _build_inline(place, call)
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and any(_list_calls(statement)):
            [target] = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            name = getattr(target, "id", "")
            used = tuple(sorted(methods.get(name, set()) & set(MATCHING))) or ("search",)
            for item in _iterate_compiled(getattr(_import_module(path), name)):
                yield _build_pattern(item, used, f"{place}:{statement.lineno}")


def _list_functions(tree: ast.AST) -> list[ast.AST]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def _list_calls(tree: ast.AST) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _CALLS
    ]


def _refuse_hidden(place: str, tree: ast.Module) -> None:
    """Refuse what would hide a pattern from this walk: other names for `re`, and other libraries of patterns."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("re", "regex"):
            raise UnreadablePattern(f"{place}:{node.lineno}: write `import re`, and re.NAME at each call")
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name == "regex" or (name.name == "re" and name.asname):
                    raise UnreadablePattern(f"{place}:{node.lineno}: write `import re`")
    left_out = [
        call
        for statement in tree.body
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef))
        for call in _list_calls(statement)
        if not isinstance(statement, ast.AsyncFunctionDef)
    ]
    if left_out:
        raise UnreadablePattern(
            f"{place}:{left_out[0].lineno}: give the pattern a name at the top of the module"
        )


def _build_inline(place: str, call: ast.Call) -> Pattern:
    """A pattern within a function: a literal, without flags or with flags of `re`."""
    where, func = f"{place}:{call.lineno}", call.func
    assert isinstance(func, ast.Attribute)
    text = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
    if not isinstance(text, (str, bytes)):
        raise UnreadablePattern(f"{where}: give the pattern a name at the top of the module")
    method = "search" if func.attr == "compile" else func.attr
    return _build_pattern(re.compile(text, _read_flags(call)), (method,), where)


def _read_flags(call: ast.Call) -> int:
    """All flags that the call names."""
    names = [
        node.attr
        for part in (*call.args[1:], *(keyword.value for keyword in call.keywords))
        for node in ast.walk(part)
        if isinstance(node, ast.Attribute) and isinstance(getattr(re, node.attr, None), re.RegexFlag)
    ]
    flags = re.RegexFlag(0)
    for name in names:
        flags |= getattr(re, name)
    return int(flags)


def _build_pattern(compiled: re.Pattern[Any], methods: tuple[str, ...], place: str) -> Pattern:
    binary = isinstance(compiled.pattern, bytes)
    text = compiled.pattern.decode("latin-1") if binary else compiled.pattern
    flags = compiled.flags & ~(0 if binary else int(re.UNICODE))
    return Pattern(text, flags, methods, place, binary)


def _collect_methods(trees: Any) -> dict[str, set[str]]:
    """Which methods are called on, or taken from, which name, anywhere in the product."""
    result: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute):
                continue
            owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            if isinstance(owner, (ast.Name, ast.Attribute)):
                name = owner.id if isinstance(owner, ast.Name) else owner.attr
                result.setdefault(name, set()).add(node.attr)
    return result


def _import_module(path: Path) -> Any:
    if path.parent == ROOT or not path.is_relative_to(ROOT):
        spec = importlib.util.spec_from_file_location(f"patterns_of_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    within = path.relative_to(ROOT).with_suffix("").as_posix().removeprefix("clients/python/src/")
    return importlib.import_module(within.removesuffix("/__init__").replace("/", "."))


def _iterate_compiled(value: Any) -> Iterator[re.Pattern[Any]]:
    """The compiled patterns in a value of a module."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _iterate_compiled(tuple(value.values()))
    elif isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from _iterate_compiled(item)


def _iterate_terminals() -> Iterator[Pattern]:
    """What the lexers of the grammars match, at each place of a text in turn."""
    from timeline_app.plan.text import parser as texts
    from timeline_app.predicates import parser as conditions

    for lark, place in ((texts._load_parser(), "plan/text"), (conditions._load_parser(), "predicates")):
        for terminal in lark.terminals:
            yield Pattern(
                terminal.pattern.to_regexp(), 0, ("match",), f"{place}/grammar.lark:{terminal.name}"
            )


def _iterate_validators() -> Iterator[Pattern]:
    """Patterns that Django's validators compile."""
    from django.core.validators import RegexValidator

    for path in list_product_files():
        if "RegexValidator" in path.read_text():
            for name, value in vars(_import_module(path)).items():
                if isinstance(value, RegexValidator):
                    compiled: Any = value.regex
                    yield _build_pattern(
                        re.compile(compiled.pattern, compiled.flags), ("search",), f"{path.name}:{name}"
                    )
