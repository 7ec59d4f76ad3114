"""The first administrator, and a password that was lost: told once, kept as a hash, changed at the login."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from timeline_app.web.models.people import AuditEntry
from timeline_app.web.people.administrators import create_first_administrator, reset_password_from_shell
from timeline_app.web.workspace.demos import ensure_demo, get_login_file

pytestmark = pytest.mark.django_db


def test_the_first_administrator_is_made_once() -> None:
    made = create_first_administrator()
    assert made is not None
    name, password = made
    person = User.objects.get()
    assert (person.username, person.is_superuser, person.member.role) == (name, True, "admin")
    assert person.member.must_change
    assert person.check_password(password)
    assert password not in person.password
    assert create_first_administrator() is None
    entry = AuditEntry.objects.get(act="person.create")
    assert (entry.actor_name, password in str(entry.after)) == ("the system", False)


def test_a_name_that_is_taken_is_left_alone() -> None:
    User.objects.create_user("Admin")
    made = create_first_administrator()
    assert made is not None
    assert made[0] == "admin1"


def test_who_is_there_already_needs_nobody_else(root: User) -> None:
    out = StringIO()
    call_command("administrator", stdout=out)
    assert "already" in out.getvalue()
    assert User.objects.count() == 1


def test_the_first_login_leads_to_the_page_of_the_password() -> None:
    made = create_first_administrator()
    assert made is not None
    client = Client()
    client.post("/login/", {"username": made[0], "password": made[1]})
    assert client.get("/").headers["Location"] == "/password/"
    assert client.get("/admin/").headers["Location"] == "/password/?next=/admin/"
    assert client.get("/api/plans/").json()["code"] == "password_must_change"
    new = "quite another engine"
    client.post("/password/", {"new_password1": new, "new_password2": new})
    assert client.get("/api/plans/").status_code == 200
    assert not User.objects.get().check_password(made[1])


def test_the_login_goes_through_the_pipe_and_nowhere_else() -> None:
    read, write = os.pipe()
    call_command("administrator", to=write)
    with os.fdopen(read) as answer:
        assert '"username": "admin"' in answer.read()
    read, write = os.pipe()
    call_command("administrator", to=write)
    with os.fdopen(read) as answer:
        assert answer.read() == ""


def test_who_forgot_the_password_gets_one_from_the_shell(ada: User) -> None:
    out = StringIO()
    call_command("password", "ada", stdout=out)
    ada.refresh_from_db()
    assert ada.check_password(out.getvalue().strip())
    assert ada.member.must_change
    assert AuditEntry.objects.get(act="person.password").actor is None
    assert reset_password_from_shell(person=ada) != out.getvalue().strip()


@pytest.mark.parametrize("name", ["nobody", "", "\0", "ADA", "x" * 500, "gone"])
def test_nobody_else_gets_one(ada: User, name: str) -> None:
    User.objects.create_user("gone", is_active=False)
    with pytest.raises((CommandError, ValueError)):
        call_command("password", name)


def test_the_login_of_the_demo_is_for_this_account_alone(settings: Settings, tmp_path: Path) -> None:
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    ensure_demo()
    assert get_login_file().stat().st_mode & 0o777 == 0o600
