"""Addresses as they are told to those who may not change them: what opens a door may stand in any of its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

_SCHEME = r"(?<![\w+.-])([\w+.-]++://)"
"""It begins where the run of its characters does, so that each run is looked at once."""
_IN_TEXT = re.compile(_SCHEME + r"(?:[^\s/?#]*@)?([^\s/?#]*)([^\s?#]*)([?#]\S*)?")
"""To the next space: all else may stand in an address."""
_OPTION = re.compile(_SCHEME + r"(?:[^/?#]*@)?([^/?#]*)([^?#]*)([?#].*)?", re.DOTALL)
"""To its end."""
HIDDEN = "/…"
"""How an address ends of which only the host is told."""
_WEB = ("http://", "https://", "ws://", "wss://")


def mask_addresses(text: str) -> str:
    """Text in which no address has a login, a query or, where it is one of the web, a path: `https://host/…`."""
    return _IN_TEXT.sub(_mask_match, text)


def is_bad_host(host: str | None) -> bool:
    """Whether no host can be called so: each part between dots has 1 to 63 letters.

    >>> no_host("a..b"), no_host("a" * 70), no_host("host.example"), no_host("::1")
    (True, True, False, False)
    """
    try:
        return not host or not host.encode("idna")
    except UnicodeError:
        return True


def check_web_address(url: str, instead: str) -> str | None:
    """What is wrong with an address of the web, and what to do; `instead` of a login in it.

    >>> no_web_address("https://b\u00fccher.example/", ""), no_web_address("https://host/caf%C3%A9", "")
    ('has a host with letters that addresses lack; write it as xn--bcher-kva.example', None)
    """
    try:
        parts = urlsplit(url)
        wrong = parts.scheme not in ("http", "https") or is_bad_host(parts.hostname) or parts.port == 0
    except ValueError:
        wrong = True
    if wrong:
        return f"is no address: {url[:100]!r}; such as https://host/path"
    if parts.username is not None or parts.password is not None:
        return f"holds a login, and would be shown; {instead}"
    host = parts.hostname or ""
    if not host.isascii():
        return f"has a host with letters that addresses lack; write it as {host.encode('idna').decode()}"
    if not url.isascii() or any(letter.isspace() for letter in url):
        return "has characters that an address may not have; write them as %XX"
    return None


def check_masked(url: str) -> str | None:
    """What to do where somebody sends back what is shown of an address that is not kept."""
    return (
        f"is shown in part only ({HIDDEN}): write the whole address again" if url.endswith(HIDDEN) else None
    )


def mask_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a source or a sink, likewise: each is one address."""
    return {
        name: _OPTION.sub(_mask_match, value) if isinstance(value, str) else value
        for name, value in options.items()
    }


def _mask_match(match_: re.Match[str]) -> str:
    scheme, host, path, query = match_.groups()
    if "://" in path or (scheme.lower().endswith(_WEB) and (path.strip("/") or query)):
        return f"{scheme}{host}{HIDDEN}"
    return f"{scheme}{host}{path}{'?…' if query else ''}"
