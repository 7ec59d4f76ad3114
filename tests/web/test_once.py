"""`Idempotency-Key`: a POST that is sent again is done once, and answered alike."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from timeline_app.web.core.idempotency_keys import delete_old_answers
from timeline_app.web.models import Dashboard, Plan, Stream
from timeline_app.web.models.idempotency import KeptAnswer
from timeline_app.web.models.tokens import ApiToken
from timeline_app.web.people.token_services import create_token
from timeline_app.web.plans import services as plan_services

BODY = {"name": "Board"}


def post(api: APIClient, address: str, body: Any, key: str = "k1") -> Any:
    return api.post(f"/api/{address}", body, format="json", headers={"Idempotency-Key": key})


def test_sent_again_it_is_done_once_and_answered_alike(api: APIClient) -> None:
    first, second = post(api, "dashboards/", BODY), post(api, "dashboards/", BODY)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert Dashboard.objects.count() == 1


def test_another_key_is_another_request(api: APIClient) -> None:
    assert post(api, "dashboards/", BODY, "a").json() != post(api, "dashboards/", BODY, "b").json()
    assert Dashboard.objects.count() == 2


def test_without_a_key_everything_is_done_each_time(api: APIClient) -> None:
    for _ in range(2):
        api.post("/api/dashboards/", BODY, format="json")
    assert (Dashboard.objects.count(), KeptAnswer.objects.count()) == (2, 0)


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("dashboards/", {"name": "Other"}),
        ("plans/", BODY),
        ("dashboards/?format=json", BODY),
        ("dashboards/", {}),
    ],
)
def test_a_key_that_comes_with_something_else_is_refused(api: APIClient, address: str, body: Any) -> None:
    post(api, "dashboards/", BODY)
    answer = post(api, address, body)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert (Dashboard.objects.count(), Plan.objects.count()) == (1, 0)


def test_the_keys_of_one_person_are_not_those_of_another(api: APIClient, bobs: APIClient) -> None:
    assert post(api, "dashboards/", BODY).json()["owner"] == "ada"
    assert post(bobs, "dashboards/", BODY).json()["owner"] == "bob"


def test_a_refusal_is_kept_as_well_and_does_nothing(api: APIClient, plan: Plan) -> None:
    Plan.objects.update(document={"version": 1, "nodes": {"a": {"op": "none"}}})
    first = post(api, f"plans/{plan.pk}/run/", {})
    assert (first.status_code, first.json()["code"]) == (422, "plan_refused")
    Plan.objects.update(document=plan.document)
    second = post(api, f"plans/{plan.pk}/run/", {})
    assert (second.status_code, second.json()) == (422, first.json())
    assert post(api, f"plans/{plan.pk}/run/", {}, "another").status_code == 200


def test_what_was_our_own_fault_is_not_kept(
    api: APIClient, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_broken(*_: Any, **__: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(plan_services, "attach_nodes", raise_broken)
        assert post(api, f"plans/{plan.pk}/run/", {}).status_code == 500
    assert not KeptAnswer.objects.exists()
    assert post(api, f"plans/{plan.pk}/run/", {}).status_code == 200


def test_who_may_not_call_leaves_no_answer(api: APIClient, nobody: APIClient, ada: User) -> None:
    assert post(nobody, "dashboards/", BODY).status_code == 401
    _, text = create_token(user=ada, name="reader", scopes=["read"])
    nobody.credentials(HTTP_AUTHORIZATION=f"Token {text}")
    assert post(nobody, "dashboards/", BODY).status_code == 403
    assert not KeptAnswer.objects.exists()
    assert post(api, "dashboards/", BODY).status_code == 201


def test_tokens_are_never_kept(api: APIClient) -> None:
    body = {"name": "ci", "scopes": ["read"]}
    assert post(api, "tokens/", body).json()["token"] != post(api, "tokens/", body).json()["token"]
    assert (ApiToken.objects.count(), KeptAnswer.objects.count()) == (2, 0)


def test_passwords_for_one_login_are_never_kept(roots: APIClient, ada: User) -> None:
    items = [post(roots, "people/ada/password/", {}).json()["password"] for _ in range(2)]
    assert items[0] != items[1]
    assert post(roots, "people/", {"name": "new"}).status_code == 201
    assert post(roots, "people/", {"name": "new"}).json()["code"] == "taken"
    post(roots, "me/password/", {"old": "a password", "new": "another password"})
    assert not KeptAnswer.objects.exists()


def test_calls_that_only_answer_need_no_key(api: APIClient, player: Stream) -> None:
    assert post(api, "plans/check/", {"document": {}}).status_code == 200
    assert post(api, "plans/check/", {"document": {"nodes": {}}}).status_code == 200
    assert not KeptAnswer.objects.exists()


@pytest.mark.parametrize("key", ["", " " * 256, "x" * 256, "é", "a\x00", "a\nb", "\x7f", "\t", "日本"])
def test_what_is_no_key_is_refused(api: APIClient, key: str) -> None:
    try:
        answer = post(api, "dashboards/", BODY, key)
    except ValueError:  # no header can carry it
        return
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert not Dashboard.objects.exists()


def test_it_is_forgotten_after_a_day(api: APIClient) -> None:
    post(api, "dashboards/", BODY)
    assert delete_old_answers() == 0
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert delete_old_answers() == 1
    post(api, "dashboards/", BODY)
    assert Dashboard.objects.count() == 2


def run_four_at_once(act: Callable[[], Any]) -> list[Any]:
    """What came of an act that was done four times at the same moment."""
    start, values = threading.Barrier(4), list[Any]()

    def run_once() -> None:
        start.wait()
        values.append(act())
        connections.close_all()

    threads = [threading.Thread(target=run_once) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return values


@pytest.mark.django_db(transaction=True)
def test_two_at_once_are_done_once() -> None:
    ada = User.objects.create_user("ada")
    answers = run_four_at_once(lambda: post(log_in_client(ada), "dashboards/", BODY))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert Dashboard.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_plan_of_a_page_that_is_sent_twice_at_once_is_made_once() -> None:
    ada = User.objects.create_user("ada")
    made = set(
        run_four_at_once(
            lambda: plan_services.create_plan(user=ada, name="Two clicks", document={}, edit="one").pk
        )
    )
    assert len(made) == 1 == Plan.objects.count()
