"""Two people do at the same moment what only one can: who is second is told so in words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connections

from tests.web.conftest import log_in_client
from timeline_app.web.admin import base
from timeline_app.web.core import sharing, transactions
from timeline_app.web.models import Plan
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.people import api as api_people
from timeline_app.web.people import services as people_services

pytestmark = pytest.mark.django_db(transaction=True)
MEANWHILE = "was deleted in the meantime"


@pytest.fixture
def admins(transactional_db: None) -> list[User]:
    return [User.objects.create_superuser(name) for name in ("root", "rita")]


def run_together(*jobs: Callable[[], Any]) -> list[Any]:
    """What each answers, all begun at once, each with a connection of its own."""
    start, values = threading.Barrier(len(jobs)), list[Any]()

    def run_alone(job: Callable[[], Any]) -> None:
        start.wait()
        values.append(job())
        connections.close_all()

    threads = [threading.Thread(target=run_alone, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return values


@pytest.fixture
def simultaneous_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """None writes a name before the other has looked whether it is free, where the database lets both look."""
    looked, once = threading.Barrier(2), transactions.refuse_taken_name

    @contextmanager
    def late(words: str) -> Iterator[None]:
        with suppress(threading.BrokenBarrierError):
            looked.wait(0.5)
        with once(words):
            yield

    monkeypatch.setattr(people_services, "refuse_taken_name", late)


@pytest.mark.parametrize("kind", ["people", "teams"])
@pytest.mark.usefixtures("simultaneous_checks")
def test_of_two_who_make_the_same_name_one_is_told_that_it_is_taken(admins: list[User], kind: str) -> None:
    clients = [log_in_client(admin) for admin in admins]
    jobs = [
        lambda item=client: item.post(f"/api/{kind}/", {"name": "new"}, format="json") for client in clients
    ]
    answers = sorted(run_together(*jobs), key=lambda item: int(item.status_code))
    assert [answer.status_code for answer in answers] == [201, 409]
    assert (answers[1].json()["code"], "already" in answers[1].json()["message"]) == ("taken", True)
    assert AuditEntry.objects.count() == 1


@pytest.mark.usefixtures("simultaneous_checks")
def test_of_two_teams_that_get_the_same_name_one_keeps_its_own(admins: list[User]) -> None:
    teams = [Group.objects.create(name=name) for name in ("one", "two")]
    jobs = [
        lambda admin=admin, team=team: log_in_client(admin).put(
            f"/api/teams/{team.name}/", {"name": "same"}, format="json"
        )
        for admin, team in zip(admins, teams, strict=True)
    ]
    answers = run_together(*jobs)
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert Group.objects.filter(name="same").count() == 1


def delete_before(team: Group, by: User, then: Callable[..., Any]) -> Callable[..., Any]:
    """Before `then`, somebody else deletes the team, in a request of their own."""

    def run_late(**value: Any) -> Any:
        [gone] = run_together(lambda: log_in_client(by).delete(f"/api/teams/{team.name}/"))
        assert gone.status_code == 204
        return then(**value)

    return run_late


def test_a_team_that_is_deleted_while_it_gets_something_gets_nothing_and_the_admin_page_says_so(
    admins: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    team, plan = Group.objects.create(name="qa"), Plan.objects.create(name="x", document={}, owner=admins[0])
    monkeypatch.setattr(base, "transfer", delete_before(team, admins[1], sharing.transfer))
    form = {"action": "transfer", "_selected_action": [plan.pk], "apply": "1", "team": team.pk}
    answer = log_in_client(admins[0]).post("/admin/web/plan/", form, follow=True)
    page = answer.content.decode()
    assert (answer.status_code, "Nothing was transferred." in page, MEANWHILE in page) == (200, True, True)
    assert Plan.objects.get().owner == admins[0]
    assert not AuditEntry.objects.filter(act="plan.transfer").exists()


def test_a_team_that_is_deleted_while_a_person_is_put_into_it_is_told_in_words(
    admins: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    team, bob = Group.objects.create(name="qa"), User.objects.create_user("bob")
    monkeypatch.setattr(
        api_people, "change_person", delete_before(team, admins[1], people_services.change_person)
    )
    answer = log_in_client(admins[0]).put("/api/people/bob/", {"teams": ["qa"]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "changed_meanwhile")
    assert not bob.groups.exists()
