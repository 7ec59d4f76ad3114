"""`--marked` imports no other files, and no test that it should run is left out by that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MARKED = "import pytest\n@pytest.mark.spark\ndef test_marked() -> None: ...\n"
INHERITED = "from test_marked_here import pytestmark\ndef test_inherited() -> None: ...\n"


def run_pytest(folder: Path, files: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    spark: real\n    stack: real\n")
    for name, text in files.items():
        (folder / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.marked", "-c", str(folder / "pytest.ini")]
    root = Path(__file__).parents[1]
    return subprocess.run(
        [*command, *arguments, str(folder)], cwd=root, capture_output=True, text=True, check=False
    )


def test_only_files_that_name_the_mark_are_imported(tmp_path: Path) -> None:
    files = {"test_marked_here.py": MARKED, "test_other.py": "raise RuntimeError('imported')\n"}
    assert "1 error" in run_pytest(tmp_path, files).stdout
    assert "1 passed" in run_pytest(tmp_path, files, "--marked", "spark").stdout


def test_files_that_mark_all_their_tests_are_not_imported_for_those_without_a_mark(tmp_path: Path) -> None:
    all_marked = "import pytest\npytestmark = [\n    pytest.mark.stack,\n]\nraise RuntimeError('imported')\n"
    files = {"test_all.py": all_marked, "test_some.py": MARKED + "def test_unmarked() -> None: ...\n"}
    done = run_pytest(tmp_path, files, "--unmarked", "-m", "not spark")
    assert "1 passed, 1 deselected" in done.stdout


def test_a_mark_that_comes_from_another_file_is_refused(tmp_path: Path) -> None:
    files = {
        "test_marked_here.py": "import pytest\npytestmark = pytest.mark.stack\ndef test_here() -> None: ...\n",
        "test_heir.py": INHERITED,
    }
    done = run_pytest(tmp_path, files)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "test_heir.py does not name its mark: write pytest.mark.stack in it" in done.stderr + done.stdout
