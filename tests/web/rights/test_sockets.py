"""The live socket: what everybody is shown of what is closed, and that it ends when the right to it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.web.giving import open_to_all, share_exactly
from tests.web.log import SECOND, T
from tests.web.rights.world import PEOPLE, SECRET, World, create_world
from tests.web.sockets import Socket, advance, open_page
from timeline_app.asgi import application
from timeline_app.web.core.channel_groups import STATUSES
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import set_role
from timeline_app.web.live.messages import TYPES
from timeline_app.web.models import Plan
from timeline_app.web.models.people import Role
from timeline_app.web.people.administrators import reset_password_from_shell
from timeline_app.web.people.services import set_active, set_teams
from timeline_app.web.people.token_services import create_token, revoke_token
from timeline_app.web.plans.services import delete_plan

pytestmark = [pytest.mark.deep, pytest.mark.django_db(transaction=True)]
in_thread = sync_to_async
LOOKERS = ("reader", "changer", "runner", "member", "operator", "admin")


@pytest.fixture
def closed_world(transactional_db: None) -> World:
    made = create_world()
    made.open(False)
    return made


def build_messages(made: World) -> dict[str, dict[str, Any]]:
    """One message of each type, about what is closed."""
    node, plan = made.node.digest, made.plan.pk
    return {
        "subscribe": {"type": "subscribe", "id": "a", "node": node, "key": "s1", "from": None},
        "rank": {"type": "rank", "id": "r", "node": node, "top": 5, "order": "most", "at": None},
        "unsubscribe": {"type": "unsubscribe", "id": "a"},
        "watch": {"type": "watch", "plan": plan},
        "unwatch": {"type": "unwatch", "plan": plan},
        "attend": {"type": "attend", "plan": plan, "selected": []},
        "leave": {"type": "leave", "plan": plan},
        "bell": {"type": "bell"},
        "ping": {"type": "ping"},
    }


ANSWERS = {
    "subscribe": "snapshot", "rank": "ranking", "watch": "status", "attend": "plan", "bell": "bell", "ping": "pong",
}  # fmt: skip
"""What comes of each type to those who may look; of the others nothing."""


def test_every_type_of_message_is_walked(closed_world: World) -> None:
    assert set(build_messages(closed_world)) == set(TYPES)


@pytest.mark.parametrize("name", PEOPLE[1:])
async def test_each_is_shown_what_the_person_may_look_at(closed_world: World, name: str) -> None:
    for kind, message in build_messages(closed_world).items():
        async with open_page(closed_world.people[name]) as socket:
            await socket.say(message)
            if kind not in ANSWERS:
                assert await socket.silent(0.1)
                continue
            answer = await socket.receive_json_from(4)
            if kind == "bell":
                counts = dict.fromkeys(("firing", "unacknowledged"), int(name in LOOKERS))
                assert answer == {"type": "bell", **counts}
            elif name in LOOKERS or kind == "ping":
                assert answer["type"] == ANSWERS[kind], (kind, answer)
            else:
                assert (answer["type"], answer["code"][:8]) == ("error", "unknown_"), (kind, answer)
                assert SECRET not in str(answer)


async def open_browser(user: User) -> tuple[Socket, Client]:
    """A socket through the whole door, with a session."""
    client = Client()
    await in_thread(client.force_login)(user)
    cookies = "; ".join(f"{name}={cooky.value}" for name, cooky in client.cookies.items())
    return await open_through_the_door([(b"cookie", cookies.encode())]), client


async def open_through_the_door(headers: list[tuple[bytes, bytes]]) -> Socket:
    at = [(b"host", b"127.0.0.1"), (b"origin", b"http://127.0.0.1")]
    socket = Socket(application, "/ws/live/", headers=[*at, *headers])
    connected, _ = await socket.connect()
    assert connected
    return socket


async def has_ended(socket: Socket, *kinds: str) -> bool:
    """Whether the socket is closed, or told for each of these that it may not be seen, within a moment."""
    left = set(kinds)
    for _ in range(12):
        output = await socket.receive_output(4)
        if output["type"] == "websocket.close":
            return True
        text = output.get("text", "")
        left -= {kind for kind in left if "not look at" in text and kind in text}
        if not left:
            return True
    return False


def end_share(made: World) -> None:
    share_exactly(thing=made.plan, user=made.people["admin"], holder=made.people["reader"], rights=[])


def deactivate_reader(made: World) -> None:
    set_active(person=made.people["reader"], user=made.people["admin"], active=False)


def delete_the_plan(made: World) -> None:
    delete_plan(plan=Plan.objects.get(pk=made.plan.pk), user=made.people["admin"])


def change_password(made: World) -> None:
    reset_password_from_shell(person=made.people["reader"])


LOST: dict[str, Callable[[World], None]] = {
    "the share": end_share,
    "the login": deactivate_reader,
    "the plan": delete_the_plan,
    "the password": change_password,
}


@pytest.mark.parametrize("lost", LOST)
async def test_what_is_lost_is_shown_no_more(closed_world: World, lost: str) -> None:
    socket, _ = await open_browser(closed_world.people["reader"])
    messages = build_messages(closed_world)
    await socket.say(messages["subscribe"])
    await socket.hear("snapshot")
    await socket.say(messages["watch"])
    await socket.hear("status")
    await in_thread(LOST[lost])(closed_world)
    # A plan that is deleted says so by itself, to those who attend it.
    assert await has_ended(socket, *(("node",) if lost == "the plan" else ("node", "plan")))
    await socket.disconnect()


async def lower_role(made: World) -> None:
    operator = await in_thread(User.objects.get)(username="operator")
    await in_thread(set_role)(person=operator, user=made.people["admin"], role=Role.VIEWER)


async def leave_team(made: World) -> None:
    await in_thread(set_teams)(person=made.people["member"], user=made.people["admin"], teams=[])


async def delete_team(_made: World) -> None:
    await in_thread(
        lambda: User.objects.get(username="member").groups.remove(Group.objects.get(name="crew"))
    )()


@pytest.mark.parametrize(
    ("name", "lose"), [("operator", lower_role), ("member", leave_team), ("member", delete_team)]
)
async def test_who_may_less_sees_less(
    closed_world: World, name: str, lose: Callable[[World], Awaitable[None]]
) -> None:
    socket, _ = await open_browser(closed_world.people[name])
    await socket.say(build_messages(closed_world)["subscribe"])
    await socket.hear("snapshot")
    await lose(closed_world)
    assert await has_ended(socket, "node")
    await socket.disconnect()


async def test_what_is_made_private_is_not_shown_to_strangers_any_more(closed_world: World) -> None:
    await in_thread(closed_world.open)(True)
    socket, _ = await open_browser(closed_world.people["stranger"])
    await socket.say(build_messages(closed_world)["subscribe"])
    await socket.hear("snapshot")
    plan = await in_thread(Plan.objects.get)(pk=closed_world.plan.pk)
    await in_thread(open_to_all)(thing=plan, user=closed_world.people["admin"], is_open=False)
    assert await has_ended(socket, "node")
    await socket.disconnect()


async def test_who_logs_out_is_shown_nothing_any_more(closed_world: World) -> None:
    socket, client = await open_browser(closed_world.people["reader"])
    await socket.say(build_messages(closed_world)["subscribe"])
    await socket.hear("snapshot")
    await in_thread(client.post)("/logout/")
    assert (await socket.receive_output(4))["type"] == "websocket.close"


async def test_who_logs_out_as_news_come_is_sent_none_of_it_and_is_not_there_any_more(
    closed_world: World,
) -> None:
    messages, layer, plan = build_messages(closed_world), get_channel_layer(), closed_world.plan.pk
    assert layer is not None
    socket, client = await open_browser(closed_world.people["reader"])
    async with open_page(closed_world.people["admin"]) as other:
        for page in (socket, other):
            await page.say(messages["subscribe"])
            await page.hear("snapshot")
            await page.say(messages["attend"])
            await page.hear("plan")
        await in_thread(client.session.flush)()
        await advance(closed_world.node, "s1", [[T + SECOND, True]], start=T + SECOND)
        await layer.group_send(STATUSES, {"type": "access.changed"})
        heard = [await socket.receive_output(4)]
        while heard[-1]["type"] != "websocket.close":
            heard.append(await socket.receive_output(4))
        assert not any('"revision"' in message.get("text", "") for message in heard)
        assert await socket.receive_nothing(0.5), "nothing after the end"
        await socket.disconnect()
        async with asyncio.timeout(5):
            while (await other.receive_json_from(4)) != {"type": "people", "plan": plan, "people": []}:
                """The reader is still shown."""


async def test_a_token_that_is_ended_shows_nothing_any_more(closed_world: World) -> None:
    reader = closed_world.people["reader"]
    made, text = await in_thread(create_token)(user=reader, name="t", scopes=["read"])
    socket = await open_through_the_door([(b"authorization", f"Token {text}".encode())])
    await socket.say(build_messages(closed_world)["subscribe"])
    await socket.hear("snapshot")
    await in_thread(revoke_token)(user=reader, number=made.pk)
    assert (await socket.receive_output(4))["type"] == "websocket.close"


async def test_a_right_that_stays_is_not_disturbed(closed_world: World) -> None:
    socket, _ = await open_browser(closed_world.people["reader"])
    await socket.say(build_messages(closed_world)["subscribe"])
    await socket.hear("snapshot")
    runner, admin = closed_world.people["runner"], closed_world.people["admin"]
    await in_thread(share_exactly)(thing=closed_world.plan, user=admin, holder=runner, rights=[Right.READ])
    assert await socket.silent(0.5)
    await socket.disconnect()


@pytest.mark.parametrize(
    "origin", ["http://elsewhere.example", "https://127.0.0.1.elsewhere.example", "null", ""]
)
async def test_pages_of_others_open_no_socket(closed_world: World, origin: str) -> None:
    client = Client()
    await in_thread(client.force_login)(closed_world.people["admin"])
    cookies = "; ".join(f"{name}={cooky.value}" for name, cooky in client.cookies.items())
    headers = [(b"host", b"127.0.0.1"), (b"origin", origin.encode()), (b"cookie", cookies.encode())]
    socket = WebsocketCommunicator(application, "/ws/live/", headers=headers)
    connected, _ = await socket.connect()
    assert not connected
