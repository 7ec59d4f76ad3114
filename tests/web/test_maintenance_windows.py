"""Silences that hold within a schedule, or while a node is true."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from tests.web.log import revise
from tests.web.rights.world import make_incident
from timeline_app.connectors.notifiers.webhook import WebhookNotifier
from timeline_app.web.alerts.outbox import make_message
from timeline_app.web.alerts.services import create_alert
from timeline_app.web.core.sharing import transfer
from timeline_app.web.models import Node, Plan, PlanNode, Stream
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel, AlertNotification, AlertRoute, Silence
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan

NIGHT = {"from": "22:00", "to": "04:00", "days": "sat", "zone": "Europe/Zurich"}
SECOND = 1_000_000


@pytest.fixture
def plan(ada: User, player: Stream) -> Plan:
    nodes = {"played": has_existed(), "maintained": build_negation("played"), "seconds": count()}
    drawn = create_plan(user=ada, name="Ovens", document=build_document(**nodes))
    return run_plan(plan=drawn, user=ada, placement="isolated")


def count() -> dict[str, Any]:
    return {"op": "duration_where", "inputs": {"of": "played"}}


@pytest.fixture
def alert(ada: User, plan: Plan) -> Alert:
    return create_alert(user=ada, plan=plan, node="played", settings={"name": "Too hot"})


@pytest.fixture
def maintained(plan: Plan) -> Node:
    return PlanNode.objects.get(plan=plan, name="maintained").node


def build_silence(**more: Any) -> dict[str, Any]:
    ends = timezone.now() + timedelta(days=400)
    return {"reason": "Maintenance", "ends_at": ends.isoformat(), **more}


def create(api: APIClient, alert: Alert, **more: Any) -> Any:
    return api.post("/api/silences/", build_silence(alert=alert.pk, **more), format="json")


def list_silenced(api: APIClient) -> set[str]:
    rows = api.get("/api/incidents/").json()["results"]
    return {row["key"] for row in rows if row["silences"]}


@pytest.mark.parametrize(
    ("moment", "is_open"),
    [
        ((2026, 11, 28, 20, 59), False),
        ((2026, 11, 28, 21, 0), True),
        ((2026, 11, 29, 2, 59), True),
        ((2026, 11, 29, 3, 0), False),
        ((2026, 11, 29, 21, 30), False),
        ((2026, 10, 24, 20, 0), True),
        ((2026, 10, 25, 2, 59), True),
        ((2026, 10, 25, 3, 0), False),
    ],
)
def test_a_schedule_follows_the_clocks_of_its_zone(moment: tuple[int, ...], is_open: bool) -> None:
    silence = Silence(
        schedule=NIGHT, begins_at=datetime(2026, 1, 1, tzinfo=UTC), ends_at=datetime(2027, 1, 1, tzinfo=UTC)
    )
    year, month, day, hour, minute = moment
    assert silence.is_open(datetime(year, month, day, hour, minute, tzinfo=UTC)) == is_open
    assert not silence.is_open(datetime(2027, 1, 2, 22, 30, tzinfo=UTC)), "it is over"


def test_a_schedule_silences_only_within_its_hours(api: APIClient, alert: Alert) -> None:
    make_incident(alert, "d", "east")
    now = timezone.now()
    begin, middle, end = (format(now + timedelta(hours=hours), "%H:%M") for hours in (-1, 2, 3))
    closed = create(api, alert, schedule={"from": middle, "to": end}).json()
    assert (closed["state"], closed["open"]) == ("now", False)
    assert closed["schedule"] == {"from": middle, "to": end, "days": "mon-sun", "zone": "UTC"}
    assert list_silenced(api) == set()
    assert api.get("/api/alerts/?q=is:silenced").json()["results"] == []
    assert create(api, alert, schedule={"from": begin, "to": middle}).json()["open"]
    assert list_silenced(api) == {"east"}
    assert len(api.get("/api/alerts/?q=is:silenced").json()["results"]) == 1


@pytest.mark.parametrize(
    ("more", "field", "words"),
    [
        ({"schedule": {"from": "25:00", "to": "04:00"}}, "schedule", "no time of day"),
        ({"schedule": {"from": "22:00", "to": "22:00"}}, "schedule", "begins and ends at 22:00"),
        ({"schedule": {"from": "22:00", "to": "23:00", "days": "someday"}}, "schedule", "someday"),
        ({"schedule": {"from": "22:00", "to": "23:00", "zone": "Mars"}}, "schedule", "no time zone"),
        ({"schedule": {"from": "22:00"}}, "schedule.to", "required"),
        ({"schedule": "night"}, "schedule", "dictionary"),
        ({"during": {"plan": 0, "node": "maintained"}}, "during.plan", "greater than or equal to 1"),
        ({"during": {"node": "nothing"}}, "during", "no node 'nothing'"),
        ({"during": {"node": "seconds"}}, "during", "of kind number, and a silence needs a bool"),
        ({"during": {"node": "n" * 201}}, "during.node", "no more than 200"),
        ({"schedule": NIGHT, "ends_at": "2099-01-01T00:00:00Z"}, "ends_at", "longer than ten years"),
    ],
)
def test_what_cannot_be_read_is_refused(
    api: APIClient, alert: Alert, more: dict[str, Any], field: str, words: str
) -> None:
    if "during" in more:
        more = more | {"during": {"plan": alert.plan_id} | more["during"]}
    answer = create(api, alert, **more)
    assert answer.status_code == 400, answer.content
    [problem] = answer.json()["problems"]
    assert problem["field"] == field
    assert words in problem["message"]
    assert not Silence.objects.exists()


def test_a_node_silences_the_keys_of_which_it_is_true_now(
    api: APIClient, alert: Alert, maintained: Node, ada: User, bob: User
) -> None:
    now = time.time_ns() // 1_000
    for key in ("true", "false", "ended", "unknown", "absent"):
        make_incident(alert, "d", key)
    revise(maintained, "true", [[None, None], [now - 60 * SECOND, True]])
    revise(maintained, "false", [[None, None], [now - 60 * SECOND, False]])
    revise(maintained, "ended", [[now - 60 * SECOND, True], [now - 10 * SECOND, False]])
    revise(maintained, "unknown", [[now - 60 * SECOND, True], [now - 10 * SECOND, None]])
    new_silence = create(api, alert, during={"plan": alert.plan_id, "node": "maintained"})
    assert new_silence.status_code == 201, new_silence.content
    assert new_silence.json()["during"] == {"plan": alert.plan_id, "node": "maintained", "plan_name": "Ovens"}
    assert list_silenced(api) == {"true", "unknown"}, (
        "where nothing is known of now, the last known value counts"
    )
    revise(maintained, "*", [[None, True]])
    assert list_silenced(api) == {"true", "false", "ended", "unknown", "absent"}
    revise(maintained, "*", [[None, False]])
    stop_plan(plan=alert.plan, user=ada)
    assert list_silenced(api) == set()


def test_a_node_that_the_owner_of_a_silence_may_not_view_silences_nothing(
    api: APIClient, alert: Alert, bob: User
) -> None:
    make_incident(alert, "d", "east")
    drawn = create_plan(
        user=bob, name="Shifts", document=build_document(closed=has_existed('user_action == "stop"'))
    )
    plan = run_plan(plan=drawn, user=bob, placement="isolated")
    revise(PlanNode.objects.get(plan=plan).node, "east", [[None, True]])
    create(api, alert, during={"plan": plan.pk, "node": "closed"})
    assert list_silenced(api) == {"east"}
    Plan.objects.filter(pk=plan.pk).update(open_to_all=False)
    assert list_silenced(api) == set()
    [row] = api.get("/api/silences/").json()["results"]
    assert row["during"] == {"plan": plan.pk, "node": "closed", "plan_name": None}


def test_messages_wait_until_the_node_is_false(
    api: APIClient, alert: Alert, maintained: Node, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    channel = AlertChannel.objects.create(owner=alert.owner, name="hook", kind="webhook", options={})
    route = AlertRoute.objects.create(alert=alert, channel=channel)
    create(api, alert, during={"plan": alert.plan_id, "node": "maintained"})
    keys = [f"oven-{number}" for number in range(40)]
    for key in keys:
        make_incident(alert, "d", key)
        revise(maintained, key, [[None, True]])
    with django_assert_max_num_queries(30):
        make_message(route.pk, WebhookNotifier)
    assert not AlertNotification.objects.exists()
    revise(maintained, keys[7], [[None, False]])
    make_message(route.pk, WebhookNotifier)
    [message] = AlertNotification.objects.all()
    assert [news["key"] for news in message.body["news"]] == [keys[7]]


def test_a_silence_goes_with_the_plan_of_its_node(
    api: APIClient, alert: Alert, ada: User, plan: Plan
) -> None:
    crew = Group.objects.create(name="crew")
    ada.groups.add(crew)
    create(api, alert, during={"plan": plan.pk, "node": "maintained"})
    assert transfer(things=[plan], user=ada, to=crew) == 1
    assert api.get("/api/silences/").json()["results"][0]["during"]["plan_name"] == "Ovens"
