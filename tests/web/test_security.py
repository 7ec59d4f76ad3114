"""How the product is set up: headers, cookies, passwords, and logins that are tried too often."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from timeline_app import settings as ours
from timeline_app.settings import ROOT
from timeline_app.web.core.client_addresses import find_client_address
from timeline_app.web.ops.lockout import MAX_FAILURES_PER_ADDRESS
from timeline_app.web.people.logins import delete_old_logins

pytestmark = pytest.mark.django_db
PASSWORD = "difference engine"


def run_in_production(tmp_path: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known_values = {
        "TIMELINE_DATA": str(tmp_path),
        "TIMELINE_HTTPS": "1",
        "DJANGO_SETTINGS_MODULE": "timeline_app.settings",
    }
    return subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{code}"],
        env=os.environ | known_values | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_django_finds_nothing_to_object_to_in_production(tmp_path: Path) -> None:
    result = run_in_production(
        tmp_path,
        "from django.core.management import call_command; call_command('check', deploy=True, fail_level='WARNING')",
        TIMELINE_HSTS="preload",
    )
    assert result.returncode == 0, result.stderr
    assert "no issues" in result.stdout


def test_only_the_choice_of_other_hosts_is_silenced() -> None:
    assert ours.SILENCED_SYSTEM_CHECKS == ["security.W005", "security.W021"]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("choice", "header"),
    [
        ("off", None),
        ("host", "max-age=31536000"),
        ("subdomains", "max-age=31536000; includeSubDomains"),
        ("preload", "max-age=31536000; includeSubDomains; preload"),
    ],
)
def test_production_speaks_tls_only(choice: str, header: str | None, tmp_path: Path) -> None:
    code = """
import json
from django.test import Client
host = {"Host": "localhost"}
plain, probe = Client().get("/login/", headers=host), Client().get("/healthz", headers={"Host": "10.0.0.7"})
behind = Client().get("/login/", headers=host | {"X-Forwarded-Proto": "https"})
cookie = behind.cookies["csrftoken"]
print(json.dumps([plain.status_code, plain.headers["Location"], probe.status_code, behind.status_code,
    behind.headers.get("Strict-Transport-Security"), cookie["secure"], cookie["samesite"]]))
from django.conf import settings
print(settings.SESSION_COOKIE_NAME, settings.SESSION_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY)
"""
    result = run_in_production(tmp_path, code, TIMELINE_HSTS=choice)
    lines = result.stdout.splitlines()
    assert json.loads(lines[0]) == [301, "https://localhost/login/", 200, 200, header, True, "Lax"], (
        result.stderr
    )
    assert lines[1] == "__Host-timelines_session True True"


@pytest.mark.parametrize(
    "address", ["/login/", "/nowhere/", "/api/plans/", "/healthz", "/static/timeline/pages.css"]
)
def test_every_answer_says_what_its_page_may_do(nobody: APIClient, address: str) -> None:
    headers = nobody.get(address).headers
    policy = headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'self'" in policy
    assert "http" not in policy
    assert headers["Permissions-Policy"].startswith("camera=()")
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "password",
    [
        "short",
        "elevenchars",
        "123456789012",
        "password1234",
        "ada.lovelace",
        "",
    ],
)
def test_weak_passwords_are_refused(password: str, ada: User) -> None:
    ada.first_name, ada.last_name, ada.email = "Ada", "Lovelace", "ada.lovelace@example.org"
    with pytest.raises(ValidationError):
        validate_password(password, ada)


def test_the_page_says_how_long_a_password_must_be(roots: APIClient) -> None:
    assert b"at least 12 characters" in roots.get("/password/").content


def try_to_log_in(
    name: str = "ada", password: str = "wrong", address: str = "192.0.2.7", **headers: str
) -> Any:
    return Client(REMOTE_ADDR=address, headers=headers).post(
        "/login/", {"username": name, "password": password}
    )


def lock_out(name: str = "ada", address: str = "192.0.2.7") -> Any:
    for _ in range(4):
        assert try_to_log_in(name, address=address).status_code == 200
    return try_to_log_in(name, address=address)


def test_after_five_wrong_tries_the_page_says_when_to_try_again(ada: User) -> None:
    answer = lock_out()
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 900
    text = answer.content.decode()
    assert "Too many wrong tries" in text
    assert "in 15 minutes" in text
    assert "UTC" in text
    assert try_to_log_in(password=PASSWORD).status_code == 429, "also with the right password"


def test_nobody_is_locked_out_from_elsewhere(ada: User, root: User) -> None:
    for name in ("ada", "root"):
        lock_out(name)
        assert (
            try_to_log_in(
                name, {"ada": PASSWORD, "root": "all the engines"}[name], "198.51.100.1"
            ).status_code
            == 302
        )
    assert try_to_log_in("bob", "wrong").status_code == 200, "and from here others may still try"


def test_trying_on_does_not_lock_out_for_longer(ada: User) -> None:
    lock_out()
    first = AccessAttempt.objects.get().attempt_time
    for _ in range(10):
        try_to_log_in()
    assert AccessAttempt.objects.get().attempt_time == first
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=15, seconds=1))
    assert try_to_log_in(password=PASSWORD).status_code == 302


def spray_password(tries: int, address: str = "192.0.2.7") -> Any:
    """Try one password on many names."""
    return [try_to_log_in(f"name{index}", address=address) for index in range(tries)][-1]


def test_one_password_tried_on_many_names_locks_the_address(ada: User) -> None:
    assert spray_password(MAX_FAILURES_PER_ADDRESS).status_code == 200
    answer = try_to_log_in("ada", PASSWORD)
    assert answer.status_code == 429, "also for names that were not tried"
    assert 0 < int(answer.headers["Retry-After"]) <= 900
    assert "Too many wrong tries from here" in answer.content.decode()
    assert try_to_log_in("ada", PASSWORD, "198.51.100.1").status_code == 302, "elsewhere all goes on"


def test_a_login_of_ones_own_does_not_reset_the_failures_of_an_address(ada: User) -> None:
    spray_password(MAX_FAILURES_PER_ADDRESS - 1)
    assert try_to_log_in("ada", PASSWORD).status_code == 302
    assert try_to_log_in("bob").status_code == 200
    assert try_to_log_in("ada", PASSWORD).status_code == 429


def test_a_locked_address_is_let_in_when_enough_failures_are_old(ada: User) -> None:
    spray_password(MAX_FAILURES_PER_ADDRESS)
    oldest = AccessAttempt.objects.order_by("attempt_time").first()
    assert oldest is not None
    AccessAttempt.objects.filter(pk=oldest.pk).update(
        attempt_time=timezone.now() - timedelta(minutes=15, seconds=1)
    )
    assert try_to_log_in("ada", PASSWORD).status_code == 302


def test_who_is_refused_for_the_address_costs_no_hash(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    spray_password(MAX_FAILURES_PER_ADDRESS)
    monkeypatch.setattr(User, "check_password", lambda *_: pytest.fail("a password was hashed"))
    monkeypatch.setattr(User, "set_password", lambda *_: pytest.fail("a password was hashed"))
    assert try_to_log_in("ada").status_code == try_to_log_in("nobody").status_code == 429
    assert not AccessAttempt.objects.filter(username="nobody").exists(), "and no row"


def test_a_right_password_forgets_the_wrong_ones(ada: User) -> None:
    for _ in range(4):
        try_to_log_in()
    assert try_to_log_in(password=PASSWORD).status_code == 302
    assert lock_out().status_code == 429, "five more"


def test_who_runs_the_product_lets_in_again(ada: User) -> None:
    lock_out()
    call_command("axes_reset_username", "ada", verbosity=0)
    assert try_to_log_in(password=PASSWORD).status_code == 302


def test_what_is_over_is_forgotten(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    lock_out()
    delete_old_logins()
    assert (Session.objects.count(), AccessAttempt.objects.count()) == (1, 1)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(hours=1))
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    delete_old_logins()
    assert (Session.objects.count(), AccessAttempt.objects.count()) == (0, 0)


def test_what_was_typed_as_password_is_not_kept(ada: User) -> None:
    try_to_log_in(password="my real secret")
    assert "secret" not in str(AccessAttempt.objects.values_list())


def test_who_is_logged_in_stays_so(ada: User) -> None:
    client = Client(REMOTE_ADDR="192.0.2.7")
    client.post("/login/", {"username": "ada", "password": PASSWORD})
    lock_out()
    assert client.get("/api/me/").status_code == 200


def test_a_login_makes_a_new_session(ada: User, settings: Settings) -> None:
    client = Client()
    session = client.session
    session["before"] = 1
    session.save()
    before = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post("/login/", {"username": "ada", "password": PASSWORD})
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    assert cookie.value != before
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 7 * 86_400)


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, None, "192.0.2.1"),
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        (2, "6.6.6.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        (2, "203.0.113.9", "203.0.113.9"),
        (1, None, "192.0.2.1"),
        (1, "not an address", "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, "203.0.113.9:4711", "203.0.113.9"),
        (1, "[2001:db8:1:2:3:4:5:6]:4711", "2001:db8:1:2::"),
        (1, "2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        (1, "::ffff:203.0.113.9", "203.0.113.9"),
        (1, "203.0.113.9\x00", "192.0.2.1"),
    ],
)
def test_the_address_is_the_one_in_front_of_our_proxies(
    proxies: int, forwarded: str | None, address: str, settings: Settings
) -> None:
    settings.PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1")
    if forwarded is not None:
        request.META["HTTP_X_FORWARDED_FOR"] = forwarded
    assert find_client_address(request) == address


def test_a_header_gets_nobody_around_the_limit(ada: User, settings: Settings) -> None:
    settings.PROXIES = 1
    answers = [
        try_to_log_in(address="10.0.0.1", **{"X-Forwarded-For": f"6.6.6.{index}, 203.0.113.9"})
        for index in range(5)
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429]
