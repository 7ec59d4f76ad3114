"""Silences and channels as the pages of alerts show them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.web.conftest import build_document, find_owner, has_existed
from tests.web.rights.world import make_incident
from timeline_app.web.alerts.channel_services import create_channel
from timeline_app.web.alerts.services import create_alert
from timeline_app.web.alerts.silence_services import create_silence
from timeline_app.web.core.errors import QuotaExceeded
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import set_sharing, transfer
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel, AlertNotification, AlertRoute, Silence
from timeline_app.web.plans.services import create_plan, run_plan

MODELS: dict[str, Any] = {"channels": AlertChannel, "silences": Silence}


@pytest.fixture
def plan(ada: User, player: Stream) -> Plan:
    drawn = create_plan(user=ada, name="Playing", document=build_document(played=has_existed()))
    return run_plan(plan=drawn, user=ada, placement="isolated")


@pytest.fixture
def alert(ada: User, plan: Plan) -> Alert:
    return create_alert(
        user=ada, plan=plan, node="played", settings={"name": "played", "labels": {"team": "video"}}
    )


def silence(user: User, alert: Alert | None = None, **settings: Any) -> int:
    ends = timezone.now() + timedelta(hours=1)
    return create_silence(
        user=user, alert=alert, settings={"reason": "Repair", "ends_at": ends, **settings}
    ).pk


def numbers(row: dict[str, Any]) -> set[int]:
    return {silence["id"] for silence in row["silences"]}


def test_an_alert_and_its_incidents_show_what_silences_them_now(
    api: APIClient, ada: User, bob: User, alert: Alert
) -> None:
    east, west = (make_incident(alert, "d", key).pk for key in ("east", "west"))
    whole = silence(ada, alert)
    some = silence(ada, alert, key="e*")
    labelled = silence(ada, label="team", label_value="video")
    silence(ada, label="team", label_value="audio")
    silence(ada, alert, begins_at=timezone.now() + timedelta(minutes=30))
    silence(bob)
    assert numbers(api.get(f"/api/alerts/{alert.pk}/").json()) == {whole, some, labelled}
    assert numbers(api.get(f"/api/incidents/{east}/").json()) == {whole, some, labelled}
    [answer] = [row for row in api.get("/api/incidents/").json()["results"] if row["id"] == west]
    assert numbers(answer) == {whole, labelled}
    assert {row["reason"] for row in answer["silences"]} == {"Repair"}
    api.delete(f"/api/silences/{whole}/")
    assert numbers(api.get(f"/api/incidents/{west}/").json()) == {labelled}


def test_silences_are_listed_by_state_and_alert(api: APIClient, ada: User, alert: Alert) -> None:
    now, over = silence(ada, alert), silence(ada)
    coming = silence(ada, begins_at=timezone.now() + timedelta(minutes=30))
    api.delete(f"/api/silences/{over}/")

    def listed(**query: Any) -> dict[int, str]:
        return {row["id"]: row["state"] for row in api.get("/api/silences/", query).json()["results"]}

    assert listed() == {now: "now", coming: "coming", over: "past"}
    for number, state in listed().items():
        assert listed(state=state) == {number: state}
    assert listed(alert=alert.pk) == {now: "now"}
    assert api.get(f"/api/silences/{now}/").json()["alert_name"] == "played"
    assert api.get("/api/silences/?state=later").status_code == 400


def test_a_channel_says_who_uses_it_and_what_waits(api: APIClient, ada: User, alert: Alert) -> None:
    channel = create_channel(user=ada, name="On call", kind="mail", options={"to": "a@example.org"})
    other = create_channel(user=ada, name="Other", kind="mail", options={"to": "a@example.org"})
    api.patch(f"/api/alerts/{alert.pk}/", {"channels": [channel.pk]}, format="json")
    another = create_alert(user=ada, plan=alert.plan, node="played", settings={"name": "again"})
    api.patch(f"/api/alerts/{another.pk}/", {"channels": [channel.pk]}, format="json")
    for route in AlertRoute.objects.all():
        AlertNotification.objects.create(route=route, number=1, body={})
        AlertNotification.objects.create(route=route, number=2, body={}, sent_at=timezone.now())
    answer = api.get(f"/api/channels/{channel.pk}/").json()
    oldest = AlertNotification.objects.earliest("made_at").made_at
    assert (answer["alerts"], answer["waiting"], answer["waiting_since"]) == (2, 2, oldest.isoformat())
    unused = api.get(f"/api/channels/{other.pk}/").json()
    assert (unused["alerts"], unused["waiting"], unused["waiting_since"]) == (0, 0, None)
    names = [row["name"] for row in api.get(f"/api/alerts/?channel={channel.pk}").json()["results"]]
    assert sorted(names) == ["again", "played"]
    assert api.get(f"/api/alerts/?channel={other.pk}").json()["results"] == []


def test_alerts_and_incidents_are_found(api: APIClient, ada: User, bob: User, alert: Alert) -> None:
    incident = make_incident(alert, "d", "east").pk
    other = create_alert(user=ada, plan=alert.plan, node="played", settings={"name": "other"})
    silence(ada, label="team", label_value="video")
    silence(bob)

    def find_identities(q: str) -> set[tuple[str, str]]:
        answer = api.get("/api/search/", {"q": q})
        assert answer.status_code == 200, answer.content
        return {(row["kind"], row["id"]) for row in answer.json()["results"]}

    both = {("alert", str(alert.pk)), ("incident", str(incident))}
    assert find_identities("is:firing") == both
    assert find_identities("is:silenced severity:warning") == both
    assert find_identities("east") == {("incident", str(incident))}
    assert find_identities("-is:silenced severity:warning owner:me") == {("alert", str(other.pk))}
    assert find_identities("severity:critical") == set()
    listed = api.get("/api/incidents/", {"q": "played is:firing"}).json()["results"]
    assert [alert_row["id"] for alert_row in listed] == [incident]
    wrong = api.get("/api/search/", {"q": "severity:high"}).json()["problems"][0]
    assert (wrong["code"], wrong["field"]) == ("unknown_severity", "q")


@pytest.mark.parametrize("noun", ["channels", "silences"])
def test_quotas_bound_channels_and_silences_of_a_person_and_a_team(
    api: APIClient, ada: User, settings: Settings, noun: str
) -> None:
    settings.QUOTAS = settings.QUOTAS | {noun: 1}
    crew = Group.objects.create(name="crew")
    ada.groups.add(crew)
    bodies = {
        "channels": {"name": "On call", "kind": "mail", "options": {"to": "ada@example.org"}},
        "silences": {"reason": "Repair", "ends_at": (timezone.now() + timedelta(hours=1)).isoformat()},
    }

    def create() -> Any:
        return api.post(f"/api/{noun}/", bodies[noun], format="json")

    def give(number: int) -> int:
        return transfer(things=[MODELS[noun].objects.get(pk=number)], user=ada, to=crew)

    first = create().json()["id"]
    refused = create()
    assert (refused.status_code, refused.json()["code"]) == (409, "quota_exceeded")
    assert f"ada would have 2 {noun}; at most 1 are possible." in refused.json()["message"]
    assert give(first) == 1
    second = create().json()["id"]
    with pytest.raises(QuotaExceeded, match=f"The team crew would have 2 {noun}"):
        give(second)


def share_with(alert: Alert, user: User, *rights: Right) -> None:
    set_sharing(
        thing=alert.plan, user=find_owner(alert), is_open=False, rights_by_holder={user: frozenset(rights)}
    )


def test_a_silence_of_somebody_else_ends_with_the_right_to_operate_the_alert(
    api: APIClient, ada: User, bob: User, bobs: APIClient, alert: Alert
) -> None:
    incident = make_incident(alert, "d", "east").pk
    share_with(alert, bob, Right.READ, Right.OPERATE)
    other_silence = silence(bob, alert, key="east")
    assert numbers(api.get(f"/api/incidents/{incident}/").json()) == {other_silence}
    share_with(alert, bob, Right.READ)
    assert numbers(api.get(f"/api/incidents/{incident}/").json()) == set()
    share_with(alert, bob, Right.READ, Right.OPERATE)
    assert numbers(api.get(f"/api/incidents/{incident}/").json()) == {other_silence}
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert numbers(api.get(f"/api/incidents/{incident}/").json()) == set()


def test_the_owner_of_an_alert_ends_each_of_its_silences(
    api: APIClient, ada: User, bob: User, bobs: APIClient, alert: Alert
) -> None:
    share_with(alert, bob, Right.READ, Right.OPERATE)
    own_silence, other_silence = silence(ada, alert), silence(bob, alert)
    assert bobs.delete(f"/api/silences/{own_silence}/").status_code == 403
    assert api.delete(f"/api/silences/{other_silence}/").status_code == 204
    assert numbers(api.get(f"/api/alerts/{alert.pk}/").json()) == {own_silence}


def test_readers_of_an_alert_do_not_see_why_its_owner_silences_all_alerts(
    api: APIClient, ada: User, bob: User, bobs: APIClient, alert: Alert
) -> None:
    general = silence(ada, key="ea*", reason="Outage of a customer")
    own_silence = silence(ada, alert, key="east", reason="Repair")
    incident = make_incident(alert, "d", "east").pk
    for address in (f"/api/alerts/{alert.pk}/", f"/api/incidents/{incident}/"):
        shown = {row["id"]: (row["key"], row["reason"]) for row in bobs.get(address).json()["silences"]}
        assert shown == {general: ("", ""), own_silence: ("east", "Repair")}
        reasons = {row["id"]: row["reason"] for row in api.get(address).json()["silences"]}
        assert reasons == {general: "Outage of a customer", own_silence: "Repair"}
