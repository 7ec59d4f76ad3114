"""What is rejected of a push is in quarantine once, though the process is killed after each of its steps."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.stack.killing import ROOT, Killed, list_ids
from tests.web.push_killed_at import STEPS

DECLARED = {"key": "k", "time": "t", "id": "id", "unit": "ms"}
MADE = """
import django, json, sys
django.setup()
from django.contrib.auth.models import User
from timeline_app.web.streams.services import create_stream
create_stream(user=User.objects.create_superuser("ada"), name="s", document=json.loads(sys.argv[1]))
"""


@pytest.fixture
def product(tmp_path: Path) -> Killed:
    killed_product = Killed(tmp_path)
    for folder in ("data", "files"):
        (tmp_path / folder).mkdir(mode=0o700)
    killed_product.run("manage.py", "migrate", "--verbosity=0")
    killed_product.run("-c", MADE, json.dumps(DECLARED))
    return killed_product


def push_events(product: Killed, step: str, key: str, number: int) -> None:
    """Two events, of which one lies too far ahead."""
    events = [{"k": "a", "t": time, "id": f"{number}-{time}"} for time in (1_000, 4_083_955_200_000)]
    command = [sys.executable, "-m", "tests.web.push_killed_at", step, key]
    body = "\n".join(map(json.dumps, events)).encode()
    process = subprocess.run(command, cwd=ROOT, env=product.environment, input=body, check=False)
    assert process.returncode == (0 if step == "never" else -signal.SIGKILL)


def select(product: Killed, question: str) -> list[Any]:
    with closing(sqlite3.connect(product.data / "timelines.sqlite3", timeout=30)) as database:
        return [row[0] for row in database.execute(question)]


def test_rejected_events_are_kept_once_whenever_the_push_is_killed(product: Killed) -> None:
    for number, step in enumerate(STEPS):
        push_events(product, step, f"key {number}", number)
        push_events(product, "never", f"key {number}", number)
    texts = select(product, "SELECT text FROM web_rejectedevent WHERE kind = 'refused' ORDER BY id")
    rejected = [json.loads(text)["id"] for text in texts]
    assert rejected == [f"{number}-4083955200000" for number in range(len(STEPS))]
    assert list_ids(product.data, "s") == [f"{number}-1000" for number in range(len(STEPS))]
    assert select(product, "SELECT refused FROM web_stream") == [len(STEPS)]


def test_what_the_push_of_a_killed_process_rejected_is_not_lost_without_a_key(product: Killed) -> None:
    push_events(product, "landed", "", 0)
    assert list_ids(product.data, "s") == ["0-1000"]
    [text] = select(product, "SELECT text FROM web_rejectedevent")
    assert json.loads(text)["id"] == "0-4083955200000"
