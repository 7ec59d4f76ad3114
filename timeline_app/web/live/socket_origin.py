"""The same-origin check for sockets that use the visitor's cookie."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import AllowedHostsOriginValidator, WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

_PORTS = {"http": 80, "https": 443}
_LOCAL_HOSTS = [".localhost", "127.0.0.1", "[::1]"]
"""Django serves these in debug mode if TIMELINE_ALLOWED_HOSTS is empty."""
Headers = Iterable[tuple[bytes, bytes]]


class SameOrigin:
    """An ASGI application that accepts a socket only if its `Origin` equals that of the request; else 403.

    A cookie goes to every port of a host, so the port counts as well as the name.
    """

    def __init__(self, application: Any) -> None:
        self.application = application
        self.without_host = AllowedHostsOriginValidator(application)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        hosts = _select_header_values(scope["headers"], b"host")
        if not hosts:  # every browser sends it, so pages of other sites cannot omit it
            return await self.without_host(scope, receive, send)
        if is_same_origin(hosts, _select_header_values(scope["headers"], b"origin"), _detect_scheme(scope)):
            return await self.application(scope, receive, send)
        return await WebsocketDenier()(scope, receive, send)


def is_same_origin(hosts: list[str], origins: list[str], scheme: str) -> bool:
    """Return whether the single `Origin` names scheme, host and port of the request; unserved hosts have none."""
    if len(hosts) != 1 or len(origins) != 1:
        return False
    domain, _ = split_domain_port(hosts[0])
    allowed = settings.ALLOWED_HOSTS or (_LOCAL_HOSTS if settings.DEBUG else [])
    if not domain or not validate_host(domain, allowed):
        return False
    return parse_origin(origins[0]) == parse_origin(f"{scheme}://{hosts[0]}") is not None


def parse_origin(text: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of an origin, or None for others such as `null`.

    >>> parse_origin("https://Plays.example"), parse_origin("https://plays.example:443"), parse_origin("null")
    (('https', 'plays.example', 443), ('https', 'plays.example', 443), None)
    """
    try:
        address = urlsplit(text)
        port = address.port
    except ValueError:
        return None
    usual = _PORTS.get(address.scheme)
    if (
        usual is None
        or not address.hostname
        or "@" in address.netloc
        or address.path
        or address.query
        or address.fragment
    ):
        return None
    return address.scheme, address.hostname, port or usual


def _detect_scheme(scope: dict[str, Any]) -> str:
    """Return how the browser reached the server; a TLS proxy says so in a header (TIMELINE_HTTPS)."""
    if settings.HTTPS:
        # Like Django, use only the first of several.
        first = ",".join(_select_header_values(scope["headers"], b"x-forwarded-proto")).partition(",")[0]
        return "https" if first.strip() == "https" else "http"
    return "https" if scope.get("scheme") == "wss" else "http"


def _select_header_values(headers: Headers, header_name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for name, value in headers if name.lower() == header_name]
