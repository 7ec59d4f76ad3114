"""One line is one line, says what it is about, and every request has one."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.test import APIClient

from timeline_app.asgi import application
from timeline_app.settings import ROOT
from timeline_app.web.core import log_context
from timeline_app.web.core.log_context import Seen, log_facts, log_request
from timeline_app.web.models import Plan
from timeline_app.web.ops import tasks
from timeline_app.web.ops.logs import JsonLogFormatter, Text
from workers.celery import app as celery

FORGED = "2026-01-01T00:00:00.000Z CRITICAL root: all is lost"


class Lines:
    """What was logged, as the handler of the product writes it."""

    def __init__(self, formatter: logging.Formatter) -> None:
        self.stream = io.StringIO()
        self.handler = logging.StreamHandler(self.stream)
        self.handler.setFormatter(formatter)

    def all(self) -> list[str]:
        return self.stream.getvalue().split("\n")[:-1]

    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.all()]


@pytest.fixture(params=[Text, JsonLogFormatter])
def lines(request: pytest.FixtureRequest) -> Iterator[Lines]:
    yield from listen_to_logs(request.param())


@pytest.fixture
def as_json() -> Iterator[Lines]:
    yield from listen_to_logs(JsonLogFormatter())


@pytest.fixture
def as_text() -> Iterator[Lines]:
    yield from listen_to_logs(Text())


def listen_to_logs(formatter: logging.Formatter) -> Iterator[Lines]:
    lines = Lines(formatter)
    root = logging.getLogger()
    root.addHandler(lines.handler)
    level = root.level
    root.setLevel(logging.INFO)
    yield lines
    root.setLevel(level)
    root.removeHandler(lines.handler)


@pytest.mark.parametrize("spelling", [Text, JsonLogFormatter])
@pytest.mark.parametrize(
    "end",
    [
        "\n",
        "\r",
        "\r\n",
        "\x0b",
        "\x0c",
        "\x1c",
        "\x85",
        "\u2028",
        "\u2029",
        "\0",
        "\x1b[2K",
        "\u202e",
        "\ud800",
    ],
)
def test_nobody_can_forge_a_line(spelling: type[logging.Formatter], end: str) -> None:
    text = f"ada{end}{FORGED}"
    record = logging.makeLogRecord({"name": "door", "msg": "refused %s", "args": (text,), "path": text})
    with log_facts(user=text):
        line = spelling().format(record)
    assert len(line.splitlines()) == 1
    assert end not in line
    line.encode()


def test_a_traceback_cannot_forge_a_line_either(lines: Lines) -> None:
    try:
        raise ValueError(f"no\n{FORGED}\r{FORGED}\u2028{FORGED}")
    except ValueError:
        logging.getLogger("door").exception("it failed")
    text = lines.stream.getvalue()
    assert not re.search(rf"^{re.escape(FORGED)}", text, re.MULTILINE)
    assert not any(line.startswith(FORGED) for line in text.splitlines())
    assert "ValueError" in text


def test_json_lines_have_their_fields(as_json: Lines) -> None:
    with log_request(Seen("request-1")), log_facts(query="q1"):
        logging.getLogger("door").info("took %d", 3, extra={"ms": 1.5, "odd": object()})
    (line,) = as_json.objects()
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "INFO", "logger": "door", "message": "took 3", "request": "request-1", "query": "q1", "ms": 1.5,
    }  # fmt: skip


def test_what_a_line_was_given_never_hides_what_it_is(as_json: Lines) -> None:
    logging.getLogger("door").info("took", extra={"level": "none", "time": "never", "logger": "me"})
    assert as_json.objects()[0]["level"] == "INFO"
    assert as_json.objects()[0]["logger"] == "door"


def test_text_lines_say_what_they_are_about(as_text: Lines) -> None:
    with log_facts(plan="7", node=""):
        logging.getLogger("door").info("ran")
    assert as_text.all()[0].endswith("INFO door: ran [plan=7]")


def test_a_line_in_a_view_knows_user_and_plan(
    api: APIClient, plan: Plan, as_json: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    from timeline_app.web.plans.api import PlanView

    real = PlanView.get

    def log_and_call(self: Any, *arguments: Any, **named: Any) -> Any:
        logging.getLogger("inside").info("looking")
        return real(self, *arguments, **named)

    monkeypatch.setattr(PlanView, "get", log_and_call)
    answer = api.get(f"/api/plans/{plan.pk}/", headers={"X-Request-ID": "from-the-proxy"})
    (line,) = [item for item in as_json.objects() if item["logger"] == "inside"]
    assert (line["request"], line["user"], line["plan"]) == ("from-the-proxy", "ada", str(plan.pk))
    assert answer.headers["X-Request-ID"] == "from-the-proxy"
    assert log_context.collect_facts() == {}, "nothing is left when the request is answered"


@pytest.mark.parametrize(
    "brought",
    [
        "",
        "short",
        "x" * 65,
        "with space inside",
        "semi;colon-and-more",
        "-starts-with-dash",
        "über-umlaut-id",
        "a\tb-and-more",
        "<script>alert",
        "../../etc",
    ],
)
def test_a_name_that_is_none_is_replaced(nobody: APIClient, brought: str) -> None:
    answer = nobody.get("/healthz", headers={"X-Request-ID": brought})
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-ID"])


def test_every_request_has_a_name_of_its_own() -> None:
    assert len({Client().get("/healthz").headers["X-Request-ID"] for _ in range(5)}) == 5


async def send_request(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Through the outermost door."""
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"secret=1", "headers": [(b"host", b"localhost"), *named],
    }  # fmt: skip
    door: Any = ApplicationCommunicator(application, scope)  # type: ignore[no-untyped-call]
    await door.send_input({"type": "http.request", "body": b""})
    start = await door.receive_output(10)
    body = await door.receive_output(10)
    await door.wait(10)
    answered = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return start["status"], answered, body["body"]


async def test_each_request_has_a_line(as_json: Lines) -> None:
    status, headers, _ = await send_request("/healthz", x_request_id="probe-0001")
    (line,) = [item for item in as_json.objects() if item["logger"] == "timelines.access"]
    assert (status, headers["x-request-id"]) == (200, "probe-0001")
    assert (line["method"], line["route"], line["path"], line["status"]) == (
        "GET",
        "healthz",
        "/healthz",
        200,
    )
    assert line["ms"] >= 0
    assert line["request"] == "probe-0001"
    assert "secret" not in json.dumps(line)


async def test_what_the_door_refuses_has_a_line_and_a_name(as_json: Lines) -> None:
    status, headers, _ = await send_request("/api/plans/", "POST", content_length="999999999")
    (line,) = [item for item in as_json.objects() if item["logger"] == "timelines.access"]
    assert (status, line["status"], line["route"]) == (413, 413, "")
    assert line["request"] == headers["x-request-id"]


async def test_an_address_with_a_line_break_stays_one_line(as_text: Lines) -> None:
    await send_request(f"/nowhere\n{FORGED}")
    result = [line for line in as_text.all() if "timelines.access" in line]
    assert len(result) == 1
    assert not any(line.startswith(FORGED) for line in as_text.all())


async def test_two_requests_at_once_keep_their_names(as_json: Lines) -> None:
    names = [f"request-number-{index}" for index in range(8)]
    await asyncio.gather(*(send_request("/healthz", x_request_id=name) for name in names))
    items = [item["request"] for item in as_json.objects() if item["logger"] == "timelines.access"]
    assert sorted(items) == names


def test_a_page_that_fails_names_the_request(root: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("timeline_app.web.core.pages.find_entry", fail)
    client = Client(raise_request_exception=False)
    client.force_login(root)
    answer = client.get("/")
    assert answer.status_code == 500
    assert answer.headers["X-Request-ID"].encode() in answer.content


def test_a_task_carries_the_name_of_its_request() -> None:
    headers: dict[str, Any] = {}
    tasks.pass_request_id(headers)
    assert headers == {}
    with log_request(Seen("request-1")):
        tasks.pass_request_id(headers)
    assert headers == {tasks.REQUEST_ID_KEY: "request-1"}


def test_lines_of_a_task_say_so(as_json: Lines) -> None:
    class Asked:
        name = "workers.tasks.launch"
        request = type("Request", (), {tasks.REQUEST_ID_KEY: "request-1"})

    tasks.begin_task("t1", Asked)
    logging.getLogger("inside").info("launching")
    assert log_context.get_request_id() == "request-1", "and what it asks for in turn carries it on"
    tasks.end_task("t1", Asked, "SUCCESS")
    (line,) = as_json.objects()
    assert (line["task"], line["task_id"], line["request"]) == ("launch", "t1", "request-1")
    assert log_context.collect_facts() == {}


def test_celery_leaves_the_log_as_it_is() -> None:
    celery.log.setup(loglevel=logging.INFO)
    (handler,) = [item for item in logging.getLogger().handlers if isinstance(item.formatter, Text)]
    assert handler.formatter is not None


@pytest.mark.parametrize(("spelling", "first"), [("json", "{"), ("text", "2")])
def test_the_setting_decides(spelling: str, first: str, tmp_path: Any) -> None:
    environment = os.environ | {"TIMELINE_DATA": str(tmp_path), "TIMELINE_LOG_FORMAT": spelling}
    code = "import django, logging; django.setup(); logging.getLogger('x').warning('a\\nb')"
    environment["DJANGO_SETTINGS_MODULE"] = "timeline_app.settings"
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    (line,) = ended.stderr.splitlines()
    assert line.startswith(first)
    assert "a\\nb" in line
