"""Persons and teams over REST: found by everybody, made and changed by administrators, and their passwords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils.html import escape
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from timeline_app.web.core import notifications
from timeline_app.web.core.errors import Missing, NotYours
from timeline_app.web.core.sharing import delete_person, set_role, transfer
from timeline_app.web.models import Plan
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.people.services import (
    change_password,
    change_team,
    delete_team,
    reset_password,
    set_active,
    set_teams,
)
from timeline_app.web.people.token_services import create_token, revoke_token, revoke_token_of
from timeline_app.web.workspace import transfer_api

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("post", "/api/people/", {"name": "new"}),
    ("put", "/api/people/bob/", {"role": "viewer"}),
    ("delete", "/api/people/bob/", {}),
    ("post", "/api/people/bob/password/", {}),
    ("post", "/api/people/bob/transfer/", {"name": "root"}),
    ("post", "/api/teams/", {"name": "new"}),
    ("put", "/api/teams/viewing/", {"members": []}),
    ("delete", "/api/teams/viewing/", {}),
    ("post", "/api/teams/viewing/transfer/", {"name": "bob"}),
]


@pytest.fixture
def team(bob: User) -> Group:
    team = Group.objects.create(name="viewing")
    bob.groups.add(team)
    return team


def get_new_person(roots: APIClient, **body: Any) -> dict[str, Any]:
    """A person who was just made."""
    answer = roots.post("/api/people/", {"name": "new", **body}, format="json")
    assert answer.status_code == 201, answer.json()
    document: dict[str, Any] = answer.json()
    return document


@pytest.mark.parametrize(("method", "address", "body"), CALLS)
def test_only_administrators_change_persons_and_teams(
    api: APIClient, bob: User, root: User, team: Group, method: str, address: str, body: dict[str, Any]
) -> None:
    people, entries = User.objects.count(), AuditEntry.objects.count()
    answer = getattr(api, method)(address, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "role_too_small")
    operator = User.objects.create_user("otto", is_staff=True)
    assert getattr(log_in_client(operator), method)(address, body, format="json").status_code == 403
    assert (User.objects.count(), AuditEntry.objects.count()) == (people + 1, entries)


def test_everybody_finds_names_and_administrators_more(api: APIClient, roots: APIClient, bob: User) -> None:
    User.objects.create_user("gone", is_active=False)
    answer = {result["name"]: result for result in api.get("/api/people/").json()["results"]}
    assert set(answer) == {"ada", "bob", "root"}
    assert set(answer["bob"].values()) == {"bob", None}
    assert answer["ada"]["role"] == "editor"
    everybody = {result["name"]: result for result in roots.get("/api/people/").json()["results"]}
    assert everybody["gone"]["active"] is False
    assert everybody["root"]["role"] == "admin"
    assert [result["name"] for result in api.get("/api/people/?search=OB").json()["results"]] == ["bob"]


def test_what_somebody_owns_is_counted_in_as_many_queries_however_many_there_are(
    roots: APIClient, plan: Plan, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        User.objects.create_user(f"p{number}")
    with django_assert_max_num_queries(14):
        answer = {result["name"]: result for result in roots.get("/api/people/").json()["results"]}
    assert answer["ada"]["owns"] == {"plan": 1, "node": 0, "stream": 1, "dashboard": 0, "sample": 0}
    with django_assert_max_num_queries(14):
        roots.get("/api/teams/")


def test_who_is_made_comes_in_once_with_the_password_that_was_shown_and_chooses_another(
    roots: APIClient, team: Group
) -> None:
    answer = get_new_person(roots, role="operator", teams=["viewing"])
    assert (answer["role"], answer["teams"], answer["must_change"]) == ("operator", ["viewing"], True)
    assert answer["password"] not in roots.get("/api/people/new/").content.decode()
    browser = Client()
    login = {"username": "new", "password": answer["password"]}
    assert browser.post("/login/", login).status_code == 302
    assert browser.get("/").headers["Location"] == "/password/"
    for address in ("/admin/", "/people/", "/admin/password_change/"):
        assert browser.get(address).headers["Location"] == f"/password/?next={address}"
    refused = browser.get("/api/plans/")
    assert (refused.status_code, refused.json()["code"]) == (403, "password_must_change")
    basic = browser.get("/api/plans/", headers={"Authorization": "Basic eDp5"})
    assert (basic.status_code, basic.json()["code"]) == (403, "password_must_change")
    assert browser.get("/admin/", headers={"Authorization": "Token x"}).headers["Location"] == (
        "/password/?next=/admin/"
    )
    form = {
        "new_password1": "purple horses",
        "new_password2": "purple horses",
    }
    page = browser.get("/password/").content.decode()
    assert "for one login" in page
    assert "old_password" not in page, "it was typed a moment ago"
    assert browser.post("/password/", form).headers["Location"] == "/"
    assert browser.get("/api/plans/").status_code == 200
    assert Client().post("/login/", login).status_code == 200
    assert not User.objects.get(username="new").member.must_change
    assert list(AuditEntry.objects.values_list("act", flat=True)[:2]) == ["person.password", "person.create"]


@pytest.mark.parametrize(
    ("wanted", "reached"),
    [
        ("/admin/", "/admin/"),
        ("/?q=owner:me&page=2", "/?q=owner:me&page=2"),
        ("http://testserver/streams/", "http://testserver/streams/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("http:evil.example", "/"),
        ("javascript:alert(1)", "/"),
        (" //evil.example", "/"),
        ("\0/admin/", "/"),
        ("http://testserver@evil.example/", "/"),
        ("", "/"),
    ],
)
def test_who_had_to_change_the_password_goes_on_to_an_address_of_ours_only(
    ada: User, wanted: str, reached: str
) -> None:
    change_password(user=ada, password="difference engine")
    browser = Client()
    browser.force_login(ada)
    page = browser.get("/password/", {"next": wanted}).content.decode()
    assert f'name="next" value="{escape(reached)}"' in page
    new = {"new_password1": "purple horses", "new_password2": "purple horses"}
    form = {"old_password": "difference engine", "next": wanted, **new}
    assert browser.post("/password/", form).headers["Location"] == reached


def test_who_keeps_the_password_for_one_login_is_refused_and_does_not_lose_the_way(
    roots: APIClient, ada: User
) -> None:
    password = roots.post("/api/people/ada/password/").json()["password"]
    browser = Client()
    login = {"username": "ada", "password": password, "next": "/streams/?q=a+b"}
    assert browser.post("/login/", login).headers["Location"] == "/streams/?q=a+b"
    page = browser.get("/streams/?q=a+b").headers["Location"]
    form = {"new_password1": password, "new_password2": password}
    again = browser.post(page, form)
    assert (again.status_code, again.context["next"]) == (200, "/streams/?q=a+b")
    assert browser.post("/streams/", {}).headers["Location"] == "/password/"
    new = {"new_password1": "purple horses", "new_password2": "purple horses"}
    form = new | {"next": again.context["next"]}
    assert browser.post("/password/", form).headers["Location"] == "/streams/?q=a+b"


def test_a_person_is_changed_in_everything_or_in_nothing(roots: APIClient, root: User, ada: User) -> None:
    roots.put("/api/people/ada/", {"role": "admin"}, format="json")
    entries = AuditEntry.objects.count()
    answer = roots.put("/api/people/root/", {"role": "operator", "active": False}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "yourself")
    root.refresh_from_db()
    assert (root.is_superuser, root.is_active, root.member.role) == (True, True, "admin")
    assert AuditEntry.objects.count() == entries


def test_a_forgotten_password_is_made_anew_and_ends_the_sessions(roots: APIClient, ada: User) -> None:
    browser = Client()
    browser.post("/login/", {"username": "ada", "password": "difference engine"})
    assert browser.get("/api/me/").status_code == 200
    password = roots.post("/api/people/ada/password/").json()["password"]
    assert browser.get("/api/me/").status_code == 401
    assert browser.post("/login/", {"username": "ada", "password": password}).headers["Location"] == "/"
    assert browser.get("/").headers["Location"] == "/password/"
    assert roots.post("/api/people/root/password/").json()["code"] == "yourself"


def test_ones_own_password_is_changed_and_only_other_sessions_end(ada: User) -> None:
    here, other_browser = Client(), Client()
    for browser in (here, other_browser):
        browser.post("/login/", {"username": "ada", "password": "difference engine"})
    body = {"old": "difference engine", "new": "purple horses"}
    answer = here.post("/api/me/password/", body, content_type="application/json")
    assert answer.status_code == 204, answer.content
    assert here.get("/api/me/").status_code == 200
    assert other_browser.get("/api/me/").status_code == 401


def test_pages_look_after_a_change_only_when_the_browser_has_its_new_session(
    api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another tab that asked for the login with the old one would have both forgotten."""
    begun, woken = list[tuple[float, Callable[[], None]]](), list[bool]()

    class Later:
        daemon = False

        def __init__(self, seconds: float, act: Callable[[], None]) -> None:
            self.told = (seconds, act)

        def start(self) -> None:
            begun.append(self.told)

    monkeypatch.setattr("timeline_app.web.core.notifications.threading.Timer", Later)
    monkeypatch.setattr(notifications, "send_access", lambda: woken.append(True))
    body = {"old": "difference engine", "new": "purple horses"}
    assert api.post("/api/me/password/", body, format="json").status_code == 204
    [(seconds, act)] = begun
    assert (seconds, woken) == (notifications.ACCESS_DELAY_S, [])
    act()
    assert woken == [True]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "old"),
        ({"old": "difference engine"}, "new"),
        ({"old": "wrong", "new": "purple horses"}, "old"),
        ({"old": "difference engine", "new": "short"}, "new"),
        ({"old": "difference engine", "new": "password"}, "new"),
        ({"old": "difference engine", "new": ""}, "new"),
        ({"old": "difference engine", "new": None}, "new"),
        ({"old": "difference engine", "new": ["a"]}, "new"),
        ({"old": 7, "new": "purple horses"}, "old"),
        ({"old": "difference engine", "new": "x" * 5000}, "new"),
    ],
)
def test_a_bad_password_is_refused_by_field(api: APIClient, ada: User, body: Any, field: str) -> None:
    answer = api.post("/api/me/password/", body, format="json")
    assert answer.status_code == 400
    assert field in {problem["field"] for problem in answer.json()["problems"]}
    assert User.objects.get(pk=ada.pk).check_password("difference engine")


def test_no_token_changes_a_password(api: APIClient, ada: User) -> None:
    _, text = create_token(user=ada, name="t", scopes=["admin"])
    program = APIClient()
    program.credentials(HTTP_AUTHORIZATION=f"Token {text}")
    body = {"old": "difference engine", "new": "purple horses"}
    assert program.post("/api/me/password/", body, format="json").json()["code"] == "needs_login"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "a/b"},
        {"name": "with space"},
        {"name": "x" * 151},
        {"name": "me"},
        {"name": ".."},
        {"name": None},
        {"name": ["a"]},
        {"name": "fine", "role": "king"},
        {"name": "fine", "teams": ["nowhere"]},
        {"name": "fine", "teams": "viewing"},
    ],
)
def test_a_person_who_cannot_be_is_not_made(roots: APIClient, body: Any) -> None:
    answer = roots.post("/api/people/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) in ((400, "invalid"), (400, "unknown_team"))
    assert answer.json()["problems"]
    assert User.objects.count() == 1


def test_nobody_is_made_twice_whatever_the_case(roots: APIClient, bob: User) -> None:
    assert roots.post("/api/people/", {"name": "BOB"}, format="json").json()["code"] == "taken"


def test_a_person_is_changed(roots: APIClient, bob: User, team: Group) -> None:
    body = {"role": "viewer", "active": False, "teams": [], "reason": "he left"}
    answer = roots.put("/api/people/bob/", body, format="json").json()
    assert (answer["role"], answer["active"], answer["teams"]) == ("viewer", False, [])
    queryset = AuditEntry.objects.filter(kind="person", thing=bob.pk)
    assert {(item.act, item.reason) for item in queryset} == {
        ("person.role", "he left"), ("person.active", "he left"), ("person.teams", "he left"),
    }  # fmt: skip
    assert Client().post("/login/", {"username": "bob", "password": "another engine"}).status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"active": False}, "yourself"),
        ({"role": "viewer"}, "last_admin"),
        ({"role": ""}, "invalid"),
        ({"active": "perhaps"}, "invalid"),
        ({"teams": ["nowhere"]}, "unknown_team"),
        ({"teams": 7}, "invalid"),
        ({"role": "viewer", "teams": ["nowhere"]}, "unknown_team"),
        ({"reason": "x" * 501}, "invalid"),
        ({"role": None}, "invalid"),
        ({"active": None}, "invalid"),
    ],
)
def test_a_change_that_cannot_be_changes_nothing(roots: APIClient, root: User, body: Any, code: str) -> None:
    answer = roots.put("/api/people/root/", body, format="json")
    assert answer.status_code in (400, 409)
    assert answer.json()["code"] == code
    assert (User.objects.get().member.role, User.objects.get().is_active) == (Role.ADMIN, True)


def test_who_owns_something_is_deleted_when_somebody_gets_it(
    roots: APIClient, ada: User, bob: User, plan: Plan
) -> None:
    refused = roots.delete("/api/people/ada/")
    assert (refused.status_code, refused.json()["code"]) == (409, "owns_things")
    body: dict[str, Any] = {"to": {"kind": "person", "name": "nobody"}}
    assert roots.delete("/api/people/ada/", body, format="json").json()["code"] == "unknown_person"
    body = {"to": {"name": "bob"}, "reason": "she left"}
    assert roots.delete("/api/people/ada/", body, format="json").status_code == 204
    plan.refresh_from_db()
    assert plan.owner == bob
    assert {audit_entry.reason for audit_entry in AuditEntry.objects.filter(reason__gt="")} == {"she left"}
    assert roots.get("/api/people/ada/").status_code == 404


def test_all_of_a_persons_things_go_at_once(roots: APIClient, bob: User, plan: Plan, team: Group) -> None:
    body = {"kind": "team", "name": "viewing", "reason": "a new project"}
    answer = roots.post("/api/people/ada/transfer/", body, format="json").json()
    assert answer == {"owner": "viewing", "owner_kind": "team", "transferred": 2}
    back = roots.post("/api/teams/viewing/transfer/", {"name": "bob"}, format="json").json()
    assert back == {"owner": "bob", "owner_kind": "person", "transferred": 2}


def test_teams_are_made_changed_and_deleted(roots: APIClient, bob: User, ada: User, plan: Plan) -> None:
    answer = roots.post("/api/teams/", {"name": "Video QA", "members": ["bob"]}, format="json")
    assert (answer.status_code, answer.json()["members"]) == (201, ["bob"])
    changed = roots.put(
        "/api/teams/Video QA/", {"name": "qa", "members": ["ada", "bob"]}, format="json"
    ).json()
    assert (changed["name"], changed["members"]) == ("qa", ["ada", "bob"])
    body = {"kind": "team", "name": "qa"}
    assert roots.post(f"/api/plans/{plan.pk}/transfer/", body, format="json").status_code == 200
    assert roots.delete("/api/teams/qa/").json()["code"] == "owns_things"
    roots.post("/api/teams/qa/transfer/", {"name": "ada"}, format="json")
    assert roots.delete("/api/teams/qa/", {"reason": "done"}, format="json").status_code == 204
    assert roots.get("/api/teams/").json()["results"] == []
    acts = AuditEntry.objects.filter(kind="team").values_list("act", flat=True)
    assert list(acts) == ["team.delete", "team.change", "team.create"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": " "},
        {"name": "a/b"},
        {"name": "a\nb"},
        {"name": "."},
        {"name": "me"},
        {"name": "x" * 151},
        {"name": ["a"]},
        {"name": "viewing", "members": "bob"},
        {"name": "viewing", "members": ["nobody"]},
        {"name": "viewing", "members": [None]},
    ],
)
def test_a_team_that_cannot_be_is_not_made(roots: APIClient, body: Any) -> None:
    answer = roots.post("/api/teams/", body, format="json")
    assert answer.status_code == 400
    assert answer.json()["problems"]
    assert not Group.objects.exists()


@pytest.mark.parametrize("address", ["/api/people/x/", "/api/teams/x/", "/api/people/x/audit/"])
def test_who_is_not_there_is_not_there(roots: APIClient, address: str) -> None:
    assert roots.get(address).status_code == 404


def test_who_was_deleted_meanwhile_is_refused_and_no_fault(root: User, bob: User) -> None:
    User.objects.get(pk=bob.pk).delete()
    acts: tuple[Callable[[], object], ...] = (
        lambda: set_role(person=bob, user=root, role=Role.OPERATOR),
        lambda: set_active(person=bob, user=root, active=False),
        lambda: reset_password(person=bob, user=root),
        lambda: set_teams(person=bob, user=root, teams=[]),
        lambda: change_password(user=bob, password="another engine"),
        lambda: create_token(user=bob, name="t", scopes=["read"]),
    )
    for act in acts:
        with pytest.raises(Missing, match="deleted in the meantime"):
            act()


def test_a_team_or_a_token_that_went_meanwhile_is_refused_and_no_fault(
    root: User, bob: User, team: Group
) -> None:
    token, _ = create_token(user=bob, name="t", scopes=["read"])
    Group.objects.filter(pk=team.pk).delete()
    revoke_token(user=bob, number=token.pk)
    acts: tuple[Callable[[], object], ...] = (
        lambda: change_team(team=team, user=root, name="other", members=None),
        lambda: delete_team(team=team, user=root),
        lambda: revoke_token_of(token=token, user=root),
    )
    entries = AuditEntry.objects.count()
    for act in acts:
        with pytest.raises(Missing, match="in the meantime"):
            act()
    assert AuditEntry.objects.count() == entries


@pytest.mark.django_db(transaction=True)
def test_nothing_goes_to_who_was_deleted_while_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    root = User.objects.create_user("root", is_superuser=True)
    bob, plan = User.objects.create_user("bob"), Plan.objects.create(name="x", document={}, owner=root)

    def transfer_slowly(**value: Any) -> int:
        delete_person(person=User.objects.get(pk=bob.pk), user=root)
        return transfer(**value)

    monkeypatch.setattr(transfer_api, "transfer", transfer_slowly)
    answer = log_in_client(root).post(f"/api/plans/{plan.pk}/transfer/", {"name": "bob"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_person")
    assert Plan.objects.get().owner == root


def test_of_two_administrators_who_remove_each_other_one_is_too_late(
    root: User, ada: User, bob: User
) -> None:
    for item in (ada, bob):
        set_role(person=item, user=root, role=Role.ADMIN)
    first, second = User.objects.get(pk=ada.pk), User.objects.get(pk=bob.pk)
    set_role(person=second, user=first, role=Role.VIEWER)
    acts: tuple[Callable[[], object], ...] = (
        lambda: set_role(person=first, user=second, role=Role.VIEWER),
        lambda: set_active(person=first, user=second, active=False),
        lambda: delete_person(person=first, user=second),
    )
    for act in acts:
        with pytest.raises(NotYours):
            act()


def test_a_socket_of_a_token_that_an_administrator_ends_is_told_at_once(
    root: User, ada: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    answer = list[bool]()
    monkeypatch.setattr(notifications, "send_access", lambda: answer.append(True))
    token, _ = create_token(user=ada, name="live", scopes=["read"])
    with django_capture_on_commit_callbacks(execute=True):
        revoke_token_of(token=token, user=root)
    assert answer
