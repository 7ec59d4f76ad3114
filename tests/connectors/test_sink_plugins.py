"""Sinks of one's own: the guide does what it says, and what cannot be used is refused in words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

from timeline_app.connectors.files.parquet_sink import Parquet
from timeline_app.connectors.sink_plugins import list_refusals
from timeline_app.connectors.sink_promises import PROMISES

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "own-sinks.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"TIMELINE_SINKS": str(folder), "TIMELINE_DATA": str(folder / ".data")}
    line = [sys.executable, *command]
    return subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def list_kinds(folder: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "from timeline_app.connectors.sink_kinds import KINDS;"
        "print([(n, k.title, k.once.value) for n, k in KINDS.items()])"
    )
    return run(folder, "-c", code)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, block in zip(("sqlite.py", "test_sqlite.py"), BLOCKS, strict=True):
        (tmp_path / name).write_text(block)
    return tmp_path


@pytest.mark.deep
def test_the_sink_of_the_guide_is_there_and_keeps_its_promises(folder: Path) -> None:
    assert "('sqlite', 'SQLite', 'exactly once')" in list_kinds(folder).stdout
    process = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder))
    assert process.returncode == 0, process.stdout + process.stderr
    assert "15 passed" in process.stdout


@pytest.mark.deep
def test_what_the_guide_says_of_somebody_who_forgets_is_so(folder: Path) -> None:
    path = folder / "sqlite.py"
    path.write_text(path.read_text().replace("insert or ignore into", "insert or replace into"))
    process = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder))
    assert process.returncode == 1
    assert "broken promise 'once'" in process.stdout
    assert "8 rows are there too often" in process.stdout


def test_all_promises_are_told() -> None:
    assert dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", GUIDE, re.MULTILINE)) == PROMISES


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "a.py",
            "import nothing_of_that_name",
            r"a\.py: cannot be imported: ModuleNotFoundError: .* \(line 1 of a\.py\)",
        ),
        ("a.py", "def", r"a\.py: cannot be imported: SyntaxError: .* \(line 1 of a\.py\)"),
        ("a.py", "raise SystemExit", r"a\.py: cannot be imported: SystemExit"),
        ("a.py", "", r"a\.py: holds 0 sinks; let it hold one class"),
        (
            "parquet.py",
            "{sink}",
            r"parquet\.py: the sink parquet is one of the product's; call it something else",
        ),
        ("Big.py", "{sink}", r"Big\.py: 'Big' cannot be the name of a sink; use small letters"),
    ],
)
def test_a_file_that_cannot_be_used_refuses_to_start(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    (tmp_path / name).write_text(text.format(sink=BLOCKS[0]) if text == "{sink}" else text)
    done = list_kinds(tmp_path)
    assert done.returncode == 1
    assert re.search(f"BadSinks: {words}", done.stderr), done.stderr[-500:]


def test_a_folder_that_is_not_there_refuses_to_start(tmp_path: Path) -> None:
    assert re.search(
        r"TIMELINE_SINKS: the folder .*/none is not there; make it", list_kinds(tmp_path / "none").stderr
    )


class Nameless(Parquet):
    title: ClassVar[Any] = None


class Often(Parquet):
    once: ClassVar[Any] = "often"


class Lost(Parquet):
    place = ("nowhere",)


class Vague(Parquet):
    def __init__(self, folder: str) -> None:
        """Says too little."""


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (Nameless, "does not say what people call it"),
        (Often, "does not say how often a row arrives"),
        (Lost, "Lost.place names nowhere, which are no options"),
        (Vague, "say what it means"),
        (Path, "is no class of a sink"),
        (7, "is no class of a sink"),
    ],
)
def test_a_class_that_says_too_little_is_refused_with_a_hint(held: Any, words: str) -> None:
    assert any(words in refusal for refusal in list_refusals("mine", held))
    assert list(list_refusals("mine", Parquet)) == []
