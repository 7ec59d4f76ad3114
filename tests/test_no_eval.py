"""Nothing that somebody sends is ever run: no eval, no exec, no pickle; conditions and texts are parsed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.audit import list_browser_weaknesses, list_python_weaknesses
from timeline_app.predicates import PredicateError, parse
from timeline_app.settings import ROOT

FORBIDDEN = {"eval", "exec", "compile", "__import__", "execfile"}
LOADERS = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "jsonpickle"}
UNSAFE = {"yaml.load", "yaml.unsafe_load", "np.load", "numpy.load", "os.system", "os.popen"}
CODE = sorted(path for folder in ("timeline_app", "workers") for path in (ROOT / folder).rglob("*.py"))


def iterate_wrong(path: Path) -> Iterator[str]:
    """Each call or import that could run what it is given."""
    name = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in FORBIDDEN:
                yield f"{name}:{node.lineno}: {called.id}"
            if ast.unparse(called) in UNSAFE:
                yield f"{name}:{node.lineno}: {ast.unparse(called)}"
            if any(
                keyword.arg == "shell" and ast.unparse(keyword.value) != "False" for keyword in node.keywords
            ):
                yield f"{name}:{node.lineno}: shell"
        imported = [item.name for item in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            imported = [node.module or ""]
        for module in {item.partition(".")[0] for item in imported} & LOADERS:
            yield f"{name}: {module}"


def test_the_walk_would_find_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(CODE) > 200
    bad = tmp_path / "bad.py"
    bad.write_text(
        "import pickle\nfrom cloudpickle import dumps\neval('1')\nyaml.load(x)\nrun(x, shell=True)\n"
    )
    monkeypatch.setattr("tests.test_no_eval.ROOT", tmp_path)
    assert len(list(iterate_wrong(bad))) == 5


def test_nothing_that_is_sent_can_be_run() -> None:
    assert [item for path in CODE for item in iterate_wrong(path)] == []


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__.__mro__",
        "open('/etc/passwd')",
        "(lambda: 1)()",
        "[x for x in (1,)]",
        "a if b else c",
        "exec('1')",
        "f'{a}'",
        "a := 1",
        "import os",
        "a.b.c()",
    ],
)
def test_python_is_no_condition(text: str) -> None:
    with pytest.raises(PredicateError):
        parse(text)


def test_an_audit_that_could_not_look_is_no_clean_one() -> None:
    assert list_python_weaknesses(None) is None
    assert list_python_weaknesses({"dependencies": [{"name": "a", "skip_reason": "not found"}]}) is None
    assert list_browser_weaknesses({"message": "405"}) is None


def test_an_audit_names_what_is_weak() -> None:
    result = {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}]}
    assert list_python_weaknesses(result) == ["a 1: CVE-1"]
    assert list_browser_weaknesses({"vulnerabilities": {"b": {"severity": "high"}}}) == ["b: high"]
    assert list_python_weaknesses({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}) == []
