"""Sources of one's own: files that become kinds, and everything that can be wrong with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOWN = (
    "from timeline_app.connectors import source_kinds as kinds; own = set(kinds.KINDS) - set(kinds.SHIPPED);"
    "print(sorted((name, kinds.get_title(name), kinds.list_place_options(name)) for name in own))"
)
HEAD = """
from typing import Annotated
import pyarrow as pa
from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.connectors.options import Option
from timeline_app.connectors.splits.readers import JournalledReader
"""
WHOLE = """
class {name}(SplittableSource):
    schema, reader = pa.schema([("k", pa.string())]), JournalledReader
    def __init__(self, at: Annotated[str, Option("Where")], most_of: Annotated[int, Option("How much")] = 5) -> None:
        self.at = at
    def restrictions(self):
        return []
    def process(self, key, tracker, watermark, ack):
        yield from ()
"""


def list_sources(*folders: Path, path: str = "") -> tuple[str, str]:
    environment = {**os.environ, "TIMELINE_SOURCES": os.pathsep.join(map(str, folders)), "PYTHONPATH": path}
    process = subprocess.run(
        [sys.executable, "-c", SHOWN], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return process.stdout.strip(), process.stderr.strip().splitlines()[-1] if process.returncode else ""


def test_files_of_folders_and_entry_points_of_packages_are_kinds(tmp_path: Path) -> None:
    for name, file in (
        ("HttpPages", "one/pages.py"),
        ("_Shared", "one/_shared.py"),
        ("Queue", "two/queue_of_mine.py"),
    ):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(HEAD + WHOLE.format(name=name))
    with (tmp_path / "two/queue_of_mine.py").open("a") as sink:
        sink.write("from timelines_sources._shared import _Shared\n")
    package = tmp_path / "site" / "packaged-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: packaged\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[timelines.sources]\nbus = packaged_bus\n")
    (tmp_path / "site" / "packaged_bus.py").write_text(HEAD + WHOLE.format(name="Bus"))
    answer, wrong = list_sources(tmp_path / "one", tmp_path / "two", path=str(tmp_path / "site"))
    assert wrong == ""
    assert answer == str(
        [("bus", "Bus", ("at",)), ("http_pages", "HttpPages", ("at",)), ("queue", "Queue", ("at",))]
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def (", "own.py: cannot be imported: SyntaxError"),
        ("1 / 0", "own.py: cannot be imported: ZeroDivisionError: division by zero (line 1 of"),
        ("import nowhere_at_all", "No module named 'nowhere_at_all'"),
        ("x = 1", "own.py: declares no source; derive a class from SplittableSource"),
        (
            HEAD + WHOLE.format(name="Kafka"),
            "the source kafka is one of the product's; call its class something else",
        ),
        (
            HEAD + WHOLE.format(name="A").replace("def restrictions", "def other"),
            "A does not say its restrictions",
        ),
        (
            HEAD + WHOLE.format(name="A").replace("schema, reader", "schema, other"),
            "A does not say its reader",
        ),
        (
            HEAD + WHOLE.format(name="A").replace('Annotated[str, Option("Where")]', "str"),
            "A(at): say what it means",
        ),
        (
            HEAD + WHOLE.format(name="A") + "    where = ('url',)\n",
            "A reads where its option url says, which it has not",
        ),
        (
            HEAD + WHOLE.format(name="A") + "    paced = 'at'\n",
            "A asks as often as its option at says, which is no number: declare it as float, in seconds",
        ),
    ],
)
def test_what_cannot_be_used_is_said_with_a_hint(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "own.py").write_text(text)
    answer, wrong = list_sources(tmp_path)
    assert words in wrong
    assert answer == ""


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert "TIMELINE_SOURCES: the folder" in list_sources(tmp_path / "nowhere")[1]
