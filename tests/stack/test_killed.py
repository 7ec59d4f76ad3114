"""The web process and a backup are killed in the middle of their work, for real: nothing is half done."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.postgres import run_server
from timeline_app.settings import ROOT
from workers.stack import Stack, health

pytestmark = [pytest.mark.stack, pytest.mark.long]
EVENT_COUNT = 4000
FILL = f"""
from django.contrib.auth.models import User
from timeline_app.web.models import Plan
from timeline_app.web.models.people import AuditEntry, Member, Role
from timeline_app.web.people.token_services import create_token
ada, _ = User.objects.create_user("ada"), User.objects.create_user("bob")
Plan.objects.bulk_create(Plan(name=f"plan {{n}}", document={{}}, owner=ada) for n in range({EVENT_COUNT}))
AuditEntry.objects.bulk_create(
    AuditEntry(actor=ada, actor_name="ada", source="page", act="plan.edit", kind="plan", thing=n % {EVENT_COUNT} + 1,
               name=f"plan {{n}}", reason="as agreed " * 20) for n in range(40_000))
print(create_token(user=ada, name="t", scopes=["admin"])[1])
"""
COUNTS = """
from timeline_app.web.models import Plan
from timeline_app.web.models.people import AuditEntry
print(Plan.objects.filter(owner__username="bob").count(), AuditEntry.objects.filter(act="plan.transfer").count())
"""


def run_shell(stack: Stack, script: str) -> list[str]:
    """The words that a script prints, run on the database of the stack."""
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "--verbosity", "0", "-c", script]
    answer = subprocess.run(
        command, cwd=ROOT, env=stack.layout.environment(), check=True, capture_output=True, text=True
    )
    return answer.stdout.split()


@pytest.fixture(params=["sqlite", "postgresql"])
def stack(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    """A web server with Redis on the database, as `make run` starts them."""
    with ExitStack() as around:
        if request.param == "postgresql":
            monkeypatch.setenv("DATABASE_URL", around.enter_context(run_server()))
        else:
            monkeypatch.delenv("DATABASE_URL", raising=False)
        yield around.enter_context(
            Stack(tmp_path / "d", demo=False, port=health.find_free_port(), engine=False)
        )


def build_client(stack: Stack, token: str) -> httpx.Client:
    headers = {"Authorization": f"Token {token}"}
    return httpx.Client(base_url=f"{stack.url}api/", headers=headers, timeout=120)


def wait_until_back(stack: Stack) -> None:
    """Wait until the web server answers again."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with suppress(httpx.HTTPError):
            if httpx.get(f"{stack.url}healthz", timeout=5).status_code == 200:
                return
        time.sleep(0.2)
    pytest.fail("the web server did not come back")


def test_who_is_killed_leaves_nothing_half_done(stack: Stack, tmp_path: Path) -> None:
    token = run_shell(stack, FILL)[-1]
    with build_client(stack, token) as client:
        transfer_much(stack, client)
        wait_until_back(stack)
        download_table(stack, client)
    wait_until_back(stack)
    back_up(stack, tmp_path / "backup", again="postgres" not in os.environ.get("DATABASE_URL", ""))


def transfer_much(stack: Stack, client: httpx.Client) -> None:
    """A transfer of thousands: all of them or none, each written down, wherever it is killed."""
    give: dict[str, Any] = {"of": "plan", "q": "", "to": {"kind": "person", "name": "bob"}}
    for seconds in (0.3, 1.0, 2.5):
        answers = list[int]()

        def send(answers: list[int] = answers) -> None:
            with suppress(httpx.HTTPError):
                answers.append(client.post("transfer/", json=give).status_code)

        sending = threading.Thread(target=send)
        sending.start()
        sending.join(seconds)
        stack.kill("web")
        sending.join()
        gone, written = map(int, run_shell(stack, COUNTS)[-2:])
        print(f"killed after {seconds} s: {answers}, {gone} of {EVENT_COUNT} gone, {written} written down")
        assert gone in (0, EVENT_COUNT)
        assert written == gone
        assert gone == EVENT_COUNT or not answers
        wait_until_back(stack)
        if gone:
            return
    assert client.post("transfer/", json=give).json()["transferred"] == EVENT_COUNT


def download_table(stack: Stack, client: httpx.Client) -> None:
    """What arrives of a table whose server is killed is known to be a part."""
    whole = list(csv.reader(io.StringIO(client.get("audit/?format=csv").text)))
    assert len(whole) > 40_000
    with client.stream("GET", "audit/?format=csv") as answer:
        parts = answer.iter_bytes()
        assert len(next(parts)) > 0
        stack.kill("web")
        with pytest.raises(httpx.HTTPError):
            list(parts)


def back_up(stack: Stack, target: Path, *, again: bool) -> None:
    """A backup that was killed is none, and the next one is made without waiting for long."""
    command = [sys.executable, str(ROOT / "manage.py"), "backup", str(target)]
    environment = stack.layout.environment()
    draft = target.with_name(f"{target.name}.unfinished")
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE) as making:
        until = time.monotonic() + 60
        while not (draft.is_dir() and any(draft.iterdir())):
            assert time.monotonic() < until
            assert making.poll() is None
            time.sleep(0.001)
        os.kill(making.pid, signal.SIGKILL)
    assert draft.is_dir()
    assert not target.exists()
    refused = subprocess.run(
        [*command[:2], "restore", str(draft), "--check"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (refused.returncode, "was never finished" in refused.stderr) == (1, True), refused.stderr
    if not again:
        return
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    assert target.is_dir()
    assert not draft.exists()
    checked = [*command[:2], "restore", str(target), "--check"]
    subprocess.run(checked, cwd=ROOT, env=environment, check=True, capture_output=True)
