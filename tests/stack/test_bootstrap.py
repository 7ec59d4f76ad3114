"""bootstrap.py: what it reads from versions, when it skips a step, and what it says when one fails."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bootstrap

TOPS = ("timeline_app", "workers", "tests", "benchmarks")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment', 17),
        ('java version "1.8.0_292"', 8),
        ('openjdk version "21" 2023-09-19 LTS', 21),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "11.0.2"', 11),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
        ("", None),
    ],
)
def test_java_version_is_read(text: str, version: int | None) -> None:
    assert bootstrap.java_version(text) == version


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("v20.19.0\n", True),
        ("v20.18.3\n", False),
        ("v21.7.3", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.19.0", True),
        ("v18.20.4", False),
        ("", False),
        ("node: not found", False),
    ],
)
def test_node_version_is_judged(text: str, enough: bool) -> None:
    assert bootstrap.node_is_new_enough(bootstrap.node_version(text)) is enough


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "LOGS", tmp_path)
    return tmp_path


def test_a_stamp_is_fresh_only_for_the_same_inputs(project: Path) -> None:
    source = project / "requirements.txt"
    source.write_text("one")
    stamp = bootstrap.Stamp(project / "stamp", [source], "a fact")
    assert not stamp.fresh()
    stamp.put()
    assert bootstrap.Stamp(project / "stamp", [source], "a fact").fresh()
    assert not bootstrap.Stamp(project / "stamp", [source], "another fact").fresh()
    source.write_text("two")
    assert not bootstrap.Stamp(project / "stamp", [source], "a fact").fresh()


def test_a_stamp_sees_a_renamed_file(project: Path) -> None:
    (project / "a").write_text("same")
    bootstrap.Stamp(project / "stamp", [project / "a"]).put()
    (project / "a").rename(project / "b")
    assert not bootstrap.Stamp(project / "stamp", [project / "b"]).fresh()


def test_a_step_that_says_nothing_of_itself_has_no_empty_words(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "REPORT_EVERY_S", 0.0)
    bootstrap.run_step("Silent", [sys.executable, "-c", "import time; time.sleep(0.3)"], "none")
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.rstrip().endswith(":")] == []
    assert any(re.search(r"Silent, \d+ s$", line) for line in lines)


def test_the_packages_of_the_frontend_are_counted_as_they_come(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "FRONTEND", project)
    lock = {
        "packages": {"": {}, "node_modules/a": {}, "node_modules/b": {}, "node_modules/c": {"optional": True}}
    }
    (project / "package-lock.json").write_text(json.dumps(lock))
    assert bootstrap.packages_there(project) == "0 of 2"
    (project / "node_modules" / "b").mkdir(parents=True)
    (project / "node_modules" / "b" / "package.json").write_text("{}")
    assert bootstrap.packages_there(project) == "1 of 2"


def test_a_step_says_that_it_is_done(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bootstrap.run_step("Nothing much", [sys.executable, "-c", "print('hello')"], "none")
    assert "✓  Nothing much" in capsys.readouterr().out
    assert (project / "nothing-much.log").read_text() == "hello\n"


def test_a_long_step_says_how_far_it_is(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "REPORT_EVERY_S", 0.2)
    script = "import time; print('downloading', flush=True); time.sleep(0.8)"
    bootstrap.run_step("Long", [sys.executable, "-c", script], "none")
    assert "s: downloading" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("Downloading pyspark-4.0.1.tar.gz (434.2 MB)", "Downloading pyspark-4.0.1.tar.gz (434.2 MB)"),
        ("Installing collected packages: a, b, c", "unpacked and compiled"),
        ("    Successfully uninstalled pip-24.0", "unpacked and compiled"),
        ("Successfully installed a-1 b-2", "tidying up"),
        ("", ""),
    ],
)
def test_pip_never_says_that_it_is_done_while_it_goes_on(tmp_path: Path, line: str, output: str) -> None:
    (tmp_path / "log").write_text(f"Collecting a\n{line}\n" if line else "")
    assert output in bootstrap.pip_says(tmp_path / "log")
    assert "Successfully" not in bootstrap.pip_says(tmp_path / "log")


def test_a_failing_step_names_its_log_and_the_hint(project: Path) -> None:
    with pytest.raises(bootstrap.Failure) as caught:
        bootstrap.run_step("Broken", [sys.executable, "-c", "raise SystemExit(3)"], "the hint")
    assert caught.value.hint == "the hint"
    assert caught.value.log == project / "broken.log"
    assert "ended with 3" in caught.value.what


def test_a_missing_java_is_named_with_its_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(bootstrap.Failure, match="Java 17") as caught:
        bootstrap.check_java()
    assert "install" in caught.value.hint


def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(bootstrap.Failure, match="is Java 11"):
        bootstrap.check_java()


@pytest.mark.parametrize(
    ("version", "enough"),
    [("14.11", False), ("15.18 (Debian 15.18-0+deb12u1)", True), ("9.6.1", False), ("18beta1", True)],
)
def test_postgresql_is_judged_by_its_version(tmp_path: Path, version: str, enough: bool) -> None:
    for name in ("postgres", "initdb"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n")
        (tmp_path / name).chmod(0o755)
    assert bootstrap.postgres_is_new_enough(tmp_path) is enough
    (tmp_path / "initdb").unlink()
    assert not bootstrap.postgres_is_new_enough(tmp_path), "a client alone makes no server"


def test_a_missing_postgresql_is_named_with_its_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "postgres", lambda: None)
    monkeypatch.setattr(bootstrap, "may_install_debian", lambda: False)
    bootstrap.install_postgres()
    output = capsys.readouterr().out
    assert "`make test-postgres` needs PostgreSQL 15" in output
    assert "install" in output


@pytest.mark.parametrize(
    ("program", "install", "package"),
    [
        ("chromium", bootstrap.install_browser, bootstrap.HEADLESS),
        ("postgres", bootstrap.install_postgres, "postgresql"),
        ("mosquitto", bootstrap.install_mosquitto, "mosquitto"),
    ],
)
def test_where_debians_packages_may_be_installed_the_set_up_does_so(
    monkeypatch: pytest.MonkeyPatch, program: str, install: Callable[[], None], package: str
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "may_install_debian", lambda: True)
    monkeypatch.setattr(bootstrap, "run_step", lambda _, command, *__, **___: commands.append(command))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(bootstrap, program, lambda: "there" if commands else None)
    install()
    update, got = commands
    assert update == ["apt-get", "update"]
    assert got[:3] == ["apt-get", "install", "-y"]
    assert package in got
    commands.clear()
    monkeypatch.setattr(bootstrap, program, lambda: "there")
    install()
    assert commands == []


@pytest.mark.parametrize(
    ("system", "may"),
    [('ID=debian\nVERSION_ID="12"\n', True), ("ID=ubuntu\nID_LIKE=debian\n", False), ("", False)],
)
def test_only_debian_has_debians_packages(monkeypatch: pytest.MonkeyPatch, system: str, may: bool) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: system)
    assert bootstrap.may_install_debian() == may


def test_a_postgresql_that_is_too_old_is_said_after_the_installation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "may_install_debian", lambda: True)
    monkeypatch.setattr(bootstrap, "run_step", lambda *_, **__: None)
    monkeypatch.setattr(bootstrap, "postgres", lambda: None)
    bootstrap.install_postgres()
    assert "needs PostgreSQL 15 or newer" in capsys.readouterr().out


def test_a_broken_or_moved_environment_is_not_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bootstrap.venv_is_whole()
    moved = tmp_path / ".venv"
    (moved / "bin").mkdir(parents=True)
    (moved / "bin" / "python").symlink_to(sys.executable)
    (moved / "bin" / "pip").write_text("#!/elsewhere/.venv/bin/python\n")
    monkeypatch.setattr(bootstrap, "VENV", moved)
    monkeypatch.setattr(bootstrap, "PYTHON", moved / "bin" / "python")
    assert not bootstrap.venv_is_whole()


def test_every_requirement_is_pinned() -> None:
    lines = (Path(bootstrap.__file__).parent / "requirements.txt").read_text().splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]
    assert packages
    assert [line for line in packages if line.count("==") != 1] == []


def list_imported_modules() -> set[str]:
    """Give the first words of all modules that the code imports."""
    trees = [ast.parse(path.read_text()) for top in TOPS for path in (bootstrap.ROOT / top).rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    taken = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in plain | taken}


@pytest.mark.deep
def test_every_imported_package_is_a_requirement() -> None:
    files = [bootstrap.ROOT / folder / "requirements.txt" for folder in (".", "benchmarks", "docs")]
    lines = [line for file in files for line in file.read_text().splitlines()]
    pinned = {re.split(r"[\[=]", line)[0].lower().replace("_", "-") for line in lines}
    owners = importlib.metadata.packages_distributions()
    missing = {
        module: owners[module]
        for module in list_imported_modules() & set(owners)
        if not any(owner.lower().replace("_", "-") in pinned for owner in owners[module])
    }
    assert missing == {}
