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

from tests.web.conftest import find_owner
from timeline_app.web.alerts.following import follow_plans, take_page
from timeline_app.web.models import Node, Plan, PlanNode, Query, Stream
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import delete_plan, run_plan, stop_plan
from timeline_app.web.streams.services import create_stream
from timeline_app.web.workspace.demos import read_login
from workers.stack import health

pytestmark = pytest.mark.django_db


def get_login_file(settings: Settings) -> Path:
    return Path(settings.TIMELINE_LOCAL) / "demo-login"


def test_there_are_a_user_streams_and_plans_one_of_which_runs(settings: Settings) -> None:
    call_command("demo")
    login = json.loads(get_login_file(settings).read_text())
    assert set(login) == {"username", "password", "token"}
    assert get_login_file(settings).stat().st_mode & 0o777 == 0o600
    browser = Client()
    assert browser.post("/login/", login).status_code == 302
    programs = APIClient()
    programs.credentials(HTTP_AUTHORIZATION=f"Token {login['token']}")
    assert programs.get("/api/streams/player/").json()["key"] == "session_id"
    plans = programs.get("/api/plans/").json()["results"]
    assert [plan["name"] for plan in plans if plan["running"]] == ["Connection-induced rebuffering"]
    assert plans[0]["running"]
    assert [plan["problems"] for plan in plans] == [[]] * 6
    assert Query.objects.filter(desired="running").count() == 9
    [alert] = programs.get("/api/alerts/").json()["results"]
    assert (alert["node"], alert["plan"], alert["state"]) == ("induced", plans[0]["id"], "waiting")
    follow_plans()
    while take_page() is not None:
        pass
    assert programs.get("/api/alerts/").json()["results"][0]["state"] == "quiet"


def test_make_run_counts_the_nodes_of_the_plan_that_runs_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_command("demo")
    user, demo = User.objects.get(username="demo"), APIClient()
    demo.force_authenticate(user)
    monkeypatch.setattr(health, "_get", lambda url, _token: demo.get(url).json())
    used = PlanNode.objects.filter(plan__running=True).values("node").distinct().count()
    run_plan(plan=Plan.objects.filter(running=False).latest("pk"), user=user, placement="isolated")
    assert Node.objects.count() > used == len(health.load_statuses("/", ""))
    for plan in Plan.objects.filter(running=True):
        stop_plan(plan=plan, user=user)
    assert health.load_statuses("/", "") == []


def test_a_second_time_changes_nothing(settings: Settings) -> None:
    call_command("demo")
    before = (
        get_login_file(settings).read_text(),
        list(Plan.objects.values()),
        list(PlanNode.objects.values()),
    )
    call_command("demo")
    assert (
        get_login_file(settings).read_text(),
        list(Plan.objects.values()),
        list(PlanNode.objects.values()),
    ) == before
    assert (User.objects.count(), Stream.objects.count(), Node.objects.count()) == (1, 5, 9)


def test_what_people_changed_stays() -> None:
    call_command("demo")
    cirr, card = Plan.objects.get(running=True), Plan.objects.get(name="Suspicious cards")
    stop_plan(plan=cirr, user=find_owner(cirr))
    save_plan(plan=card, user=find_owner(card), version=1, name="Mine", document={"nodes": {}})
    delete_plan(plan=Plan.objects.get(name="Completion rate"), user=find_owner(cirr))
    before = list(Plan.objects.values())
    call_command("demo")
    assert list(Plan.objects.values()) == before
    assert not Plan.objects.filter(running=True).exists()


def test_a_stream_that_somebody_declared_under_a_name_of_ours_is_left_alone() -> None:
    ada = User.objects.create_user("ada")
    create_stream(user=ada, name="card", document={"key": "number", "time": "at"})
    call_command("demo")
    assert Stream.objects.get(name="card").document["key"] == "number"
    assert not Plan.objects.filter(name="Suspicious cards").exists()
    assert Plan.objects.count() == 5


def test_demos_that_an_earlier_version_did_not_have_are_added() -> None:
    call_command("demo")
    delete_plan(plan=Plan.objects.get(name="Risk before failure"), user=User.objects.get())
    Stream.objects.get(name="machine").delete()
    call_command("demo")
    assert Plan.objects.filter(name="Risk before failure").count() == 1
    assert Plan.objects.count() == 6


def test_both_plans_of_completion_use_one_query_for_each_of_their_primitives() -> None:
    call_command("demo")
    names = ("Completion rate", "Unfinished plays by device")
    for plan in Plan.objects.filter(name__in=names):
        run_plan(plan=plan, user=find_owner(plan), placement="isolated")
    uses = PlanNode.objects.filter(plan__name__in=names, name__in=("attempts", "completed"))
    assert uses.count() == 4
    assert Query.objects.filter(nodes__uses__in=uses).distinct().count() == 2


@pytest.mark.parametrize("content", [None, "", "{", "{}", "[]", '{"username": "demo"}', "null", "17"])
def test_a_lost_or_broken_login_is_made_again(settings: Settings, content: str | None) -> None:
    call_command("demo")
    if content is None:
        get_login_file(settings).unlink()
    else:
        get_login_file(settings).write_text(content)
    with pytest.raises(ValueError, match=r"manage\.py demo"):
        read_login()
    call_command("demo")
    assert Client().post("/login/", read_login()).status_code == 302
