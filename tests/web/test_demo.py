"""The demo is made once, and is left alone ever after."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings
from rest_framework.test import APIClient

from timeline_app.compiler import compile_plan
from timeline_app.plan import check
from timeline_app.web.models import Node, Plan, PlanNode, Query, Stream
from timeline_app.web.selectors.streams import declarations
from timeline_app.web.services.demo import DOCUMENT, read_login
from timeline_app.web.services.plans import plan_stop

pytestmark = pytest.mark.django_db


def login_file(settings: Settings) -> Path:
    return Path(settings.TIMELINE_DATA) / "demo-login"


def test_there_is_a_user_a_stream_and_a_plan_that_runs(settings: Settings) -> None:
    call_command("demo")
    login = json.loads(login_file(settings).read_text())
    assert set(login) == {"username", "password", "token"}
    assert login_file(settings).stat().st_mode & 0o777 == 0o600
    browser = Client()
    assert browser.login(username=login["username"], password=login["password"])
    programs = APIClient()
    programs.credentials(HTTP_AUTHORIZATION=f"Token {login['token']}")
    assert programs.get("/api/streams/player/").json()["key"] == "session_id"
    [plan] = programs.get("/api/plans/").json()
    assert (plan["name"], plan["running"], plan["problems"]) == ("Connection-induced rebuffering", True, [])
    assert Query.objects.filter(desired="running").count() == 9


def test_a_second_time_changes_nothing(settings: Settings) -> None:
    call_command("demo")
    before = (login_file(settings).read_text(), list(Plan.objects.values()), list(PlanNode.objects.values()))
    call_command("demo")
    assert (
        login_file(settings).read_text(),
        list(Plan.objects.values()),
        list(PlanNode.objects.values()),
    ) == before
    assert (User.objects.count(), Stream.objects.count(), Node.objects.count()) == (1, 1, 9)


def test_what_people_changed_stays() -> None:
    call_command("demo")
    plan = Plan.objects.get()
    plan_stop(plan=plan, user=plan.owner)
    call_command("demo")
    assert not Plan.objects.get().running


@pytest.mark.parametrize("content", [None, "", "{", "{}", "[]", '{"username": "demo"}', "null", "17"])
def test_a_lost_or_broken_login_is_made_again(settings: Settings, content: str | None) -> None:
    call_command("demo")
    if content is None:
        login_file(settings).unlink()
    else:
        login_file(settings).write_text(content)
    with pytest.raises(ValueError, match=r"manage\.py demo"):
        read_login()
    call_command("demo")
    assert Client().login(username="demo", password=read_login()["password"])


def test_the_demo_plan_is_right_and_laid_out(db: None) -> None:
    call_command("demo")
    streams = declarations()
    assert check(DOCUMENT, streams).problems == ()
    assert set(DOCUMENT["layout"]) == set(DOCUMENT["nodes"])
    assert len({tuple(place) for place in DOCUMENT["layout"].values()}) == 9
    compiled = compile_plan(DOCUMENT, streams)
    assert len(compiled.programs) == 9
    for name, node in DOCUMENT["nodes"].items():
        for wires in node.get("inputs", {}).values():
            for wire in [wires] if isinstance(wires, str) else wires:
                assert DOCUMENT["layout"][wire][0] < DOCUMENT["layout"][name][0]
