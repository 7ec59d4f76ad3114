"""A stream is in use or in the trash, whole, whenever the process that empties, deletes or restores it is killed."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.stack.killing import ROOT, Killed
from timeline_app.landing.log import Landing

MADE = """
import django, json, sys
django.setup()
from django.contrib.auth.models import User
from timeline_app.web.streams.ingest import take_events
from timeline_app.web.streams.services import create_stream
declared = {"key": "k", "time": "t", "unit": "ms"}
stream = create_stream(user=User.objects.create_superuser("ada"), name="s", document=declared)
take_events(stream=stream, body=b'{"k": "a", "t": 1}')
"""
STEPS = {
    "delete": ["readers ended", "row of the trash", "written down", "done"],
    "empty": ["readers ended", "row of the trash", "rows moved", "written down", "done"],
    "restore": ["rows moved", "written down", "done"],
}
PURGE = ["claimed", "removed", "written down", "purged"]
Row = tuple[str, int, int, bool]


@pytest.fixture
def product(tmp_path: Path) -> Killed:
    killed_product = Killed(tmp_path)
    for folder in ("data", "files"):
        (tmp_path / folder).mkdir(mode=0o700)
    killed_product.run("manage.py", "migrate", "--verbosity=0")
    killed_product.run("-c", MADE)
    return killed_product


def run(product: Killed, step: str, act: str) -> None:
    command = [sys.executable, "-m", "tests.web.trash_killed_at", step, act]
    process = subprocess.run(command, cwd=ROOT, env=product.environment, check=False)
    assert process.returncode == (0 if step == "never" else -signal.SIGKILL)


def list_rows(product: Killed) -> list[Row]:
    """Folder, events and those on disk, and whether it is in the trash, of all streams."""
    query = "SELECT name, generation, events, trashed_at FROM web_stream ORDER BY generation"
    with closing(sqlite3.connect(product.data / "timelines.sqlite3", timeout=30)) as database:
        records = database.execute(query).fetchall()
    rows = []
    for name, generation, events, trashed in records:
        landing = Landing(product.data / "landing", f"{name}~{generation}" if generation else name)
        rows.append((name, events, landing.count(0, landing.end()).events, trashed is not None))
    return rows


HELD = ("s", 1, 1, False)
GONE = ("s", 1, 1, True)
NEW = ("s", 0, 0, False)


@pytest.mark.parametrize("act", ["delete", "empty"])
def test_it_is_there_or_in_the_trash_after_every_kill(product: Killed, act: str) -> None:
    after = [GONE] if act == "delete" else [GONE, NEW]
    for step in STEPS[act]:
        run(product, step, act)
        assert list_rows(product) == (after if step == "done" else [HELD])
    for step in STEPS["restore"] if act == "empty" else ["written down", "done"]:
        run(product, step, "restore")
        assert list_rows(product) == ([HELD] if step == "done" else after)


def test_what_is_purged_is_gone_though_every_purge_is_killed(product: Killed) -> None:
    run(product, "never", "empty")
    for step in PURGE:
        run(product, step, "purge")
    assert list_rows(product) == [NEW]
    assert not (product.data / "landing" / "s").exists()
