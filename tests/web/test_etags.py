"""ETags: the same is not sent twice, and nothing is saved over what others saved."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from timeline_app.web.dashboards.services import create_dashboard
from timeline_app.web.models import Dashboard, Plan, Stream
from timeline_app.web.plans.services import run_plan

Thing = tuple[str, dict[str, Any]]


@pytest.fixture(params=["plan", "text", "stream", "dashboard"])
def thing(request: pytest.FixtureRequest, api: APIClient, ada: User, plan: Plan, player: Stream) -> Thing:
    """An address, and a body that would change what is there."""
    board = create_dashboard(user=ada, name="Board")
    changed = {**plan.document, "name": "Another name"}
    return {
        "plan": (f"/api/plans/{plan.pk}/", {"document": changed, "version": 1}),
        "text": (f"/api/plans/{plan.pk}/text/", {"text": 'plan "Another"\n', "version": 1}),
        "stream": ("/api/streams/player/", {**player.document, "retention": "9d"}),
        "dashboard": (f"/api/dashboards/{board.pk}/", {"name": "Other", "document": board.document, "version": 1}),
    }[request.param]  # fmt: skip


def put(api: APIClient, thing: Thing, tag: str) -> Any:
    address, body = thing
    return api.put(address, body, format="json", headers={"If-Match": tag})


def get_etag(api: APIClient, thing: Thing) -> str:
    return str(api.get(thing[0]).headers["ETag"])


def test_what_is_the_same_is_not_sent_again(api: APIClient, thing: Thing) -> None:
    tag = get_etag(api, thing)
    for header in (tag, f'"other", {tag}', "*", f"W/{tag}"):
        answer = api.get(thing[0], headers={"If-None-Match": header})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["ETag"] == tag
    for header in ('"other"', "", tag.strip('"'), '"', "W/", '"v1"'):
        assert api.get(thing[0], headers={"If-None-Match": header}).status_code == 200


def test_a_save_on_what_one_read_is_taken_and_tells_the_next_tag(api: APIClient, thing: Thing) -> None:
    before = get_etag(api, thing)
    answer = put(api, thing, before)
    assert answer.status_code == 200, answer.content
    assert answer.headers["ETag"].split(".")[0] == get_etag(api, thing).split(".")[0]
    assert get_etag(api, thing) != before


def test_a_save_over_what_somebody_else_saved_is_refused(api: APIClient, thing: Thing) -> None:
    before = get_etag(api, thing)
    assert put(api, thing, before).status_code == 200
    now = api.get(thing[0]).json()
    answer = put(api, thing, before)
    assert (answer.status_code, answer.json()["code"]) == (412, "changed_meanwhile")
    assert answer.json().keys() == {"code", "message", "problems"}
    assert api.get(thing[0]).json() == now


def test_what_is_no_tag_of_it_fits_nothing(api: APIClient, thing: Thing) -> None:
    before = api.get(thing[0]).json()
    for tag in ('"other"', "", "x", '"', 'W/"v1"', "v1", '"v1', "\x00", '"v2.0"', "W/*", '"V1"'):
        assert (tag, put(api, thing, tag).status_code) == (tag, 412)
    assert api.get(thing[0]).json() == before


def test_any_version_and_one_of_several_fit(api: APIClient, thing: Thing) -> None:
    assert put(api, thing, f'"x", {get_etag(api, thing)}').status_code == 200
    address, body = thing
    again = (address, {**body, "version": 2} if "version" in body else body)
    assert put(api, again, "*").status_code == 200


def test_a_weak_tag_is_good_for_reading_only(api: APIClient, thing: Thing) -> None:
    assert put(api, thing, f"W/{get_etag(api, thing)}").status_code == 412


def test_deleting_heeds_it_as_well(api: APIClient, plan: Plan, ada: User) -> None:
    board = create_dashboard(user=ada, name="Board")
    for address in (f"/api/plans/{plan.pk}/", f"/api/dashboards/{board.pk}/", "/api/streams/player/"):
        tag = api.get(address).headers["ETag"]
        assert api.delete(address, headers={"If-Match": '"other"'}).status_code == 412
        assert api.delete(address, headers={"If-Match": tag}).status_code == 204
    assert not Plan.objects.exists()
    assert not Dashboard.objects.exists()


def test_that_a_plan_runs_is_news_but_no_reason_not_to_save_it(api: APIClient, ada: User, plan: Plan) -> None:
    address = f"/api/plans/{plan.pk}/"
    before = api.get(address).headers["ETag"]
    run_plan(plan=plan, user=ada, placement="isolated")
    assert api.get(address, headers={"If-None-Match": before}).status_code == 200
    body = {"document": {**plan.document, "name": "Another"}, "version": 1}
    assert api.put(address, body, format="json", headers={"If-Match": before}).status_code == 200


def test_others_are_refused_as_ever(bobs: APIClient, thing: Thing) -> None:
    assert put(bobs, thing, "*").status_code == 403
