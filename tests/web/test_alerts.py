"""Alerts and their incidents over REST."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from tests.web.giving import share_exactly
from tests.web.log import T, revise
from tests.web.rights.world import make_incident
from tests.web.sockets import in_thread, open_page
from timeline_app.web.alerts.following import follow_plans, take_page
from timeline_app.web.alerts.incident_retention import remove_old_incidents
from timeline_app.web.alerts.services import create_alert
from timeline_app.web.core.permissions import Right
from timeline_app.web.models import Plan, PlanNode, Stream
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan

NODES = {
    "played": has_existed(),
    "calm": build_negation("played"),
    "since": {"op": "duration_where", "inputs": {"of": "played"}},
}


@pytest.fixture
def plan(ada: User, player: Stream) -> Plan:
    drawn = create_plan(user=ada, name="Playing", document=build_document(**NODES))
    return run_plan(plan=drawn, user=ada, placement="isolated")


@pytest.fixture
def alert(ada: User, plan: Plan) -> Alert:
    return create_alert(user=ada, plan=plan, node="played", settings={"name": "played"})


def build_body(plan: Plan, **more: Any) -> dict[str, Any]:
    return {"plan": plan.pk, "node": "played", "name": "played", **more}


def start_alerts() -> None:
    follow_plans()
    while take_page() is not None:
        pass


def test_an_alert_comes_back_as_it_was_made(api: APIClient, plan: Plan) -> None:
    settings = {
        "severity": "critical", "labels": {"team": "video"}, "runbook": "https://example.org/book",
        "template": "{key} plays since {since}", "policy": "final",
    }  # fmt: skip
    answer = api.post("/api/alerts/", build_body(plan, **settings), format="json")
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert {name: made[name] for name in settings} == settings
    assert (made["owner"], made["plan_name"], made["node"], made["state"]) == (
        "ada",
        "Playing",
        "played",
        "waiting",
    )
    assert api.get(f"/api/alerts/{made['id']}/").json() == made
    assert api.get("/api/alerts/").json()["results"] == [made]
    assert AuditEntry.objects.filter(act="alert.create", thing=made["id"]).exists()


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"node": "since"}, "node", "needs a bool"),
        ({"node": "nothing"}, "node", "has no node"),
        ({"template": "{user}"}, "template", "There is no field {user}"),
        ({"template": "{key"}, "template", "cannot be read"),
        ({"template": "{key.__class__}"}, "template", "There is no field"),
        ({"template": "{key!r:>999999999}"}, "template", "not possible here"),
        ({"labels": {str(index): "" for index in range(21)}}, "labels", "At most 20"),
        ({"labels": {"": "x"}}, "labels", "1 to 50 characters"),
        ({"severity": "dire"}, "severity", "dire"),
    ],
)
def test_what_cannot_be_is_refused_with_the_field(
    api: APIClient, plan: Plan, change: dict[str, Any], field: str, words: str
) -> None:
    answer = api.post("/api/alerts/", build_body(plan) | change, format="json")
    assert answer.status_code == 400, answer.content
    problems = answer.json()["problems"]
    assert any(problem["field"] == field for problem in problems), problems
    assert words in answer.content.decode()


def test_a_node_that_is_only_drawn_may_have_an_alert(api: APIClient, ada: User, player: Stream) -> None:
    drawn = create_plan(user=ada, name="Drawn", document=build_document(**NODES))
    assert api.post("/api/alerts/", build_body(drawn), format="json").status_code == 201
    refused = api.post("/api/alerts/", build_body(drawn, node="since"), format="json")
    assert "alert(temperature, above = 80)" in refused.json()["message"]


def test_settings_change_only_for_who_read_the_newest(api: APIClient, alert: Alert) -> None:
    address = f"/api/alerts/{alert.pk}/"
    tag = api.get(address)["ETag"]
    changed = api.patch(address, {"severity": "info"}, format="json", headers={"If-Match": tag})
    assert (changed.json()["severity"], changed.json()["version"], changed.json()["name"]) == (
        "info",
        2,
        "played",
    )
    again = api.patch(address, {"severity": "critical"}, format="json", headers={"If-Match": tag})
    assert again.status_code == 412
    assert api.get(address, headers={"If-None-Match": changed["ETag"]}).status_code == 304
    [entry] = AuditEntry.objects.filter(act="alert.change")
    assert (entry.before["severity"], entry.after["severity"]) == ("warning", "info")


def test_it_begins_with_what_is_known_and_follows_its_plan(
    api: APIClient, ada: User, plan: Plan, alert: Alert
) -> None:
    node = PlanNode.objects.get(plan=plan, name="played").node
    revise(node, "s1", [[None, False], [T, True]])
    revise(node, "s2", [[None, False], [T, True], [T + 9, False]])
    start_alerts()
    answer = api.get(f"/api/alerts/{alert.pk}/").json()
    assert (answer["state"], answer["digest"]) == ("firing" if node.newest else answer["state"], node.digest)
    spans = {
        incident["key"]: (incident["start"], incident["end"])
        for incident in api.get("/api/incidents/").json()["results"]
    }
    assert spans == {"s1": (T, None), "s2": (T, T + 9)}
    stop_plan(plan=plan, user=ada)
    start_alerts()
    assert Alert.objects.get().node_id == node.pk, "what was known stays while no plan runs it"


def test_the_state_says_how_it_is(api: APIClient, alert: Alert) -> None:
    def read_state() -> tuple[str, str]:
        [alert_row] = api.get("/api/alerts/").json()["results"]
        assert [alert_row["id"]] == [
            found_row["id"]
            for found_row in api.get(f"/api/alerts/?state={alert_row['state']}").json()["results"]
        ]
        return alert_row["state"], alert_row["words"]

    assert read_state() == ("waiting", "waits for its plan to run the node played")
    follow_plans()
    assert read_state() == ("waiting", "reads what is known of the node played")
    start_alerts()
    assert read_state() == ("quiet", "nothing is firing")
    alert.refresh_from_db()
    make_incident(alert, "d" * 64)
    assert read_state() == ("firing", "1 firing")
    Incident.objects.update(state="pending")
    assert read_state() == ("pending", "1 pending")
    assert api.get("/api/alerts/?q=is:firing").json()["results"] == []
    api.patch(f"/api/alerts/{alert.pk}/", {"enabled": False}, format="json")
    assert read_state() == ("disabled", "disabled")


def test_an_incident_is_acknowledged_assigned_and_commented_on(
    api: APIClient, alert: Alert, bob: User
) -> None:
    address = f"/api/incidents/{make_incident(alert, 'd' * 64).pk}/"
    assert api.post(address + "acknowledge/", {}, format="json").json()["acknowledged_by"] == "ada"
    assert api.post(address + "assign/", {"to": "bob"}, format="json").json()["assignee"] == "bob"
    answer = api.post(address + "comment/", {"text": "the fan is broken"}, format="json").json()
    assert [(note["kind"], note["text"]) for note in answer["notes"]] == [
        ("acknowledged", ""),
        ("assigned", "bob"),
        ("comment", "the fan is broken"),
    ]
    assert [(note["number"], note["kind"], note["state"]) for note in answer["history"]] == [
        (1, "begun", "firing")
    ]
    back = api.post(address + "acknowledge/", {"acknowledged": False}, format="json").json()
    assert (back["acknowledged_by"], back["acknowledged_at"]) == (None, None)
    assert AuditEntry.objects.filter(act="alert.incident").count() == 4


def test_nobody_is_assigned_who_may_not_look_at_the_plan(api: APIClient, alert: Alert, bob: User) -> None:
    Plan.objects.update(open_to_all=False)
    address = f"/api/incidents/{make_incident(alert, 'd' * 64).pk}/assign/"
    refused = api.post(address, {"to": "bob"}, format="json")
    assert (refused.status_code, refused.json()["problems"][0]["field"]) == (400, "to")


def test_firing_incidents_come_first(api: APIClient, alert: Alert) -> None:
    numbers = [make_incident(alert, "d" * 64, key=f"k{index}").pk for index in range(4)]
    alert.refresh_from_db()
    for number, state in zip(numbers, ("retracted", "firing", "resolved", "pending"), strict=True):
        Incident.objects.filter(pk=number).update(state=state)
    first = api.get("/api/incidents/?limit=2").json()
    rest = api.get(first["next"]).json()
    states = [incident["state"] for incident in first["results"] + rest["results"]]
    assert states == ["firing", "pending", "resolved", "retracted"]
    assert [
        incident["key"] for incident in api.get(f"/api/alerts/{alert.pk}/incidents/?key=k2").json()["results"]
    ] == ["k2"]


def test_whoever_loses_the_plan_sees_no_incidents_and_the_alert_is_disabled(
    api: APIClient, root: User, plan: Plan, bob: User
) -> None:
    from timeline_app.web.workspace.ended_rights import end_lost_rights

    alert = create_alert(user=bob, plan=plan, node="played", settings={"name": "mine"})
    make_incident(alert, "d" * 64)
    api.force_login(bob)
    assert len(api.get("/api/incidents/").json()["results"]) == 1
    Plan.objects.update(open_to_all=False)
    assert api.get("/api/incidents/").json()["results"] == []
    end_lost_rights()
    [answer] = api.get("/api/alerts/").json()["results"]
    assert (answer["enabled"], answer["state"]) == (False, "disabled")
    share_exactly(thing=plan, user=root, holder=bob, rights=[Right.READ])
    end_lost_rights()
    assert not Alert.objects.get().enabled, "somebody who may begins it again"


def test_a_quota_bounds_the_alerts_of_an_owner(api: APIClient, plan: Plan, settings: Settings) -> None:
    settings.QUOTAS = settings.QUOTAS | {"alerts": 1}
    assert api.post("/api/alerts/", build_body(plan), format="json").status_code == 201
    refused = api.post("/api/alerts/", build_body(plan), format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "quota_exceeded")


def test_a_team_that_gets_it_may_change_it(api: APIClient, alert: Alert, bob: User) -> None:
    crew = Group.objects.create(name="crew")
    bob.groups.add(crew)
    answer = api.post(f"/api/alerts/{alert.pk}/transfer/", {"kind": "team", "name": "crew"}, format="json")
    assert answer.json()["owner"] == "crew"
    api.force_login(bob)
    assert api.patch(f"/api/alerts/{alert.pk}/", {"name": "ours"}, format="json").status_code == 200


def test_a_list_asks_as_much_for_many_as_for_one(
    api: APIClient, ada: User, plan: Plan, alert: Alert, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for index in range(9):
        made = create_alert(user=ada, plan=plan, node="played", settings={"name": f"a{index}"})
        make_incident(made, "d" * 64)
    for address in ("/api/alerts/", "/api/incidents/"):
        with django_assert_max_num_queries(13):
            assert len(api.get(address).json()["results"]) >= 9


@pytest.mark.django_db(transaction=True)
async def test_the_bell_tells_how_many_are_firing_and_which_alerts_changed(
    ada: User, bob: User, player: Stream
) -> None:
    def prepare() -> Alert:
        drawn = create_plan(user=ada, name="Playing", document=build_document(**NODES))
        Plan.objects.update(open_to_all=False)
        return create_alert(user=ada, plan=drawn, node="played", settings={"name": "played"})

    def fire(alert: Alert) -> None:
        from django.db import transaction

        from timeline_app.web.alerts.notifications import notify_changed

        with transaction.atomic():
            make_incident(alert, "d" * 64)
            notify_changed({alert.pk})

    alert = await in_thread(prepare)()
    async with open_page(ada) as mine, open_page(bob) as other:
        for socket in (mine, other):
            await socket.say({"type": "bell"})
            assert await socket.hear("bell") == {"type": "bell", "firing": 0, "unacknowledged": 0}
        await in_thread(fire)(alert)
        assert await mine.hear("incidents") == {"type": "incidents", "alerts": [alert.pk]}
        assert await mine.hear("bell") == {"type": "bell", "firing": 1, "unacknowledged": 1}
        assert await other.silent(), "whoever may not look at the plan hears nothing"


def test_an_alert_follows_a_node_that_is_renamed(ada: User, plan: Plan, alert: Alert) -> None:
    start_alerts()
    since = {"op": "duration_where", "inputs": {"of": "watched"}}
    drawn = build_document(watched=has_existed(), calm=build_negation("watched"), since=since)
    plan.refresh_from_db()
    save_plan(plan=plan, user=ada, version=plan.version, name=None, document=drawn)
    start_alerts()
    alert.refresh_from_db()
    assert alert.node_name == "played", "what runs has the old name still"
    run_plan(plan=plan, user=ada, placement="isolated")
    start_alerts()
    alert.refresh_from_db()
    assert (alert.node_name, alert.node_id is None, alert.version) == ("watched", False, 2)


def test_old_incidents_go_and_firing_ones_stay(alert: Alert, settings: Settings) -> None:
    now = timezone.now()
    days = {"firing": 200, "resolved": 91, "retracted": 91, "pending": 200}
    numbers = {state: make_incident(alert, "d" * 64, key=state).pk for state in days}
    alert.refresh_from_db()
    for state, ago in days.items():
        at = int((now - timedelta(days=ago)).timestamp() * 10**6)
        Incident.objects.filter(pk=numbers[state]).update(state=state, changed_at=at, fired=True)
    recent = make_incident(alert, "d" * 64, key="recent").pk
    at = int((now - timedelta(days=2)).timestamp() * 10**6)
    Incident.objects.filter(pk=recent).update(state="retracted", changed_at=at, fired=True)
    assert remove_old_incidents(now) == 2
    left = set(Incident.objects.values_list("key", flat=True))
    assert left == {"firing", "pending", "recent"}
    Incident.objects.filter(pk=recent).update(fired=False)
    assert remove_old_incidents(now) == 1


def test_what_never_fired_is_in_no_list(api: APIClient, alert: Alert) -> None:
    number = make_incident(alert, "d" * 64).pk
    Incident.objects.filter(pk=number).update(state="retracted", fired=False)
    for address in ("/api/incidents/", f"/api/alerts/{alert.pk}/incidents/"):
        assert api.get(address).json()["results"] == []
    assert api.get(f"/api/incidents/{number}/").status_code == 200


def test_a_viewer_makes_no_alert(api: APIClient, plan: Plan, bob: User) -> None:
    bob.member.role = Role.VIEWER
    bob.member.save()
    api.force_login(bob)
    assert api.post("/api/alerts/", build_body(plan), format="json").status_code == 403


def test_firing_alerts_come_first_and_disabled_ones_last(api: APIClient, ada: User, plan: Plan) -> None:
    for settings in ({"name": "fires"}, {"name": "quiet"}, {"name": "disabled", "enabled": False}):
        create_alert(user=ada, plan=plan, node="played", settings=settings)
    start_alerts()
    make_incident(Alert.objects.get(name="fires"), "digest")
    rows = api.get("/api/alerts/").json()["results"]
    assert [row["name"] for row in rows] == ["fires", "quiet", "disabled"]
    assert [row["firing_since"] for row in rows] == [T, None, None]
    first = api.get("/api/alerts/?limit=1").json()
    assert [row["name"] for row in first["results"]] == ["fires"]
    assert api.get(first["next"]).json()["results"][0]["name"] == "quiet"


def test_incidents_of_nodes_and_a_key_are_asked_for_together(api: APIClient, alert: Alert) -> None:
    for digest, key in (("d1", "s1"), ("d2", "s1"), ("d3", "s1"), ("d1", "s2")):
        make_incident(alert, digest, key)
    answer = api.get("/api/incidents/?nodes=d1,d2&key=s1").json()["results"]
    assert sorted((incident["digest"], incident["key"]) for incident in answer) == [
        ("d1", "s1"),
        ("d2", "s1"),
    ]
    many = ",".join(f"d{n}" for n in range(101))
    refused = api.get(f"/api/incidents/?nodes={many}")
    assert (refused.status_code, refused.json()["problems"][0]["field"]) == (400, "nodes")


def test_a_summary_has_the_mean_times_of_a_stretch(api: APIClient, alert: Alert) -> None:
    def change(key: str, **fields: Any) -> Incident:
        number = make_incident(alert, "d", key).pk
        Incident.objects.filter(pk=number).update(fired=True, **fields)
        return Incident.objects.get(pk=number)

    def ask(**query: Any) -> dict[str, Any]:
        answer = api.get("/api/incidents/summary/", {"since": T, "until": T + 1000, **query})
        assert answer.status_code == 200, answer.content
        return dict(answer.json())

    change("s1", state="resolved", start=T, end=T + 100)
    change("s2", state="resolved", start=T + 10, end=T + 310)
    change("s3", state="resolved", start=T - 900, end=T - 100)
    change("s4", state="retracted", start=T, end=T + 900)
    known = timezone.now().replace(microsecond=0)
    at = known + timedelta(seconds=30)
    change("s5", start=T, known_at=round(known.timestamp()) * 1_000_000, acknowledged_at=at)
    body = ask()
    assert (body["began"], body["resolved"], body["resolve_mean"]) == (3, 2, 200)
    assert (body["acknowledged"], body["acknowledge_mean"], body["firing"]) == (1, 30_000_000, 1)
    assert ask(alert=alert.pk) == body
    assert ask(severity="critical") == ask(since=T + 2000, until=T + 3000, severity="critical")
    assert ask(severity="critical")["resolve_mean"] is None
    assert api.get("/api/incidents/summary/?since=0").status_code == 400
