"""A program opens the live socket with its token, from anywhere; a page with its session, from here only."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.web.log import make_node
from tests.web.sockets import Socket, in_thread
from timeline_app.asgi import application
from timeline_app.web.people.token_services import create_token, revoke_token

pytestmark = pytest.mark.django_db(transaction=True)
NOT_LOGGED_IN = 4401


@pytest.fixture
def viewer(transactional_db: None) -> User:
    return User.objects.create_user("viewer")


def open_socket(header: bytes, *others: tuple[bytes, bytes]) -> Socket:
    """A socket of somebody who sends this."""
    return Socket(application, "/ws/live/", headers=[(b"authorization", header), *others])


def create_token_of(user: User, scopes: Sequence[str] = ("read",)) -> tuple[int, bytes]:
    """The number and the header of a new token."""
    token, text = create_token(user=user, name="machine", scopes=scopes)
    return token.pk, b"Token " + text.encode()


def open_browser_socket(browser: Client) -> Socket:
    """A socket of a page in this browser."""
    cookie = f"timelines_session={browser.cookies['timelines_session'].value}".encode()
    return Socket(application, "/ws/live/", headers=[(b"cookie", cookie), (b"origin", b"http://localhost")])


async def is_refused(socket: Socket) -> bool:
    """Whether it is closed at once, because nobody is logged in."""
    await socket.connect()
    closed = await socket.receive_output(2)
    return (closed["type"], closed.get("code")) == ("websocket.close", NOT_LOGGED_IN)


@pytest.mark.parametrize("origin", [(), ((b"origin", b"http://elsewhere.example"),)])
async def test_a_token_that_may_read_follows_a_node(
    viewer: User, origin: tuple[tuple[bytes, bytes], ...]
) -> None:
    node = await in_thread(make_node)(viewer)
    _, header = await in_thread(create_token_of)(viewer)
    socket = open_socket(header, *origin)
    assert (await socket.connect())[0]
    await socket.say({"type": "subscribe", "id": "a", "node": node.digest, "key": "s1"})
    assert (await socket.hear("snapshot"))["node"] == node.digest
    await socket.disconnect()


@pytest.mark.parametrize("header", [b"Token ", b"Token x", b"Token \xff\x00", b"token " + b"y" * 9000])
async def test_no_token_opens_nothing(viewer: User, header: bytes) -> None:
    socket = open_socket(header)
    assert await is_refused(socket)
    await socket.disconnect()


async def test_a_token_that_only_pushes_events_reads_nothing(viewer: User) -> None:
    _, header = await in_thread(create_token_of)(viewer, ["events"])
    socket = open_socket(header)
    assert await is_refused(socket)
    await socket.disconnect()


async def test_a_socket_ends_with_its_token(viewer: User) -> None:
    number, header = await in_thread(create_token_of)(viewer)
    socket = open_socket(header)
    assert (await socket.connect())[0]
    await in_thread(revoke_token)(user=viewer, number=number)
    closed = await socket.receive_output(4)
    assert (closed["type"], closed["code"]) == ("websocket.close", NOT_LOGGED_IN)
    await socket.disconnect()


async def test_another_password_ends_the_sockets_of_other_browsers_and_the_one_that_chose_it_opens_a_new_one(
    viewer: User,
) -> None:
    here, other_browser = Client(), Client()
    body = {"old": "a long password", "new": "another long password"}
    viewer.set_password(body["old"])
    await viewer.asave()
    for browser in (here, other_browser):
        await in_thread(browser.force_login)(viewer)
    socket = open_browser_socket(other_browser)
    assert (await socket.connect())[0]
    answer = await in_thread(here.post)("/api/me/password/", body, content_type="application/json")
    assert answer.status_code == 204, answer.content
    closed = await socket.receive_output(4)
    assert (closed["type"], closed["code"]) == ("websocket.close", NOT_LOGGED_IN)
    await socket.disconnect()
    reopened = open_browser_socket(here)
    assert (await reopened.connect())[0]
    await reopened.say({"type": "ping"})
    await reopened.hear("pong")
    await reopened.disconnect()
    assert await is_refused(open_browser_socket(other_browser))
