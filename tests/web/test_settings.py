"""Settings come from the environment, and what is wrong with them is said before anything starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from timeline_app.fs.paths import Address, assign_server, place
from timeline_app.private_files import load_secret
from timeline_app.settings import ROOT, VARIABLES, read


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TIMELINE_DEBUG", "yes"),
        ("TIMELINE_DEBUG", ""),
        ("TIMELINE_HTTPS", "2"),
        ("TIMELINE_DEMO", "true"),
        ("TIMELINE_ALLOWED_HOSTS", "http://example.org"),
        ("TIMELINE_ALLOWED_HOSTS", " , "),
        ("TIMELINE_SECRET_KEY", "short"),
        ("TIMELINE_DATA", ""),
        ("TIMELINE_DATA", " "),
        ("TIMELINE_DATA", "~nobody-of-that-name/x"),
        ("TIMELINE_DATA", "/dev/null"),
        ("TIMELINE_DATA", "/proc/nowhere"),
        ("TIMELINE_DATA", "s3://bucket/timelines"),
        ("TIMELINE_DATA", "hdfs:///timelines"),
        ("TIMELINE_DATA", "s3a://bucket/x#y"),
        ("TIMELINE_LOCAL", "s3a://bucket/timelines"),
        ("TIMELINE_WEBHDFS", "namenode:9870"),
        ("DATABASE_URL", "mysql://host/name"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "postgres://host:port/name"),
        ("DATABASE_URL", "postgres://host/name?sslmod=require"),
        ("DATABASE_URL", "postgres://host/name?sslmode=on"),
        ("DATABASE_URL", "postgres://host/name?sslmode"),
        ("DATABASE_URL", "sqlite:////tmp/x.sqlite3?mode=ro"),
        ("REDIS_URL", "localhost:6379"),
        ("TIMELINE_REACHES", "http://host"),
        ("TIMELINE_REACHES", "10.0.0.0/33"),
        ("TIMELINE_REACHES", "host:0"),
        ("TIMELINE_REACHES", "everything everywhere"),
        ("REDIS_URL", "redis://host:99999/0"),
        ("SPARK_REMOTE", "http://127.0.0.1:15002"),
        ("TIMELINE_MAX_IN_FLIGHT_MIB", "64MiB"),
        ("TIMELINE_MAX_BACKLOG_EVENTS", "-1"),
        ("TIMELINE_DISK_RESERVE_MIB", "1e3"),
        ("TIMELINE_TRASH_RETENTION", "1s"),
        ("TIMELINE_UNUSED_NODE_RETENTION", "never"),
        ("TIMELINE_RESULT_RETENTION", "0"),
        ("TIMELINE_BUCKETS", "0"),
        ("TIMELINE_BUCKETS", "1001"),
        ("TIMELINE_TRIGGER_INTERVAL", "soon"),
        ("TIMELINE_TRIGGER_INTERVAL", "2d"),
        ("TIMELINE_BATCHES_PER_SEGMENT", "1"),
        ("TIMELINE_MAX_CALLS_PER_MINUTE", "-1"),
        ("TIMELINE_QUOTAS", "plan=5"),
        ("TIMELINE_QUOTAS", "plans"),
        ("TIMELINE_QUOTAS", "plans=-1"),
        ("TIMELINE_QUOTAS", "plans=many"),
        ("TIMELINE_QUOTAS", "plans=5;streams=3"),
        ("TIMELINE_MAX_EVENT_CALLS_PER_MINUTE", "many"),
        ("TIMELINE_LOG_FORMAT", "xml"),
        ("TIMELINE_PROXIES", "one"),
        ("TIMELINE_HSTS", "1"),
        ("TIMELINE_SESSION_DURATION", "30s"),
        ("TIMELINE_METRICS_TOKEN", "short"),
        ("TIMELINE_METRICS_TOKEN", "sixteen and more, with spaces"),
    ],
)
def test_a_malformed_value_is_refused_by_name(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"{name}="):
        read({"TIMELINE_DATA": str(tmp_path), name: value})


def test_all_wrong_values_are_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"TIMELINE_DEBG is not a setting.*TIMELINE_HTTPS="):
        read({"TIMELINE_DATA": str(tmp_path), "TIMELINE_DEBG": "1", "TIMELINE_HTTPS": "on"})


@pytest.mark.parametrize(
    ("text", "server", "document"),
    [
        ("hdfs://namenode:8020/timelines/", "", "hdfs://namenode:8020/timelines#http://namenode:9870"),
        ("hdfs://ha/x", "http://one:9870,http://two:9870", "hdfs://ha/x#http://one:9870,http://two:9870"),
        ("s3a://bucket/a/b", "", "s3a://bucket/a/b"),
    ],
)
def test_an_address_of_hdfs_or_s3_is_taken_with_the_server_that_is_asked(
    text: str, server: str, document: str, tmp_path: Path
) -> None:
    result = read({"TIMELINE_DATA": text, "TIMELINE_LOCAL": str(tmp_path), "TIMELINE_WEBHDFS": server})
    data = assign_server(result["TIMELINE_DATA"], result["TIMELINE_WEBHDFS"], "")
    assert isinstance(data, Address)
    assert (data.reference, str(data), place(data.reference)) == (document, document.partition("#")[0], data)
    assert result["TIMELINE_LOCAL"] == tmp_path


def test_beside_a_directory_there_is_no_other_one(tmp_path: Path) -> None:
    other = tmp_path / "other"
    with pytest.raises(ImproperlyConfigured, match=r"TIMELINE_LOCAL=.*leave it out"):
        read({"TIMELINE_DATA": str(tmp_path), "TIMELINE_LOCAL": str(other)})
    assert (
        read({"TIMELINE_DATA": str(tmp_path), "TIMELINE_LOCAL": str(tmp_path)})["TIMELINE_LOCAL"] == tmp_path
    )


def test_with_an_address_database_and_secret_lie_in_the_local_directory(tmp_path: Path) -> None:
    known_values = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment = known_values | {"TIMELINE_DATA": "s3a://bucket/x", "TIMELINE_LOCAL": str(tmp_path)}
    script = "from timeline_app import settings as s; print(s.LANDING, s.DATABASES['default']['NAME'])"
    output = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert output.stdout.split() == ["s3a://bucket/x/landing", str(tmp_path / "timelines.sqlite3")]
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]


def test_other_programs_variables_are_none_of_our_business(tmp_path: Path) -> None:
    assert read({"TIMELINE_DATA": str(tmp_path), "HOME": "/root"})["TIMELINE_DEBUG"] is False


def test_a_postgres_address_is_taken_apart(tmp_path: Path) -> None:
    url = "postgres://ada:p%40ss@db.example.org:5433/timelines"
    result = read({"TIMELINE_DATA": str(tmp_path), "DATABASE_URL": url})["DATABASE_URL"]
    assert (result["USER"], result["PASSWORD"], result["HOST"]) == ("ada", "p@ss", "db.example.org")
    assert (result["PORT"], result["NAME"]) == ("5433", "timelines")


def test_tls_of_postgres_is_said_in_its_address(tmp_path: Path) -> None:
    url = "postgres://ada@db.example.org/timelines?sslmode=verify-full&sslrootcert=/etc/ca%20one.pem"
    result = read({"TIMELINE_DATA": str(tmp_path), "DATABASE_URL": url})["DATABASE_URL"]["OPTIONS"]
    assert (result["sslmode"], result["sslrootcert"]) == ("verify-full", "/etc/ca one.pem")


def test_a_sqlite_address_keeps_the_careful_options(tmp_path: Path) -> None:
    result = read({"TIMELINE_DATA": str(tmp_path), "DATABASE_URL": "sqlite:////tmp/x.sqlite3"})[
        "DATABASE_URL"
    ]
    assert result["NAME"] == "/tmp/x.sqlite3"
    assert result["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert result["OPTIONS"]["timeout"] == 30


def test_the_secret_is_made_once_and_only_for_us(tmp_path: Path) -> None:
    path = tmp_path / "secret-key"
    first = load_secret(path)
    assert len(first) >= 32
    assert load_secret(path) == first
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_the_table_in_the_docs_is_the_table_in_the_code() -> None:
    documented = re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs/settings.md").read_text(), re.MULTILINE)
    assert documented == list(VARIABLES)


def test_a_process_with_an_unknown_variable_does_not_start(tmp_path: Path) -> None:
    environment = os.environ | {"TIMELINE_DATA": str(tmp_path), "TIMELINE_COLOUR": "blue"}
    ended = subprocess.run(
        [sys.executable, ROOT / "manage.py", "check"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode != 0
    assert "TIMELINE_COLOUR is not a setting" in ended.stderr


def test_https_makes_cookies_secure(tmp_path: Path) -> None:
    environment = os.environ | {"TIMELINE_DATA": str(tmp_path), "TIMELINE_HTTPS": "1"}
    expression = "s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS > 0"
    code = f"from timeline_app import settings as s; print({expression})"
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["True", "True", "True"]


def test_supervision_does_not_pile_up() -> None:
    from timeline_app.settings import CELERY_BEAT_SCHEDULE

    entry = CELERY_BEAT_SCHEDULE["supervise"]
    assert entry["task"] == "workers.tasks.supervise"
    assert entry["options"] == {"expires": entry["schedule"]}
