"""docs/own-operators.md is done as it stands: its files are written, its commands run, and the operator is there."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from timeline_app.testing.laws import LAWS

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "own-operators.md").read_text(encoding="utf-8")
FILES = re.findall(r"Write this as `(~/[^`]+)`:\n\n```python\n(.*?)```", GUIDE, re.DOTALL)
COMMANDS = re.findall(r"^    (\S.*)$", GUIDE.split("```toml")[0].replace("make run", "true"), re.MULTILINE)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which all files of the guide are, written after its first command."""
    home = tmp_path_factory.mktemp("home")
    assert run_shell(home, next(line for line in COMMANDS if line.startswith("mkdir"))).returncode == 0
    for path, text in FILES:
        (home / path.removeprefix("~/")).write_text(text)
    return home


def run_shell(home: Path, line: str) -> subprocess.CompletedProcess[str]:
    """A line of the guide in a shell of the project's folder, by somebody with that home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TIMELINE_", "PYTEST"))}
    kept.pop("DJANGO_SETTINGS_MODULE", None)
    environment = kept | {
        "HOME": str(home),
        "TIMELINE_DATA": str(home / "data"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    line = line.replace("/tmp/door", str(home / "door"))
    return subprocess.run(
        ["bash", "-c", line],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_guide_has_the_file_and_its_test() -> None:
    assert [path for path, _ in FILES] == [
        "~/my-operators/exactly_one.py",
        "~/my-operators/test_exactly_one.py",
    ]
    assert len([line for line in COMMANDS if "TIMELINE_OPERATORS=" in line]) == 3


@pytest.mark.deep
def test_its_test_runs_and_would_fail(home: Path) -> None:
    (line,) = (line for line in COMMANDS if "pytest" in line)
    done = run_shell(home, line)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    path = home / "my-operators" / "exactly_one.py"
    right = path.read_text()
    path.write_text(right.replace("left == right, FALSE, TRUE", "left == right, TRUE, FALSE"))
    done = run_shell(home, line)
    path.write_text(right)
    assert done.returncode == 1
    assert "meaning: it says what its slow referee says" in done.stdout


def test_its_commands_answer(home: Path) -> None:
    lines = COMMANDS[next(index for index, line in enumerate(COMMANDS) if line.startswith("echo")) :]
    items = [run_shell(home, line) for line in lines]
    assert [done.returncode for done in items] == [0] * len(items), items[-1].stderr
    answer = [json.loads(line) for line in items[-1].stdout.splitlines()]
    assert [item["value"] for item in answer if item["node"] == "half_open"] == [True]


def test_all_laws_are_told() -> None:
    table = re.findall(r"^\| `([a-z ]+)` \|", GUIDE, re.MULTILINE)
    assert table == [*(law.name for law in LAWS), "meaning"]
