"""Which pages may open a socket with the cookie of their visitor: those that this server gave out itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import AllowedHostsOriginValidator, WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

_PORTS = {"http": 80, "https": 443}
_LOCAL_HOSTS = [".localhost", "127.0.0.1", "[::1]"]
"""Django serves these in debug mode where TIMELINE_ALLOWED_HOSTS is empty."""
Headers = Iterable[tuple[bytes, bytes]]


class SameOrigin:
    """An ASGI application that passes a socket on where its `Origin` is the origin of the request; else 403.

    A cookie goes to every port of a host: the port of the origin counts as well as its name.
    """

    def __init__(self, application: Any) -> None:
        self.application = application
        self.without_host = AllowedHostsOriginValidator(application)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        """Pass on or refuse."""
        hosts = _select_header_values(scope["headers"], b"host")
        if not hosts:  # no browser leaves it out, and so no page of another site can
            return await self.without_host(scope, receive, send)
        if is_same_origin(hosts, _select_header_values(scope["headers"], b"origin"), _detect_scheme(scope)):
            return await self.application(scope, receive, send)
        return await WebsocketDenier()(scope, receive, send)


def is_same_origin(hosts: list[str], origins: list[str], scheme: str) -> bool:
    """Whether the one `Origin` names scheme, host and port of the request; a host that is not served has none."""
    if len(hosts) != 1 or len(origins) != 1:
        return False
    domain, _ = split_domain_port(hosts[0])
    allowed = settings.ALLOWED_HOSTS or (_LOCAL_HOSTS if settings.DEBUG else [])
    if not domain or not validate_host(domain, allowed):
        return False
    return parse_origin(origins[0]) == parse_origin(f"{scheme}://{hosts[0]}") is not None


def parse_origin(text: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an origin; None where it is none, such as `null`.

    >>> parse_origin("https://Plays.example"), parse_origin("https://plays.example:443"), parse_origin("null")
    (('https', 'plays.example', 443), ('https', 'plays.example', 443), None)
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    usual = _PORTS.get(parts.scheme)
    if (
        usual is None
        or not parts.hostname
        or "@" in parts.netloc
        or parts.path
        or parts.query
        or parts.fragment
    ):
        return None
    return parts.scheme, parts.hostname, port or usual


def _detect_scheme(scope: dict[str, Any]) -> str:
    """How the browser reached the server: behind a proxy that speaks TLS its header says so (TIMELINE_HTTPS)."""
    if settings.HTTPS:
        # Of several only the first counts, as Django reads it.
        first = ",".join(_select_header_values(scope["headers"], b"x-forwarded-proto")).partition(",")[0]
        return "https" if first.strip() == "https" else "http"
    return "https" if scope.get("scheme") == "wss" else "http"


def _select_header_values(headers: Headers, wanted: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for name, value in headers if name.lower() == wanted]
