"""The real server keeps to its description, whatever is sent: schemathesis makes up thousands of requests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.browser.product import Api, add_user, build_leaf
from workers.stack import Stack, health
from workers.stack.layout import ROOT

pytestmark = [pytest.mark.stack, pytest.mark.long]

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)
NODES = {
    "seeking": build_leaf("has_existed_within", "player", where='user_action == "seek"', duration="5s"),
    "calm": {"op": "not", "inputs": {"of": "seeking"}},
}


@dataclass(frozen=True)
class Server:
    """A server that runs, with something in it."""

    api: Api
    plan: int
    digest: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Web and Redis, a stream with an event, a running plan with a version, a dashboard and a sample."""
    data = tmp_path_factory.mktemp("conforms")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TIMELINE_MAX_CALLS_PER_MINUTE", "0")  # more are sent than one would be allowed
        environment.setenv("TIMELINE_MAX_EVENT_CALLS_PER_MINUTE", "0")
        stack = Stack(data, demo=False, port=health.find_free_port(), engine=False)
        yield from run_filled(stack)


def run_filled(stopped: Stack) -> Iterator[Server]:
    """The same, started."""
    with stopped as stack:
        api = add_user(stack, "ada", staff=True)
        api.declare("player")
        api.push(
            "player", [{"session_id": "s1", "event_id": "e1", "t": 1_700_000_000_000, "user_action": "seek"}]
        )
        plan = api.add_plan({"version": 1, "name": "Calm", "nodes": NODES, "results": ["calm"]})["id"]
        digest = api.run(plan)["nodes"][0]["digest"]
        api.call("POST", "dashboards/", {"name": "Board"})
        api.call("POST", "samples/", {"name": "One", "streams": ["player"], "last": 1})
        yield Server(api, plan, digest)


def write_configuration(folder: Path, server: Server, known: bool) -> Path:
    """The configuration; of what is there, or of whatever comes to mind."""
    lines = [f'hooks = "{ROOT / "tests" / "stack" / "conforming.py"}"', "[parameters]"]
    if known:
        examples = {"name": '"player"', "digest": f'"{server.digest}"', "number": server.plan, "version": 1}
        lines += [f'"path.{name}" = {value}' for name, value in examples.items()]
        lines.append('"query.key" = "s1"')
    file = folder / "schemathesis.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize("known", [True, False], ids=["what is there", "anything"])
def test_no_request_breaks_the_server_or_its_description(server: Server, tmp_path: Path, known: bool) -> None:
    command = [
        str(ROOT / ".venv" / "bin" / "schemathesis"),
        "--no-color",
        f"--config-file={write_configuration(tmp_path, server, known)}",
        "run",
        f"{server.api.url}api/schema/",
        f"--header=Authorization: Token {server.api.token}",
        f"--checks={','.join(CHECKS)}",
        "--phases=coverage" if known else "--phases=fuzzing",
        "--max-examples=5",
        "--exclude-path=/api/me/password/",  # it would lock out who asks
        "--seed=6",
        "--continue-on-failure",
        "--no-shrink",
        "--suppress-health-check=all",
        "--warnings=off",
    ]
    output = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert output.returncode == 0, output.stdout[-20_000:] + output.stderr[-2_000:]
