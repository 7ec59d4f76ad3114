"""The package as its users have it: its README, its example, and its wheel in an empty place."""

from __future__ import annotations

import doctest
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from timelines import Client

from tests.browser.product import add_user
from workers.stack import Stack, health

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "clients" / "python"


def test_the_readme_prints_what_it_shows(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMELINES_URL", stack.url)
    monkeypatch.setenv("TIMELINES_TOKEN", add_user(stack, "grace").token)
    options = doctest.ELLIPSIS
    result = doctest.testfile(
        str(PACKAGE / "README.md"), module_relative=False, encoding="utf-8", optionflags=options
    )
    assert (result.failed, result.attempted > 10) == (0, True)


def test_the_wheel_works_where_neither_django_nor_spark_is(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    package = shutil.copytree(PACKAGE, tmp_path / "package")  # what building leaves behind stays there
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, package], check=True)
    [wheel] = tmp_path.glob("timelines_client-*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    subprocess.run([python, *pip[1:], "install", wheel], check=True)
    code = (
        "import timelines, importlib.util, pathlib\n"
        "assert not any(map(importlib.util.find_spec, ('django', 'pyspark', 'plotly', 'pandas', 'timeline_app')))\n"
        "assert pathlib.Path(timelines.__file__).with_name('py.typed').exists()\n"
        "timeline = timelines.Timeline('d', 'k', 'bool', (timelines.Point(None, True),))\n"
        "assert timeline.value_at(0) is True\n"
        "try:\n    timeline.plot()\n"
        "except ImportError as why:\n    print(why)\n"
    )
    process = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout) == (
        0, "plot() needs Plotly: pip install timelines-client[plot]\n",
    ), process.stderr  # fmt: skip


@pytest.mark.stack
def test_the_example_goes_from_an_empty_server_to_a_figure(tmp_path: Path) -> None:
    with Stack(tmp_path, demo=False, port=health.find_free_port()) as stack:
        token = add_user(stack, "ada").token
        environment = {
            **os.environ,
            "TIMELINES_URL": stack.url,
            "TIMELINES_TOKEN": token,
            "PYTHONPATH": str(PACKAGE / "src"),
        }
        example = ROOT / "docs" / "examples" / "from_python.py"
        process = subprocess.run(
            [sys.executable, example],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        with Client(stack.url, token) as client:
            remaining = list(client.plans.list())
    assert process.returncode == 0, process.stderr
    assert remaining == []
    assert "3 events are on disk" in process.stdout
    assert "At 12:03 Newtown" in process.stdout
