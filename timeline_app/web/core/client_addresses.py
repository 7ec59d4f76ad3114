"""Client addresses, also behind proxies. A header that anybody can write is not trusted."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest


def find_client_address(request: HttpRequest) -> str:
    """Return the address in front of our proxies; of IPv6 its /64 network, because one person holds 2^64
    addresses.
    """
    return _skip_proxies(
        str(request.META.get("REMOTE_ADDR") or ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
    )


def find_scope_address(scope: Mapping[str, Any]) -> str:
    """Return the client address of an ASGI scope, before Django has seen the request."""
    forwarded = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return _skip_proxies((scope.get("client") or [""])[0], ",".join(forwarded))


def _skip_proxies(direct: str, forwarded: str) -> str:
    forwarded_hops = [part.strip() for part in forwarded.split(",") if part.strip()]
    hops = [*forwarded_hops, direct]
    return (
        _parse_plain_address(hops[max(0, len(hops) - 1 - settings.PROXIES)])
        or _parse_plain_address(direct)
        or "0.0.0.0"  # noqa: S104  (none)  # nosec B104
    )


def _parse_plain_address(text: str) -> str:
    """Return an address without port and zone, or "" if the text holds none."""
    host = text.partition("]")[0].lstrip("[") if text.startswith("[") else text
    host = host.partition(":")[0] if host.count(":") == 1 else host.partition("%")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return ""
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or IPv6Network((int(address), 64), strict=False).network_address)
    return str(address)
