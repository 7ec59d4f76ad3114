"""Pages of one plan know of each other, and hear at once what became of the plan."""

from __future__ import annotations

from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.contrib.auth.models import User

from tests.web.conftest import build_document, has_existed
from tests.web.sockets import Socket, in_thread, open_page
from timeline_app.demos.player import STREAM
from timeline_app.web.core.channel_groups import group_of_plan
from timeline_app.web.live import consumers, presence
from timeline_app.web.models import Plan
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, delete_plan, run_plan
from timeline_app.web.streams.services import create_stream

pytestmark = [pytest.mark.deep, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def viewer(transactional_db: None) -> User:
    return User.objects.create_user("viewer")


@pytest.fixture
def guest(transactional_db: None) -> User:
    return User.objects.create_user("guest")


@pytest.fixture
def plan(viewer: User) -> Plan:
    create_stream(user=viewer, name="player", document=STREAM)
    return create_plan(user=viewer, name="p", document=build_document(played=has_existed()))


def build_attend(plan: Plan, *selected: str) -> dict[str, Any]:
    return {"type": "attend", "plan": plan.pk, "selected": list(selected)}


async def attend_plan(socket: Socket, plan: Plan) -> dict[str, Any]:
    """Say that one is here; how the plan stands."""
    await socket.say(build_attend(plan))
    document = await socket.hear("plan")
    assert (await socket.hear("people"))["people"] == []
    return document


async def list_people(socket: Socket) -> list[tuple[str, list[str]]]:
    answer = await socket.hear("people")
    return [(person["name"], person["selected"]) for person in answer["people"]]


async def test_who_comes_is_told_how_the_plan_stands(viewer: User, plan: Plan) -> None:
    async with open_page(viewer) as socket:
        assert await attend_plan(socket, plan) == {
            "type": "plan",
            "plan": plan.pk,
            "deleted": False,
            "version": 1,
            "saved_by": "viewer",
            "running": False,
            "running_version": None,
            "newest": None,
        }
        assert await socket.silent()


async def test_two_pages_see_each_other_and_what_is_selected(viewer: User, guest: User, plan: Plan) -> None:
    async with open_page(viewer) as mine, open_page(guest) as theirs:
        await attend_plan(mine, plan)
        await theirs.say(build_attend(plan, "played"))
        assert await list_people(mine) == [("guest", ["played"])]
        await theirs.hear("plan")
        result = await list_people(theirs)
        assert (result or await list_people(theirs)) == [("viewer", [])]
        await mine.say(build_attend(plan, "a", "b"))
        assert await list_people(theirs) == [("viewer", ["a", "b"])]
        await theirs.say({"type": "leave", "plan": plan.pk})
        assert await list_people(mine) == []


async def test_two_pages_of_one_person_are_two(viewer: User, plan: Plan) -> None:
    async with open_page(viewer) as mine, open_page(viewer) as other:
        await attend_plan(mine, plan)
        await other.say(build_attend(plan, "played"))
        assert await list_people(mine) == [("viewer", ["played"])]


async def test_who_closes_the_page_is_gone(viewer: User, guest: User, plan: Plan) -> None:
    async with open_page(viewer) as own_page:
        await attend_plan(own_page, plan)
        async with open_page(guest) as theirs:
            await theirs.say(build_attend(plan))
            assert await list_people(own_page) == [("guest", [])]
        assert await list_people(own_page) == []


async def test_who_is_not_heard_of_is_forgotten(
    viewer: User, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "PRESENCE_TIMEOUT_S", 0.3)
    layer = get_channel_layer()
    assert layer is not None
    async with open_page(viewer) as own_page:
        await attend_plan(own_page, plan)
        ghost = {
            "type": "person.here",
            "plan": plan.pk,
            "id": "x",
            "name": "ghost",
            "selected": [],
            "new": False,
        }
        await layer.group_send(group_of_plan(plan.pk), ghost)
        assert await list_people(own_page) == [("ghost", [])]
        assert await list_people(own_page) == []


async def test_a_save_a_run_and_the_end_are_heard_of(viewer: User, plan: Plan) -> None:
    async with open_page(viewer) as socket:
        await attend_plan(socket, plan)
        changed = {"version": 1, "name": "q", "nodes": plan.document["nodes"]}
        await in_thread(save_plan)(plan=plan, user=viewer, version=1, name="q", document=changed)
        answer = await socket.hear("plan")
        assert (answer["version"], answer["saved_by"]) == (2, "viewer")
        await in_thread(run_plan)(plan=plan, user=viewer, placement="isolated")
        answer = await socket.hear("plan")
        assert (answer["running"], answer["running_version"], answer["newest"]) == (True, 1, 1)
        await in_thread(delete_plan)(plan=plan, user=viewer)
        assert (await socket.hear("plan")) == {"type": "plan", "plan": plan.pk, "deleted": True}


async def test_what_nobody_told_is_noticed_by_itself(viewer: User, plan: Plan) -> None:
    async with open_page(viewer) as socket:
        await attend_plan(socket, plan)
        await Plan.objects.aupdate(version=5)
        assert (await socket.hear("plan"))["version"] == 5


async def test_attended_plans_count_among_the_subscriptions(
    viewer: User, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "MAX_SUBSCRIPTIONS", 1)
    other = await in_thread(create_plan)(user=viewer, name="o", document={"nodes": {}})
    async with open_page(viewer) as socket:
        await attend_plan(socket, plan)
        await socket.say(build_attend(other))
        assert (await socket.hear("error"))["code"] == "too_many"
        await socket.say(build_attend(plan, "played"))
        assert await socket.silent()
