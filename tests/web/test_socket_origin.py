"""The page of another port, scheme or host opens no socket with the cookie of its visitor; the page from here does."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.web.sockets import Socket
from timeline_app.asgi import application
from timeline_app.web.live.socket_origin import parse_origin

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cookie(transactional_db: None) -> bytes:
    browser = Client()
    browser.force_login(User.objects.create_user("viewer"))
    return f"timelines_session={browser.cookies['timelines_session'].value}".encode()


async def is_opened(*headers: tuple[bytes, bytes]) -> bool:
    """Whether a socket with these headers is accepted, by a real application and its login."""
    socket = Socket(application, "/ws/live/", headers=list(headers))
    connected, _ = await socket.connect()
    await socket.disconnect()
    return bool(connected)


@pytest.mark.parametrize(
    ("host", "origin", "opens"),
    [
        (b"127.0.0.1:8000", b"http://127.0.0.1:8000", True),
        (b"localhost:8000", b"http://LOCALHOST:8000", True),
        (b"127.0.0.1", b"http://127.0.0.1", True),
        (b"127.0.0.1:80", b"http://127.0.0.1", True),
        (b"127.0.0.1:8000", b"http://127.0.0.1:9999", False),
        (b"127.0.0.1:8000", b"http://127.0.0.1", False),
        (b"127.0.0.1", b"http://127.0.0.1:8000", False),
        (b"127.0.0.1:8000", b"https://127.0.0.1:8000", False),
        (b"127.0.0.1:8000", b"http://localhost:8000", False),
        (b"127.0.0.1:8000", b"http://127.0.0.1:8000@evil.example", False),
        (b"127.0.0.1:8000", b"http://evil.example:8000", False),
        (b"127.0.0.1:8000", b"http://127.0.0.1:8000/path", False),
        (b"127.0.0.1:8000", b"http://127.0.0.1:99999", False),
        (b"127.0.0.1:8000", b"ftp://127.0.0.1:8000", False),
        (b"127.0.0.1:8000", b"null", False),
        (b"127.0.0.1:8000", b"", False),
        (b"evil.example", b"http://evil.example", False),
        (b"", b"http://", False),
    ],
)
async def test_a_page_opens_a_socket_at_its_own_origin_only(
    cookie: bytes, host: bytes, origin: bytes, opens: bool
) -> None:
    sent = [(b"host", host), (b"origin", origin), (b"cookie", cookie)]
    assert await is_opened(*sent) is opens


async def test_two_origins_or_hosts_are_none(cookie: bytes) -> None:
    own, other = b"http://127.0.0.1:8000", b"http://127.0.0.1:9999"
    host, login = (b"host", b"127.0.0.1:8000"), (b"cookie", cookie)
    assert not await is_opened(host, (b"origin", own), (b"origin", other), login)
    assert not await is_opened(host, (b"host", b"127.0.0.1:9999"), (b"origin", other), login)
    assert not await is_opened(host, login)


@pytest.mark.parametrize(
    ("said", "origin", "opens"),
    [
        (b"https", b"https://plays.example", True),
        (b"https", b"https://plays.example:443", True),
        (b"https, http", b"https://plays.example", True),
        (b"http, https", b"https://plays.example", False),
        (b"https", b"http://plays.example", False),
        (b"https", b"https://plays.example:8443", False),
        (b"http", b"https://plays.example", False),
    ],
)
async def test_behind_a_proxy_with_tls_the_scheme_is_what_the_proxy_says(
    cookie: bytes, settings: Settings, said: bytes, origin: bytes, opens: bool
) -> None:
    settings.HTTPS, settings.ALLOWED_HOSTS = True, ["plays.example"]
    sent = [
        (b"host", b"plays.example"),
        (b"x-forwarded-proto", said),
        (b"origin", origin),
        (b"cookie", cookie),
    ]
    assert await is_opened(*sent) is opens


async def test_behind_a_proxy_at_another_port_the_host_header_carries_that_port(
    cookie: bytes, settings: Settings
) -> None:
    settings.HTTPS, settings.ALLOWED_HOSTS = True, ["plays.example"]
    proxied = [(b"host", b"plays.example:8443"), (b"x-forwarded-proto", b"https"), (b"cookie", cookie)]
    assert await is_opened(*proxied, (b"origin", b"https://plays.example:8443"))
    assert not await is_opened(*proxied, (b"origin", b"https://plays.example"))


async def test_without_tls_the_header_of_a_proxy_is_not_believed(cookie: bytes) -> None:
    sent = [(b"host", b"127.0.0.1:8000"), (b"x-forwarded-proto", b"https"), (b"cookie", cookie)]
    assert not await is_opened(*sent, (b"origin", b"https://127.0.0.1:8000"))
    assert await is_opened(*sent, (b"origin", b"http://127.0.0.1:8000"))


def test_an_ipv6_origin_has_brackets() -> None:
    assert parse_origin("http://[::1]:8000") == ("http", "::1", 8000)
    assert parse_origin("http://[::1") is None
